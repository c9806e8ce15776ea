"""What an assistant can switch: a model for a role, what it may do, and which mails it sends."""

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from pydantic import ValidationError

from agents.support.context import Context, Models
from agents.support.graph import graph
from agents.support.state import TOOLS
from tests.agents.support.client import wants_refund
from tests.agents.support.in_process import Talk, reply_of
from tests.agents.support.provider import by_written_rules, priced_model, tasks_of
from tests.fakes.openai_answers import Say
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.shop import EMAIL, Ledger, place_order

QUESTION = "How long does standard delivery take?"


@pytest.fixture
def ledger(agents_on_shop: str) -> Ledger:
    return Ledger(agents_on_shop)


def refund_of(ledger: Ledger, paid_usd: float = 640.0) -> str:
    return wants_refund(place_order(ledger.uri, paid_usd))


@pytest.mark.usefixtures("agents_on_shop")
async def test_each_role_asks_its_own_model(openai_server: OpenAIServer) -> None:
    openai_server.responder = by_written_rules
    plain, reads, writes, shortens = (priced_model() for _ in range(4))
    talk = Talk.open(
        "R-roles", model=plain, models={"classify": reads, "draft": writes, "summarize": shortens}
    )
    long = [HumanMessage(QUESTION, id=str(n)) for n in range(22)]
    state = await talk.run({"ticket_id": "R-roles", "messages": long})
    assert "working days" in reply_of(state) and not state["degraded"]
    assert [tasks_of(openai_server, model) for model in (shortens, reads, writes, plain)] == [
        ["summarize"], ["classify"], ["draft_reply"], []
    ]  # fmt: skip
    assert set(state["usage"]) == {f"summarize|{shortens}", f"classify|{reads}", f"draft_reply|{writes}"}


@pytest.mark.usefixtures("agents_on_shop")
async def test_a_repair_asks_the_model_of_what_is_repaired_and_other_roles_the_plain_one(
    openai_server: OpenAIServer,
) -> None:
    plain, reads = priced_model(), priced_model()
    answers = iter([Say("no call at all")])
    openai_server.responder = lambda call: next(answers, None) or by_written_rules(call)
    await Talk.open("R-repair", model=plain, models={"classify": reads}).say(QUESTION)
    assert tasks_of(openai_server, reads) == ["classify", "repair"]
    assert tasks_of(openai_server, plain) == ["draft_reply"]


def test_the_models_of_a_role_are_its_own_then_the_fallback_then_the_rules() -> None:
    context = Context(model="a:a", models=Models(draft="b:b"), fallback_model="c:c")
    assert context.models_for("draft") == ("b:b", "c:c", "offline:rules")
    assert context.models_for("classify") == ("a:a", "c:c", "offline:rules")


async def test_who_may_only_search_reads_no_order_and_leaves_refunds_to_the_desk(ledger: Ledger) -> None:
    talk = Talk.open("R-answers", enabled_tools=["search_kb"])
    state = await talk.say(refund_of(ledger))
    assert (state.get("outcome"), state.get("order")) == ("human", None)
    assert "lookup_order" not in talk.nodes and "check_return_policy" not in talk.nodes
    assert (ledger.refunds("R-answers"), ledger.mail_kinds("R-answers")) == ([], ["desk"])
    assert "looking up orders is not among" in ledger.mails("R-answers")[0]["body"]
    assert (await talk.say(QUESTION)).get("outcome") == "answered"


async def test_without_refunds_the_desk_is_told_what_policy_would_give(ledger: Ledger) -> None:
    for ticket, paid in (("R-large", 640.0), ("R-small", 40.0)):
        talk = Talk.open(ticket, enabled_tools=["lookup_order", "search_kb"])
        state = await talk.say(refund_of(ledger, paid))
        assert (state.get("outcome"), await talk.next()) == ("human", ())
        assert ledger.refunds(ticket) == [] and ledger.mail_kinds(ticket) == ["desk", "reply"]
        told = next(mail["body"] for mail in ledger.mails(ticket) if mail["recipient"] != EMAIL)
        assert f"${paid:,.2f} is within policy" in told and "refunds are not among" in told
        assert "refunded" not in reply_of(state)


async def test_what_policy_declines_is_declined_without_refunds_too(ledger: Ledger) -> None:
    talk = Talk.open("R-none", enabled_tools=["lookup_order"])
    assert (await talk.say("Refund order 99999999, it came broken.")).get("outcome") == "order_not_found"
    assert ledger.mail_kinds("R-none") == []


async def test_without_the_articles_a_question_goes_to_the_desk(ledger: Ledger) -> None:
    talk = Talk.open("R-deaf", enabled_tools=["lookup_order", "refund"])
    assert (await talk.say(QUESTION)).get("outcome") == "human"
    assert "search_kb" not in talk.nodes and ledger.mail_kinds("R-deaf") == ["desk"]
    assert (await talk.say(refund_of(ledger, 40.0))).get("outcome") == "refunded"


async def test_refunds_that_are_switched_off_while_one_waits_are_not_paid(ledger: Ledger) -> None:
    """A resume runs with the newest settings: closing counts at once, and somebody has the request."""
    talk = Talk.open("R-closed")
    await talk.say(refund_of(ledger))
    talk.context = Context(model="offline:rules", enabled_tools=["lookup_order", "search_kb"])
    state = await talk.answer({"action": "approve"})
    assert state.get("outcome") == "dead_letter" and "a colleague will look into it" in reply_of(state)
    assert ledger.refunds("R-closed") == []
    (buried,) = ledger.dead_letters("R-closed")
    assert buried["node"] == "refund" and "refunds are not among" in buried["reason"]


async def test_refunds_that_are_switched_on_again_are_for_the_next_request(ledger: Ledger) -> None:
    talk = Talk.open("R-opened", enabled_tools=["lookup_order"])
    wish = refund_of(ledger, 40.0)
    assert (await talk.say(wish)).get("off") == ["search_kb", "refund"]
    talk.context = Context(model="offline:rules")
    state = await talk.say(wish)
    assert (state.get("off"), state.get("outcome")) == ([], "refunded")
    assert ledger.refunded_usd("R-opened") == [40.0]


async def test_nobody_is_told_that_a_person_looks_where_the_flag_is_off(ledger: Ledger) -> None:
    talk = Talk.open("R-quiet", flags={"acknowledge": False})
    await talk.say(refund_of(ledger))
    assert ledger.mail_kinds("R-quiet") == [] and await talk.next() == ("approve",)
    await talk.answer({"action": "approve"})
    assert ledger.mail_kinds("R-quiet") == ["reply"]


async def test_a_reply_that_is_not_mailed_stands_in_the_conversation_and_the_reviewer_is_told(
    ledger: Ledger,
) -> None:
    talk = Talk.open("R-chat", flags={"mail_reply": False})
    await talk.say(refund_of(ledger))
    ((question,), wrote) = (await talk.graph.aget_state(talk.config)).interrupts, EMAIL
    assert wrote not in question.value["on_approve"] and wrote not in question.value["on_reject"]
    assert "not mailed" in question.value["on_approve"]
    state = await talk.answer({"action": "approve"})
    assert "We have refunded" in reply_of(state) and ledger.mail_kinds("R-chat") == ["acknowledge"]


@pytest.mark.parametrize(
    "context",
    [{"enabled_tools": ["pay"]}, {"models": {"reply": "a:b"}}, {"flags": {"mail": True}}],
)
def test_what_there_is_not_is_refused(context: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Context(**context)


def test_each_setting_has_a_default_that_a_canary_can_write() -> None:
    """A run of a canary gets the graph's default for what only the live assistant sets."""
    schema = graph.get_context_jsonschema() or {}
    assert [name for name, each in schema["properties"].items() if "default" not in each] == []
    defaults = {name: each["default"] for name, each in schema["properties"].items()}
    assert Context(**defaults) == Context() and defaults["enabled_tools"] == list(TOOLS)
