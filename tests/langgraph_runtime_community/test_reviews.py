"""The review service on this server: an answer that somebody overtook between its last look and the resume is refused
by the server, and nothing is done."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from stationmaster.reviews.agent_server import connect
from stationmaster.reviews.database import open_pool
from stationmaster.reviews.desk import Desk
from tests.fakes.community_server import CommunityServer
from tests.langgraph_runtime_community.world import World, key
from tests.stationmaster.reviews.engine import Asking, OneGroup, answer, overtaken


@pytest.fixture
async def asking(database: str, community: CommunityServer, served_database: str) -> AsyncIterator[Asking]:
    """The engine between a database of the test's own and the shared server."""
    async with open_pool(database) as pool, connect(community.url) as server:
        yield Asking(Desk(pool, server, OneGroup(), "test"), served_database, key())


def runs(asking: Asking) -> list[Any]:
    query = "SELECT kwargs -> 'command' -> 'resume' AS resume FROM server.runs WHERE thread_id = %s ORDER BY run_id"
    return [row["resume"] for row in World(asking.effects).ask(query, asking.thread_id)]


async def test_an_answer_is_taken(asking: Asking) -> None:
    assert await asking.desk.server.takes_conditions()
    await asking.ask("plain", question={"sum": 1.5, "what": "é"})
    (review,) = await asking.opened()
    await asking.decide(review, answer("yes"))
    (done,) = await asking.settle()
    assert (done.state, asking.done()) == ("finished", [("answered", "yes")])


async def test_somebody_else_answered_between(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    review = await overtaken(asking, monkeypatch, asking.answer_elsewhere)
    assert (review.state, review.consumed_at, review.resume_run_id) == ("answered_elsewhere", None, None)
    assert asking.done() == [("answered", "theirs")]
    assert runs(asking) == [None, {review.interrupt_id: "theirs"}]  # no run of ours was ever made


@pytest.mark.parametrize("as_node", [None, "ask"])
async def test_the_state_was_changed_between(
    asking: Asking, monkeypatch: pytest.MonkeyPatch, as_node: str | None
) -> None:
    async def changed() -> None:
        await asking.change_state(as_node, question="another")

    review = await overtaken(asking, monkeypatch, changed)
    assert (review.state, review.consumed_at, review.resume_run_id) == ("superseded", None, None)
    assert (asking.done(), runs(asking)) == ([], [None])


async def test_another_question_came_between(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    async def asked_anew() -> None:
        await asking.run("plain", input={"key": asking.key, "question": "other"})

    review = await overtaken(asking, monkeypatch, asked_anew)
    assert (review.state, review.consumed_at, review.resume_run_id) == ("superseded", None, None)
    assert (asking.done(), runs(asking)) == ([], [None, None])
    assert [found.title for found in await asking.opened()] == ["other"]
