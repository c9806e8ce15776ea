"""The same on a real thread: what somebody did to it between the last look and the request is never our answer."""

from typing import Any

import pytest

from stationmaster.reviews.model import Submission
from tests.stationmaster.reviews.engine import Asking, answer, overtaken


async def change_inside(asking: Asking) -> None:
    """Another client writes into the state of the innermost subgraph, as the node that had asked."""
    client = asking.desk.server.client
    top: Any = await client.threads.get_state(asking.thread_id, subgraphs=True)
    inner = top["tasks"][0]["state"]["tasks"][0]["state"]
    values = {"answer": "theirs"}
    await client.threads.update_state(asking.thread_id, values, as_node="ask", checkpoint=inner["checkpoint"])


async def test_a_served_thread_answered_between(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    review = await overtaken(asking, monkeypatch, asking.answer_elsewhere)
    assert (review.state, review.needs_person, review.consumed_at) == ("answered_elsewhere", True, None)
    assert asking.done() == [("answered", "theirs")]


async def test_a_served_thread_whose_state_was_changed_between(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def changed() -> None:
        await asking.change_state(question="another")

    review = await overtaken(asking, monkeypatch, changed)
    assert (review.state, review.needs_person, review.consumed_at) == ("superseded", True, None)
    assert asking.done() == []


@pytest.mark.parametrize("finished", [False, True])
async def test_a_state_changed_between_from_which_a_run_went_on(
    asking: Asking, monkeypatch: pytest.MonkeyPatch, finished: bool
) -> None:
    """The last checkpoint is a run's, ours or another's, and shows nothing of the change."""

    async def changed() -> None:
        await asking.change_state("ask", answer="theirs")
        if finished:
            await asking.run("plain", input=None)

    review = await overtaken(asking, monkeypatch, changed)
    assert (review.state, review.needs_person, review.consumed_at) == ("superseded", True, None)
    assert asking.done() == [("answered", "theirs")]


@pytest.mark.parametrize("finished", [False, True])
async def test_a_subgraph_changed_between_from_which_a_run_went_on(
    asking: Asking, monkeypatch: pytest.MonkeyPatch, finished: bool
) -> None:
    async def changed() -> None:
        await change_inside(asking)
        if finished:
            await asking.run("nested", input=None)

    review = await overtaken(asking, monkeypatch, changed, "nested")
    assert (review.state, review.needs_person, review.consumed_at) == ("superseded", True, None)
    assert asking.done() == [("answered", "theirs")]


async def test_a_subgraph_changed_before_the_look_asks_nothing_any_more(asking: Asking) -> None:
    """The server lists the question on, a level above the subgraph that had asked it."""
    await asking.ask("nested", question="q")
    (review,) = await asking.opened()
    await change_inside(asking)
    await asking.decide(review, answer("ours"))
    (closed,) = await asking.settle()
    assert (closed.state, closed.sent_at, asking.done()) == ("superseded", None, [])
    assert "continuing the thread asks again" in (closed.note or "")


async def test_a_breakpoint_whose_state_was_changed_between(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the reviewer let through is not what was sent."""

    async def changed() -> None:
        await asking.change_state(draft="draft: another")

    review = await overtaken(asking, monkeypatch, changed, "before", Submission("continue"), text="hello")
    assert (review.state, review.needs_person, review.consumed_at) == ("superseded", True, None)
    assert asking.done() == [("sent", "draft: another")]


@pytest.mark.parametrize(
    ("graph", "asked", "submission"),
    [
        ("plain", {"question": "q"}, answer("ours")),
        ("nested", {"question": "q"}, answer("ours")),
        ("before", {"text": "hello"}, Submission("continue")),
        ("before", {"text": "hello"}, Submission("edit", fields={"draft": "ours"})),
    ],
)
async def test_nothing_came_between(
    asking: Asking, monkeypatch: pytest.MonkeyPatch, graph: str, asked: dict[str, Any], submission: Submission
) -> None:
    async def nothing() -> None:
        pass

    review = await overtaken(asking, monkeypatch, nothing, graph, submission, **asked)
    assert (review.state, review.note, review.error) == ("finished", None, None)
    assert review.consumed_at is not None
    assert len(asking.done()) == 1
