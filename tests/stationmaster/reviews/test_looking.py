"""One look at a thread is of one moment, though it takes three requests and runs go on meanwhile."""

from typing import Any

import pytest

from stationmaster.reviews.agent_server import LOOKS
from stationmaster.reviews.errors import AgentServerUnavailable
from stationmaster.reviews.model import Gone
from stationmaster.reviews.questions import questions
from stationmaster.reviews.reading import snapshot_from
from tests.stationmaster.reviews.engine import Asking, answer


def answering(real: Any, first: Any) -> Any:
    """`first` once, then what the server really says."""
    told = [first]

    async def call(*args: Any, **options: Any) -> Any:
        return told.pop() if told else await real(*args, **options)

    return call


async def of_two_moments(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread has finished; row and runs are seen as they were while it asked, its state as it was half-way."""
    client = asking.desk.server.client
    await asking.ask("plain", question="q")
    (review,) = await asking.opened()
    row, runs = await client.threads.get(asking.thread_id), await client.runs.list(asking.thread_id)
    await asking.decide(review, answer("yes"))
    await asking.settle()
    history = await client.threads.get_history(asking.thread_id, limit=20)
    (middle,) = (made for made in history if made["next"] == ["act"])
    found: Any = (row, middle, runs)
    (seeming,) = questions(snapshot_from(*found))
    assert seeming.kind == "breakpoint"
    monkeypatch.setattr(client.threads, "get", answering(client.threads.get, row))
    monkeypatch.setattr(client.runs, "list", answering(client.runs.list, runs))
    monkeypatch.setattr(client.threads, "get_state", answering(client.threads.get_state, middle))


async def test_a_run_that_began_while_the_thread_was_read_is_no_breakpoint(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    await of_two_moments(asking, monkeypatch)
    observed = await asking.look()
    assert observed.opened == ()
    assert not isinstance(observed.seen, Gone)
    assert (observed.seen.checkpoint.next, questions(observed.seen)) == ((), [])


async def test_a_thread_that_moves_faster_than_it_is_read_is_left_for_later(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    await of_two_moments(asking, monkeypatch)
    client = asking.desk.server.client
    state = await client.threads.get_state(asking.thread_id)
    names = iter(range(LOOKS + 2))

    async def another(*_: Any, **__: Any) -> Any:
        run_id = f"00000000-0000-4000-8000-{next(names):012}"
        return {**state, "metadata": {**(state["metadata"] or {}), "run_id": run_id}}

    monkeypatch.setattr(client.threads, "get_state", another)
    with pytest.raises(AgentServerUnavailable, match="look again"):
        await asking.desk.server.read(asking.thread_id)
