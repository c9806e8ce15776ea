"""What each shape answers, for each decision that it offers, is taken by the real graph and has its effect, once.

A served run takes about a second, most of it waiting: the cases of a test run side by side.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from stationmaster.reviews import shapes
from stationmaster.reviews.model import Pending, Submission
from stationmaster.reviews.shapes.sendable import MAX_DEPTH
from tests.stationmaster.reviews.shapes.asked import Asked, Thread
from tests.stationmaster.reviews.shapes.asking import decide, exactly, whole

INBOX = {
    "action_request": {"action": "pay", "args": {"to": "bob", "amount_usd": 12.5, "urgent": False}},
    "config": {"allow_accept": True, "allow_edit": True, "allow_respond": True, "allow_ignore": True},
    "description": "Pay Bob?",
}
PAY = ("pay", {"to": "bob", "amount_usd": 12.5})


async def settled(
    thread: Thread, submission: Submission, effects: Sequence[tuple[str, Any]], key: str = ""
) -> None:
    """Answer the one question; the thread ends, with exactly these effects."""
    question = await thread.question()
    await thread.answer(submission, question)
    assert (await thread.status(), await thread.questions()) == ("idle", []), (
        submission,
        await thread.state(),
    )
    found = thread.effects(key or thread.key)
    assert exactly([list(e) for e in found]) == exactly([list(e) for e in effects]), (submission, found)


def offered(question: Pending) -> set[str]:
    shape = shapes.of(question)
    return {choice.decision for choice in shape.form(question).choices}


async def test_agent_inbox(asked: Asked):
    args = INBOX["action_request"]["args"]
    cases = {
        "approve": (decide("approve"), [("pay", args)]),
        "edit": (
            decide("edit", {"amount_usd": 10, "urgent": True, "to": "bob"}),
            [("pay", {"to": "bob", "amount_usd": 10, "urgent": True})],
        ),
        "respond": (decide("respond", {"message": "Ask him"}), [("response", "Ask him")]),
        "ignore": (decide("ignore"), [("ignored", None)]),
    }

    async def one(listed: bool, decision: str) -> None:
        thread = await asked.ask("inbox", request=INBOX, listed=listed)
        question = await thread.question()
        assert shapes.of(question).NAME == "agent_inbox"
        assert offered(question) == cases.keys()
        await settled(thread, *cases[decision])

    await asyncio.gather(*(one(listed, decision) for listed in (True, False) for decision in cases))


EDITED = {"to": "bob", "amount_usd": 10.0, "note": "half"}
HITL = {
    "approve": (decide("approve"), [("pay", {"to": "bob", "amount_usd": 12.5, "note": None})]),
    "edit": (decide("edit", {"amount_usd": 10.0, "note": "half"}), [("pay", EDITED)]),
    "reject": (decide("reject", reason="Too much"), []),
    "respond": (decide("respond", {"message": "Paid by card"}), []),
}


async def last_tool_message(thread: Thread) -> Any:
    messages = (await thread.state())["values"]["messages"]
    return next(message for message in reversed(messages) if message["type"] == "tool")


async def test_langchains_middleware_with_one_call(asked: Asked):
    said = {
        "approve": "paid 12.5 to bob",
        "edit": "paid 10.0 to bob",
        "reject": "with reason: Too much",
        "respond": "Paid by card",
    }

    async def one(graph: str, decision: str) -> None:
        thread = await asked.call(graph, PAY)
        question = await thread.question()
        assert graph == shapes.of(question).NAME
        assert offered(question) == HITL.keys()
        if (
            graph == "hitl_batch" and decision == "edit"
        ):  # no schema there: what is not in the call is not in its form
            submission: Submission = whole({"to": "bob", **EDITED, "key": f"{thread.key}.0"}, "answer")
            action = {"name": "pay", "args": submission.raw}
            submission = whole({"decisions": [{"type": "edit", "edited_action": action}]})
        else:
            submission = HITL[decision][0]
        await settled(thread, submission, HITL[decision][1], f"{thread.key}.0")
        assert said[decision] in (await last_tool_message(thread))["content"]

    await asyncio.gather(*(one(graph, d) for graph in ("hitl_batch", "hitl_call") for d in HITL))


async def test_the_middlewares_batch_of_several_calls(asked: Asked):
    calls = (PAY, ("mail", {"text": "hi"}), ("ask_person", {"question": "why?"}))
    thread = await asked.call("hitl_batch", *calls)
    question = await thread.question()
    assert offered(question) == {"each"}
    each = decide(
        "each",
        {
            "0.decision": "edit",
            "0.args.amount_usd": 10,
            "1.decision": "reject",
            "1.message": "Not now",
            "2.message": "Because",
        },
    )
    await thread.answer(each, question)
    assert await thread.questions() == []
    assert thread.effects(f"{thread.key}.0") == [("pay", {"to": "bob", "amount_usd": 10, "note": None})]
    assert thread.effects(f"{thread.key}.1") == thread.effects(f"{thread.key}.2") == []

    async def together(submission: Submission, effects: int) -> None:
        thread = await asked.call("hitl_batch", PAY, ("mail", {"text": "hi"}))
        assert offered(await thread.question()) == {"approve", "each", "reject"}
        await thread.answer(submission)
        assert await thread.questions() == []
        assert [len(thread.effects(f"{thread.key}.{n}")) for n in (0, 1)] == [effects, effects]

    await asyncio.gather(together(decide("approve"), 1), together(decide("reject", reason="no"), 0))


async def test_the_middlewares_calls_one_by_one_in_reverse_order(asked: Asked):
    calls = (PAY, ("mail", {"text": "hi"}), ("ask_person", {"question": "why?"}))
    thread = await asked.call("hitl_call", *calls)
    first, second, third = await thread.questions()
    assert [offered(q) for q in (first, second, third)] == [HITL.keys(), {"approve", "reject"}, {"respond"}]
    await thread.answer(decide("respond", {"message": "Because"}), third)
    assert [q.interrupt_id for q in await thread.questions()] == [first.interrupt_id, second.interrupt_id]
    await thread.answer(decide("approve"), second)
    await thread.answer(decide("edit", {"amount_usd": 7}), first)
    assert await thread.questions() == []
    assert thread.effects(f"{thread.key}.0") == [("pay", {"to": "bob", "amount_usd": 7.0, "note": None})]
    assert thread.effects(f"{thread.key}.1") == [("mail", {"text": "hi"})]


async def test_typed_questions(asked: Asked):
    line = {"sku": "A", "quantity": 1}
    order = {
        "order_id": "88123",
        "quantity": 3,
        "price_usd": 9.5,
        "gift": False,
        "colour": "green",
        "note": None,
        "lines": [line],
    }
    sent = {name: order[name] for name in ("quantity", "price_usd", "colour", "lines")}
    cases: list[tuple[str, Submission, Any]] = [
        ("approval", decide("approve"), {"action": "approve"}),
        (
            "approval",
            decide("edit", {"amount_usd": 600}),
            {"action": "edit", "amount_usd": 600.0, "reply": None},
        ),
        ("approval", decide("reject", reason="no"), {"action": "reject", "reason": "no"}),
        ("order", decide("answer", sent), order),
        ("integer", decide("answer", {"answer": 5}), 5),
        ("number", decide("answer", {"answer": 5.5}), 5.5),
        ("boolean", decide("answer", {"answer": False}), False),
        ("text", decide("answer", {"answer": "5"}), "5"),
        ("enum", decide("answer", {"answer": "green"}), "green"),
        ("literal", decide("answer", {"answer": "no"}), "no"),
        ("list", decide("answer", {"answer": [line]}), [line]),
        ("loose", decide("answer", {"ok": True, "count": 2}), {"ok": True, "count": 2}),
        ("loose", whole({"ok": False, "more": "x"}), {"ok": False, "more": "x"}),
    ]

    async def one(name: str, submission: Submission, answer: Any) -> None:
        question = {"title": "Go?", "amount_usd": 640.0, "draft": "Hi", "order_id": "88123"}
        thread = await asked.ask("typed", type=name, question=question)
        assert shapes.of(await thread.question()).NAME == "typed"
        await settled(thread, submission, [("answered", answer)])

    await asyncio.gather(*(one(*case) for case in cases))


async def test_plain_values_of_every_kind_come_back_as_they_were_sent(asked: Asked):
    deep: Any = "bottom"
    for _ in range(MAX_DEPTH):
        deep = {"a": deep}
    values = [
        None, True, False, 0, 1, 1.0, "1", "", "\x00 \u202e é", [], {}, [1, 1.0, "1", None, True], {"a": None},
        {"a" * 32: 1, "b" * 32: {"c" * 32: 2}}, 2**64 - 1, -(2**63), deep, "x" * 1_000_000,
    ]  # fmt: skip

    async def one(value: Any) -> None:
        thread = await asked.ask("plain", question=value)
        question = await thread.question()
        assert shapes.of(question).NAME == "plain"
        shown = value.replace("\x00", "\ufffd") if isinstance(value, str) else value
        assert exactly(question.value) == exactly(shown)  # the server shows a NUL as U+FFFD, and takes one
        assert shapes.of(question).describe(question).title
        await settled(thread, whole(value), [("answered", value)])

    await asyncio.gather(*(one(value) for value in values))


async def test_an_integer_of_more_than_64_bits_is_shown_though_it_can_not_be_answered(asked: Asked):
    """Computed inside a graph it may exist; the server shows it as it can."""
    thread = await asked.ask("plain", question={"amount": 2**63})
    question = await thread.question()
    assert shapes.of(question).describe(question).amount_usd == float(2**63)
    await settled(thread, whole("seen"), [("answered", "seen")])


async def test_several_questions_at_once_are_answered_by_id_in_any_order(asked: Asked):
    thread = await asked.ask("parallel", questions=["a", {"b": 1}, 3])
    waiting = await thread.questions()
    assert len({question.interrupt_id for question in waiting}) == 3
    for question in reversed(waiting):
        await thread.answer(whole({"to": question.value}), question)
    assert await thread.questions() == []
    assert thread.effects() == [
        ("answered", {"question": q, "answer": {"to": q}}) for q in (3, {"b": 1}, "a")
    ]


async def test_two_questions_of_one_node_are_asked_one_after_the_other(asked: Asked):
    thread = await asked.ask("twice", question="first", then="second")
    first = await thread.question()
    await thread.answer(whole(1), first)
    second = await thread.question()
    assert (first.value, second.value) == ("first", "second")
    assert first.interrupt_id != second.interrupt_id
    await settled(thread, whole(2), [("answered", [1, 2])])


async def test_a_question_inside_a_subgraph(asked: Asked):
    thread = await asked.ask("nested", question={"title": "Deep down?"})
    await settled(thread, whole({"ok": True}), [("answered", {"ok": True})])


async def test_three_tools_that_ask_as_tasks_of_their_own(asked: Asked):
    calls = [("refund", {"amount_usd": float(n)}) for n in (1, 2, 3)]
    thread = await asked.call("tool_tasks", *calls)
    waiting = await thread.questions()
    assert [question.value["amount_usd"] for question in waiting] == [1.0, 2.0, 3.0]
    for question in reversed(waiting):
        amount = question.value["amount_usd"] * 10
        await thread.answer(whole({"ok": True, "amount_usd": amount}), question)
    assert await thread.questions() == []
    assert [thread.effects(f"{thread.key}.{n}") for n in range(3)] == [
        [("attempt", None), ("refund", 10.0 * (n + 1))] for n in range(3)
    ]


async def test_three_tools_in_a_plain_tool_node_ask_one_at_a_time_and_run_again(asked: Asked):
    calls = [("refund", {"amount_usd": float(n)}) for n in (1, 2, 3)]
    thread = await asked.call("tool_node", *calls)
    order = []
    while waiting := await thread.questions():
        (question,) = waiting
        order.append(question.value["amount_usd"])
        await thread.answer(whole({"ok": True}), question)
    effects = [thread.effects(f"{thread.key}.{n}") for n in range(3)]
    assert sorted(order) == [1.0, 2.0, 3.0]
    assert [[e for e in found if e[0] == "refund"] for found in effects] == [
        [("refund", n)] for n in (1.0, 2.0, 3.0)
    ]
    assert sum(len([e for e in found if e[0] == "attempt"]) for found in effects) > 3


async def test_breakpoints_go_on_changed_or_not_and_back(asked: Asked):
    async def one(graph: str, submission: Submission, effect: str) -> None:
        thread = await asked.ask(graph, text="hi")
        question = await thread.question()
        assert shapes.of(question).NAME == "breakpoint"
        assert offered(question) == {"continue", "edit", "send_back"}
        assert shapes.of(question).describe(question).title == "Waits before send: continue?"
        await settled(thread, submission, [("sent", effect)])

    async def back(graph: str) -> None:
        thread = await asked.ask(graph, text="hi")
        await thread.answer(decide("send_back", {"as_node": "read", "state_update": {"feedback": "shorter"}}))
        assert thread.effects() == []
        await settled(thread, decide("continue"), [("sent", "draft: hi (shorter)")])

    edited = decide("edit", {"draft": "mine", "text": "hi"})
    await asyncio.gather(
        *(one(graph, decide("continue"), "draft: hi") for graph in ("before", "after")),
        *(one(graph, edited, "mine") for graph in ("before", "after")),
        *(back(graph) for graph in ("before", "after")),
    )


async def test_a_node_interrupt_is_settled_by_state_and_not_by_a_value(asked: Asked):
    async def one(submission: Submission, effect: Any) -> None:
        thread = await asked.ask("node_interrupt", amount=500)
        question = await thread.question()
        assert shapes.of(question).NAME == "node_interrupt"
        assert offered(question) == {"edit", "skip"}
        await thread.run(command={"resume": {question.interrupt_id: True}})
        assert await thread.question() == question
        await settled(thread, submission, [("acted", effect)])

    await asyncio.gather(
        one(decide("edit", {"state_update": {"approved": True}}), {"amount": 500, "approved": True}),
        one(decide("edit", {"state_update": {"amount": 50}}), {"amount": 50, "approved": None}),
        one(decide("skip"), {"amount": 500, "approved": None}),
    )


async def test_under_update_state_the_question_is_gone_until_the_node_runs_again(asked: Asked):
    thread = await asked.ask("plain", question="old")
    old = await thread.question()
    await thread.client.threads.update_state(thread.thread_id, {"question": "new"})
    assert (await thread.state())["interrupts"] == []
    await thread.run(input=None)
    new = await thread.question()
    assert (old.value, new.value) == ("old", "new")
    assert old.interrupt_id != new.interrupt_id
    await settled(thread, whole("fine"), [("answered", "fine")])


async def test_agent_inbox_with_several_requests(asked: Asked):
    """The graph reads one response for each of its requests, and fails without one."""
    other = {**INBOX, "action_request": {"action": "archive", "args": {"id": 7}}}
    thread = await asked.ask("inbox", requests=[INBOX, other])
    assert offered(await thread.question()) == {"approve", "each", "ignore"}
    given = decide("each", {"0.decision": "approve", "1.decision": "edit", "1.args.id": 8})
    await settled(thread, given, [("pay", INBOX["action_request"]["args"]), ("archive", {"id": 8})])
