"""Single nodes with hand-made state: what each changes, and nothing else. Effects stand in test_nodes_effects.py."""

import re
from collections.abc import Callable
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.runtime import Runtime
from langgraph.types import Command, Overwrite

from agents.shared.approvals import Approve, Edit, Question, Reject
from agents.shared.models import Answer
from agents.shared.shop.tickets import MAX_TICKET_ID
from agents.support import gate as support_gate
from agents.support import nodes
from agents.support.context import KEEP_MESSAGES, MAX_ANSWERS, Context
from agents.support.questions import LONGEST_MESSAGE
from agents.support.state import State
from tests.agents.support.builders import decision, order, policy, state

REQUEST = [HumanMessage("My blender arrived broken, order 88123. I want my money back.")]
THREAD_KEYS = {"messages", "summary", "usage", "remaining_steps"}


def runtime(**context: Any) -> Runtime[Context]:
    """As LangGraph gives it to a node; the model is the written rules, whatever keys this machine has."""
    return Runtime(context=Context(**{"model": "offline:rules", **context}))


async def test_intake_writes_every_key_of_the_request_and_none_of_the_thread() -> None:
    update = await nodes.intake(state(turns=3), runtime())
    assert set(update) == set(State.__annotations__) - THREAD_KEYS
    assert (update["turns"], update["ticket_id"]) == (1, "T-1"), "turns are added up by their reducer"
    assert not any(value for key, value in update.items() if not isinstance(value, Overwrite | str | int))
    assert [value.value for value in update.values() if isinstance(value, Overwrite)] == [[], [], []]


@pytest.mark.parametrize(
    ("changes", "context", "reason"),
    [
        ({"turns": 2}, {"max_turns": 2}, "turn 3 is over the limit of 2 turns"),
        ({"usage": {"a|b": {"usd": 1.0, "input_tokens": 1, "output_tokens": 1, "unpriced": False}}},
         {"max_cost_usd": 1.0}, "$1.00 spent"),
    ],
)  # fmt: skip
async def test_intake_closes_what_is_over_a_limit(
    changes: dict[str, Any], context: dict[str, Any], reason: str
) -> None:
    update = await nodes.intake(state(**changes), runtime(**context))
    assert update["outcome"] == "closed"
    assert reason in update["degraded"].value[0]


@pytest.mark.parametrize("ticket_id", ["T\0", "two\nlines", 17, "x" * (MAX_TICKET_ID + 1)])
async def test_intake_refuses_a_ticket_id_that_can_be_no_key(ticket_id: Any) -> None:
    with pytest.raises(ValueError, match="ticket_id must be printable text of at most 200 characters"):
        await nodes.intake(state(ticket_id=ticket_id), runtime())


async def test_classify_reads_intent_order_and_reason() -> None:
    update = await nodes.classify(state(messages=REQUEST), runtime())
    assert (update["intent"], update["order_id"]) == ("refund", "88123")
    assert update["details"]["reason"] == "damaged"
    assert update["usage"]["classify|offline:rules"]["calls"] == 1
    assert (update["problem"], update["degraded"]) == (None, [])


async def test_repair_does_the_failed_task_again_and_counts() -> None:
    problem = {"node": "classify", "error": "no intent", "answer": "?"}
    update = await nodes.repair(state(problem=problem, messages=REQUEST), runtime())
    assert (update["intent"], update["problem"], update["attempts"]) == ("refund", None, {"classify": 1})
    problem["node"] = "draft_reply"
    update = await nodes.repair(state(problem=problem, outcome="human", attempts={"classify": 1}), runtime())
    assert update["draft"]
    assert (update["problem"], update["attempts"]) == (None, {"classify": 1, "draft_reply": 1})


async def test_repair_without_a_problem_changes_nothing() -> None:
    assert await nodes.repair(state(), runtime()) == {}


async def test_summarize_keeps_the_newest_and_the_numbers_of_the_rest() -> None:
    messages = [HumanMessage(f"Order 88123, part {n}.", id=str(n)) for n in range(25)]
    update = await nodes.summarize(state(messages=messages), runtime())
    assert [message.id for message in update["messages"]] == [str(n) for n in range(25 - KEEP_MESSAGES)]
    assert all(isinstance(message, RemoveMessage) for message in update["messages"])
    assert "88123" in update["summary"]


async def test_an_unusable_summary_removes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refused(*_: Any, **__: Any) -> Answer:
        return Answer(AIMessage(""), model="m", problem="refused")

    monkeypatch.setattr(nodes, "ask", refused)
    messages = [HumanMessage("Order 88123.", id=str(n)) for n in range(25)]
    assert await nodes.summarize(state(messages=messages), runtime()) == {"usage": {}, "degraded": []}


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"intent": "refund", "order": order(), "policy": policy(), "order_id": "88123"}, "refund_proposed"),
        ({"failures": [{"node": "lookup_order", "reason": "down"}]}, "dead_letter"),
        ({"failures": [{"node": "search_kb", "reason": "down"}]}, "dead_letter"),
        ({"failures": [{"node": "search_kb", "reason": "down"}], "articles": [{}], "intent": "question"}, "answered"),
    ],
)  # fmt: skip
async def test_assess(changes: dict[str, Any], outcome: str) -> None:
    assert (await nodes.assess(state(**changes), runtime()))["outcome"] == outcome


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`await gate(answer, **changes)`: the gate's command for a person's answer; and what the person was shown."""

    async def answered(answer: object, **changes: Any) -> tuple[Command[str], Question]:
        shown: list[Question] = []

        def ask_person(question: Question) -> object:
            shown.append(question)
            return answer

        monkeypatch.setattr(support_gate, "ask_person", ask_person)
        waiting = state(decision=decision(), order=order(), draft="Dear Ada", **changes)
        return cast("Command[str]", await support_gate.approve(waiting, runtime())), shown[0]

    return answered


async def test_the_gate_shows_what_is_decided(gate: Callable[..., Any]) -> None:
    problem = {"node": "approve", "error": "too much", "answer": ""}
    _, shown = await gate(Approve(action="approve"), problem=problem, attempts={"approve": 1})
    assert (shown["title"], shown["amount_usd"]) == ("Refund $640.00 for order 88123?", 640.0)
    assert (shown["draft"], shown["attempt"], shown["problem"]) == ("Dear Ada", 2, "too much")


async def test_the_gate_shows_what_the_customer_wrote(gate: Callable[..., Any]) -> None:
    talk = [HumanMessage("Where is it?"), AIMessage("On its way."), HumanMessage("It came broken, 88123.")]
    _, shown = await gate(Approve(action="approve"), messages=talk)
    assert shown["customer_wrote"] == "It came broken, 88123."
    _, shown = await gate(Approve(action="approve"), messages=[HumanMessage("x" * 9_000)])
    assert shown["customer_wrote"] == "x" * (LONGEST_MESSAGE - 1) + "…"


async def test_the_gate_opens_for_an_approval_only(gate: Callable[..., Any]) -> None:
    command, _ = await gate(Approve(action="approve"))
    assert (command.goto, command.update["decision"]["status"]) == ("refund", "approved")
    command, _ = await gate(Reject(action="reject", reason="No."))
    assert (command.goto, command.update["outcome"]) == ("draft_reply", "refund_rejected")
    assert command.update["decision"]["reject_reason"] == "No."


async def test_an_edited_amount_is_drafted_anew_and_an_edited_reply_is_not(gate: Callable[..., Any]) -> None:
    command, _ = await gate(Edit(action="edit", amount_usd=5.5))
    assert (command.goto, command.update["decision"]["amount_usd"]) == ("draft_reply", 5.5)
    assert "draft" not in command.update
    command, _ = await gate(Edit(action="edit", amount_usd=5.5, reply="Mine."))
    assert (command.goto, command.update["draft"]) == ("refund", "Mine.")
    assert command.update["decision"] == decision(status="approved", amount_usd=5.5)


@pytest.mark.parametrize("amount", [640.01, 1.001])
async def test_an_amount_that_can_not_be_paid_comes_back_and_at_last_is_given_up(
    gate: Callable[..., Any], amount: float
) -> None:
    command, _ = await gate(Edit(action="edit", amount_usd=amount))
    assert (command.goto, command.update["attempts"]) == ("approve", {"approve": 1})
    assert "decision" not in command.update
    command, _ = await gate(Edit(action="edit", amount_usd=amount), attempts={"approve": MAX_ANSWERS - 1})
    assert command.goto == "dead_letter"
    assert command.update["failures"][0]["node"] == "approve"


UNUSABLE = [
    ({"order": order()}, "`assess` sets both"),
    ({"decision": decision()}, "`assess` sets both"),
    ({"decision": decision(), "order": order(order_id="#88123")}, "order_id: .*'#88123' is not how the shop"),
    ({"decision": decision(amount_usd=-5.0), "order": order()}, "amount_usd: Input should be greater than 0"),
    (
        {"decision": decision(amount_usd="640"), "order": order()},
        "amount_usd: Input should be a valid number",
    ),
    ({"decision": decision(amount_usd=1.001), "order": order()}, "more than two decimals"),
    ({"decision": decision(status="yes"), "order": order()}, "status: "),
    ({"decision": decision(), "order": order(), "turns": 0}, "request: "),
]


@pytest.mark.parametrize(("changes", "reason"), UNUSABLE)
async def test_what_is_no_refund_ends_in_words_at_the_gate_and_at_the_refund(
    changes: dict[str, Any], reason: str
) -> None:
    """Whoever writes state may write anything."""
    command = await support_gate.approve(state(**changes), runtime())
    assert command.goto == "dead_letter"
    (failure,) = cast("Any", command.update)["failures"]
    (same,) = (await nodes.refund(state(**changes), runtime()))["failures"]
    assert re.search(reason, failure["reason"])
    assert (failure["node"], same) == ("approve", {"node": "refund", "reason": failure["reason"]})
