"""Questions of every kind, asked by served graphs, answered through the engine; effects counted in a ledger."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from stationmaster.reviews import audit
from stationmaster.reviews.agent_server import ThreadBusy
from stationmaster.reviews.decide import decide
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.errors import AlreadyDecided, Stale
from stationmaster.reviews.model import Stamp, Submission
from tests.stationmaster.reviews.engine import ANN, BEN, GROUP, Asking, OneGroup, answer, work


async def test_plain_question_to_its_effect(asking: Asking) -> None:
    await asking.ask("plain", question={"text": "how many?", "n": 3})
    (review,) = await asking.opened()
    assert (review.graph, review.node, review.payload) == ("plain", "ask", {"text": "how many?", "n": 3})
    await asking.decide(review, answer({"n": 4, "share": 1.0}))
    (done,) = await asking.settle()
    assert done.state == "finished" and done.run_status == "success" and done.resume_run_id
    assert done.consumed_at and done.decided_by == "ann"
    assert asking.done() == [("answered", {"n": 4, "share": 1.0})]


async def test_decided_by_is_stamped_from_the_credential(asking: Asking) -> None:
    await asking.ask("stamped", question="go?")
    (review,) = await asking.opened()
    await asking.decide(review, answer({"decided_by": "mallory"}))
    await asking.settle()
    told = {"answer": {"decided_by": "mallory"}, "decided_by": "ann", "deciders": ["ann"]}
    assert asking.done() == [("answered", told)]


async def test_the_graph_is_told_of_both_who_agreed(asking: Asking) -> None:
    asking.desk = replace(asking.desk, policies=OneGroup(Stamp(groups=(GROUP,), two_person=True)))
    await asking.ask("stamped", question="go?")
    (review,) = await asking.opened()
    await asking.decide(review, answer("yes"))
    await asking.decide(review, answer("yes"), BEN)
    await asking.settle()
    assert asking.done() == [("answered", {"answer": "yes", "decided_by": "ben", "deciders": ["ann", "ben"]})]


async def test_parallel_questions_in_reverse_order(asking: Asking) -> None:
    await asking.ask("parallel", questions=["a", "b", "c"])
    reviews = {review.payload: review for review in await asking.opened()}
    for letter, who in (("c", ANN), ("b", BEN), ("a", ANN)):
        await asking.decide(reviews[letter], answer(f"{letter}!"), who)
    settled = await asking.settle()
    assert [review.state for review in settled] == ["finished"] * 3
    effects = sorted((detail["question"], detail["answer"]) for _, detail in asking.done())
    assert effects == [("a", "a!"), ("b", "b!"), ("c", "c!")]


async def test_parallel_questions_answered_with_waits_between(asking: Asking) -> None:
    await asking.ask("parallel", questions=[1, 2])
    first, second = await asking.opened()
    await asking.decide(second, answer("later"))
    await asking.settle("open")
    assert [review.state for review in await asking.reviews()] == ["open", "finished"]
    await asking.look()
    assert len(await asking.reviews()) == 2
    await asking.decide(first, answer("now"))
    await asking.settle()
    assert len(asking.done()) == 2


async def test_questions_in_one_tool_node_come_one_at_a_time(asking: Asking) -> None:
    await asking.ask("twice", question="one", then="two")
    (one,) = await asking.opened()
    await asking.decide(one, answer(1))
    await asking.settle("open")
    (two,) = await asking.opened()
    assert two.payload == "two"
    await asking.decide(two, answer(2))
    await asking.settle()
    assert asking.done() == [("answered", [1, 2])]


async def test_nested_question_is_one_review(asking: Asking) -> None:
    await asking.ask("nested", question="deep?")
    (review,) = await asking.opened()
    assert review.node == "ask" and "inner" in review.namespace
    await asking.decide(review, answer("deep!"))
    await asking.settle()
    assert asking.done() == [("answered", "deep!")]


@pytest.mark.parametrize(
    ("submission", "sent"),
    [
        (Submission("continue"), "draft: hi"),
        (Submission("edit", raw={"state_update": {"draft": "mine"}}, has_raw=True), "mine"),
    ],
)
async def test_breakpoint(asking: Asking, submission: Submission, sent: str) -> None:
    await asking.ask("before", text="hi")
    (review,) = await asking.opened()
    assert review.shape == "breakpoint" and not review.debug and review.payload["next"] == ["send"]
    await asking.decide(review, submission)
    (done,) = await asking.settle()
    assert done.state == "finished"
    assert asking.done() == [("sent", sent)]


async def test_breakpoint_sent_back_asks_again(asking: Asking) -> None:
    await asking.ask("before", text="hi")
    (review,) = await asking.opened()
    back = {"as_node": "read", "state_update": {"feedback": "shorter"}}
    await asking.decide(review, Submission("send_back", raw=back, has_raw=True))
    await asking.settle("open")
    (again,) = await asking.opened()
    assert again.payload["values"]["draft"] == "draft: hi (shorter)"
    await asking.decide(again, Submission("continue"))
    await asking.settle()
    assert asking.done() == [("sent", "draft: hi (shorter)")]


async def test_breakpoint_of_a_developer_is_for_debugging(asking: Asking) -> None:
    thread = await asking.desk.server.client.threads.create()
    asking.thread_id = thread["thread_id"]
    await asking.run("plain", input={"key": asking.key, "question": 1}, interrupt_before=["ask"])
    (review,) = await asking.opened()
    assert review.debug and review.expires_at is None


async def test_node_interrupt_is_settled_by_state(asking: Asking) -> None:
    await asking.ask("node_interrupt", amount=500)
    (review,) = await asking.opened()
    assert review.kind == "node_interrupt" and review.interrupt_id.startswith("checkpoint:")
    await asking.decide(review, Submission("edit", raw={"state_update": {"amount": 300}}, has_raw=True))
    await asking.settle("open")
    (again,) = await asking.opened()
    assert again.payload == "300 is more than 100"
    await asking.decide(again, Submission("edit", raw={"state_update": {"approved": True}}, has_raw=True))
    await asking.settle()
    assert asking.done() == [("acted", {"amount": 300, "approved": True})]


async def test_new_input_supersedes_and_links(asking: Asking) -> None:
    await asking.ask("plain", question="old")
    (old,) = await asking.opened()
    await asking.run("plain", input={"key": asking.key, "question": "new"})
    await asking.look()
    old, new = await asking.reviews()
    assert (old.state, old.replaced_by) == ("superseded", new.id)
    with pytest.raises(Stale) as refused:
        await asking.decide(old, answer("late"))
    assert refused.value.replaced_by == new.id
    await asking.decide(new, answer("right"))
    await asking.settle()
    assert asking.done() == [("answered", "right")]


async def test_decided_but_superseded_before_it_left(asking: Asking) -> None:
    await asking.ask("plain", question="old")
    (old,) = await asking.opened()
    await asking.decide(old, answer("for the old one"))
    await asking.run("plain", input={"key": asking.key, "question": "new"})
    await asking.settle("open")
    old, new = await asking.reviews()
    assert (old.state, old.decided_by, new.state) == ("superseded", "ann", "open")
    assert asking.done() == []


async def test_changed_state_supersedes_and_continue_asks_again(asking: Asking) -> None:
    await asking.ask("plain", question="old")
    (old,) = await asking.opened()
    await asking.desk.server.client.threads.update_state(asking.thread_id, {"question": "changed"})
    await asking.look()
    (old,) = await asking.reviews()
    assert old.state == "superseded" and "continuing the thread asks again" in (old.note or "")
    await asking.run("plain", input=None)
    await asking.look()
    old, new = await asking.reviews()
    assert new.payload == "changed" and old.replaced_by == new.id


async def test_answered_elsewhere(asking: Asking) -> None:
    await asking.ask("plain", question="q")
    (review,) = await asking.opened()
    await asking.run("plain", command={"resume": {review.interrupt_id: "direct"}})
    await asking.look()
    (review,) = await asking.reviews()
    assert review.state == "answered_elsewhere"
    with pytest.raises(Stale):
        await asking.decide(review, answer("late"))


async def test_deleted_thread_withdraws(asking: Asking) -> None:
    await asking.ask("plain", question="q")
    await asking.opened()
    await asking.another_thread()
    await asking.desk.server.client.threads.delete(asking.thread_id)
    await asking.look()
    assert (await asking.review()).state == "withdrawn"


async def test_refused_typed_resume_leaves_the_question_open(asking: Asking) -> None:
    """Our own check is taken out of the way, so that the graph's is met."""
    await asking.ask("typed", type="approval", question={"title": "Refund?"})
    (review,) = await asking.opened()
    await asking.run("typed", command={"resume": {review.interrupt_id: {"action": "bogus"}}})
    assert not (await asking.look()).changed
    async with asking.desk.pool.connection() as conn:
        await conn.execute("update reviews.reviews set shape = 'plain'")
    await asking.decide(review, answer({"action": "edit"}))
    (reopened,) = await asking.settle("open")
    assert reopened.state == "open" and reopened.decided_by is None
    assert "names amount_usd" in (reopened.error or "")
    await asking.decide(reopened, answer({"action": "approve"}))
    (done,) = await asking.settle()
    assert done.state == "finished"
    assert asking.done() == [("answered", {"action": "approve"})]


async def test_twenty_answers_at_once_one_wins(asking: Asking) -> None:
    await asking.ask("plain", question="q")
    (review,) = await asking.opened()

    async def one(number: int) -> Any:
        try:
            return await decide(asking.desk.pool, review.id, ANN, answer(number), undo_s=0)
        except AlreadyDecided as lost:
            return lost

    outcomes = await asyncio.gather(*(one(number) for number in range(20)))
    lost = [outcome for outcome in outcomes if isinstance(outcome, AlreadyDecided)]
    assert len(lost) == 19 and {(loser.by, loser.decision) for loser in lost} == {("ann", "answer")}
    await asking.settle()
    assert len(asking.done()) == 1


async def test_two_workers_send_once(asking: Asking, desk: Desk) -> None:
    other = Desk(desk.pool, desk.server, desk.policies, "other")
    await asking.ask("parallel", questions=list(range(6)))
    for review in await asking.opened():
        await asking.decide(review, answer(review.payload))
    while any(review.phase != "closed" for review in await asking.reviews()):
        await asyncio.gather(work(desk), work(other))
    assert sorted(detail["answer"] for _, detail in asking.done()) == list(range(6))


async def test_the_same_look_fifty_times_changes_nothing(asking: Asking) -> None:
    await asking.ask("parallel", questions=["a", "b"])
    looks = await asyncio.gather(*(asking.look() for _ in range(50)))
    assert sum(len(look.opened) for look in looks) == 2
    before = await asking.reviews()
    assert not (await asking.look()).changed
    assert await asking.reviews() == before


async def test_a_run_does_not_choose_its_policy_by_what_it_says_of_itself(asking: Asking) -> None:
    """Metadata of a run is its caller's; the graph and the assistant's name are what the server says."""
    claims = {"graph_id": "harmless", "assistant_name": "harmless", "assistant_version": 99}
    thread = await asking.desk.server.client.threads.create()
    asking.thread_id = thread["thread_id"]
    await asking.run("plain", input={"key": asking.key, "question": "Pay?"}, metadata=claims)
    (review,) = await asking.opened()
    assert (review.graph, review.assistant_name, review.assistant_version) == ("plain", "plain", None)


async def test_an_answer_that_could_not_leave_is_on_record_with_the_reason(
    asking: Asking, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def busy(*_: Any, **__: Any) -> str:
        raise ThreadBusy("the thread is busy: it is tried again", 409)

    await asking.ask("plain", question="Now?")
    (review,) = await asking.opened()
    await asking.decide(review, answer(1))
    with monkeypatch.context() as patch:
        patch.setattr(desk.server, "resume", busy)
        await work(desk)
    async with desk.pool.connection() as conn:
        *_, sent, unsent = await audit.history(conn, review.id)
    assert (sent.action, unsent.action) == ("sent", "unsent")
    assert unsent.detail == {"why": "the thread is busy: it is tried again"}
    assert [each.state for each in await asking.settle()] == ["finished"]
