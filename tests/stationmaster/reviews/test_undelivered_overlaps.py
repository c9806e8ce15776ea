"""Answers that can't be delivered, where two things come together: a try and an operator, a request that was taken
after all and the next one, a server that was away and one that fails."""

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from langgraph_sdk.errors import APIStatusError

from stationmaster.reviews import deliver, store
from stationmaster.reviews.agent_server import NeverArrived, ThreadBusy, ThreadGone
from stationmaster.reviews.agent_server.translating import translated
from stationmaster.reviews.database import Pool, open_pool
from stationmaster.reviews.errors import AgentServerRefused, AgentServerUnavailable
from stationmaster.reviews.lifecycle import POOL_SIZE, Pace, deliver_loop
from stationmaster.reviews.model import Checkpoint, RunInfo, Task, ThreadSnapshot
from stationmaster.reviews.observe import observe
from stationmaster.reviews.redirecting import send_with
from stationmaster.reviews.settling import NothingToSettle, settle
from tests.stationmaster.reviews.test_undelivered import (
    AWAY,
    BROKEN,
    LEA,
    LOST,
    Failing,
    decided,
    desk_of,
    now,
    pause_s,
    tried,
    update,
)

ASKED = RunInfo("asked", "success", has_input=True)


class Handing(Failing):
    """One whose assistants each belong to another graph. `given`: to which of them a thread was handed over."""

    def __init__(self, error: Exception | None) -> None:
        super().__init__(error)
        self.given: list[str] = []
        self.fails: Exception | None = None

    async def assistant_named(self, given: str) -> dict[str, Any]:
        return {"assistant_id": given, "graph_id": f"graph of {given}", "name": given}

    async def give_thread_to(self, thread_id: str, assistant: Mapping[str, Any]) -> None:
        if self.fails:
            raise self.fails
        self.given.append(assistant["assistant_id"])


async def test_time_in_which_the_server_was_away_counts_towards_no_end(pool: Pool) -> None:
    """It was away for days, and failed once when it came back."""
    server = Failing(AWAY)
    review, desk = await decided(pool), desk_of(pool, server)
    await tried(desk, review)
    await update(pool, review, "failing_since = now() - interval '3 days'")
    server.error = BROKEN
    after = await tried(desk, review)
    assert after.gave_up_at is None and not after.needs_person
    server.error = None
    assert (await tried(desk, review)).state == "sent" and server.sent == ["a"]


async def test_after_a_request_that_certainly_never_arrived_the_next_try_is_soon(pool: Pool) -> None:
    server = Failing(None)
    server.refuses = NeverArrived("no connection")
    review, desk = await decided(pool), desk_of(pool, server)
    assert (await tried(desk, review)).state == "decided"
    server.error = AWAY
    assert pause_s(await tried(desk, review)) == 2


@pytest.mark.parametrize("refused", [ThreadBusy("busy", 409), ThreadGone("no such assistant", 404), AWAY])
async def test_what_may_have_arrived_stays_sent_whatever_the_next_try_says(
    pool: Pool, refused: Exception
) -> None:
    """The first request was cut off; the second was refused, perhaps because the first one's run is under way."""
    server = Failing(None)
    server.refuses = AgentServerUnavailable("cut off")
    review, desk = await decided(pool), desk_of(pool, server)
    assert (await tried(desk, review)).state == "sent"
    server.refuses = refused
    after = await tried(desk, review)
    assert (after.state, after.answer) == ("sent", 1)
    with pytest.raises(NothingToSettle):
        await send_with(pool, desk.server, review.id, LEA, "other")


async def test_the_thread_goes_to_another_graph_only_with_the_answer(pool: Pool) -> None:
    """A worker has marked it as sent since the operator looked; or the server does not hand the thread over."""
    server = Handing(LOST)
    review, desk = await decided(pool), desk_of(pool, server)
    await tried(desk, review)
    server.fails = BROKEN
    with pytest.raises(AgentServerUnavailable):
        await send_with(pool, desk.server, review.id, LEA, "b")
    assert (await now(pool, review)).send_with is None
    server.fails, named = None, server.assistant_named

    async def sent_meanwhile(given: str) -> dict[str, Any]:
        await update(pool, review, "state = 'sent', sent_at = now()")
        return await named(given)

    server.assistant_named = sent_meanwhile
    with pytest.raises(NothingToSettle):
        await send_with(pool, desk.server, review.id, LEA, "b")
    assert server.given == [] and (await now(pool, review)).send_with is None


async def test_of_two_operators_the_thread_and_the_answer_go_with_one(pool: Pool) -> None:
    server = Handing(LOST)
    review, desk = await decided(pool), desk_of(pool, server)
    await tried(desk, review)
    await asyncio.gather(*(send_with(pool, desk.server, review.id, LEA, given) for given in "bcde"))
    assert (await now(pool, review)).send_with == server.given[-1] and len(server.given) == 4


async def test_a_try_under_way_does_not_leave_with_the_assistant_that_was_replaced(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Handing(LOST)
    review, desk = await decided(pool), desk_of(pool, server)
    await tried(desk, review)
    server.error, prepare = None, deliver.prepare

    async def replaced(*args: Any) -> Any:
        made = await prepare(*args)
        if not server.given:
            await send_with(pool, desk.server, review.id, LEA, "b")
        return made

    monkeypatch.setattr(deliver, "prepare", replaced)
    assert (await tried(desk, review)).state == "decided" and server.sent == []
    assert (await tried(desk, review)).state == "sent" and server.sent == ["b"]


async def test_a_cut_off_answer_outlives_a_deploy_without_its_node(pool: Pool) -> None:
    """It never arrived, and its graph asks nothing where the thread stands: kept, and sent once after the mend."""

    class Stands(Failing):
        asks = True

        async def read(self, thread_id: str, run_ids: Any = ()) -> ThreadSnapshot:
            tasks = (Task("t", "ask", ({"id": "i", "value": "q"},)),) if self.asks else ()
            return ThreadSnapshot(thread_id, "idle", Checkpoint("c", tasks=tasks), (ASKED,))

    server = Stands(None)
    server.refuses = AgentServerUnavailable("cut off")
    review, desk = await decided(pool, run_id="asked"), desk_of(pool, server)
    assert (await tried(desk, review)).state == "sent"
    server.refuses, server.asks = None, False
    after = await tried(desk, review)
    assert (after.state, after.answer) == ("sent", 1)
    assert after.delivery_error and "asks nothing there any more" in after.delivery_error
    server.asks = True
    assert (await tried(desk, review)).resume_run_id == "run-1" and server.sent == ["a"]


async def test_who_closes_it_during_a_try_is_told_to_wait(pool: Pool) -> None:
    review, desk = await decided(pool), desk_of(pool, Failing(LOST))
    await tried(desk, review)
    await update(pool, review, "worked_by = 'w2', worked_until = now() + interval '15 s'")
    with pytest.raises(NothingToSettle, match="a try is under way"):
        await settle(pool, review.id, LEA, "give_up", "enough")


async def test_answers_that_a_server_holds_up_keep_no_other_waiting(database: str) -> None:
    """More of them than there are hands, each at a thread whose state is never read to its end."""

    class Slow(Failing):
        reading, waiting = 0, asyncio.Event()
        ends, went = asyncio.Event(), asyncio.Event()

        async def read(self, thread_id: str, run_ids: Any = ()) -> Any:
            if thread_id not in stuck:
                return await super().read(thread_id, run_ids)
            self.reading += 1
            if self.reading == pace.undelivered:
                self.waiting.set()
            await self.ends.wait()
            raise BROKEN

        async def resume(self, *args: Any, **options: Any) -> str:
            self.went.set()
            return await super().resume(*args, **options)

    pace, stop, server = Pace(deliver_s=0.01), asyncio.Event(), Slow(None)
    async with open_pool(database, max_size=POOL_SIZE) as pool:
        late = [await decided(pool) for _ in range(pace.answers + 4)]
        for review in late:
            await update(pool, review, "delivery_error = 'slow', failing_since = now(), next_look_at = now()")
        stuck = {review.thread_id for review in late}
        loop = asyncio.create_task(deliver_loop(desk_of(pool, server), stop, pace=pace))
        try:
            async with asyncio.timeout(20):
                await server.waiting.wait()
                await decided(pool)
                await server.went.wait()
        finally:
            stop.set()
            server.ends.set()
            await loop
    assert server.reading == pace.undelivered and server.sent == ["a"]


async def test_a_question_whose_answer_was_closed_is_asked_anew(pool: Pool) -> None:
    """Nothing is lost: whoever finds that the work is still to be done answers the new review."""
    server = Failing(None)
    server.refuses = LOST
    review, desk = await decided(pool), desk_of(pool, server)
    await tried(desk, review)
    await settle(pool, review.id, LEA, "give_up", "the assistant is not coming back")
    async with pool.connection() as conn:
        await observe(desk, review.thread_id, "sweep")
        anew = [one for one in await store.of_thread(conn, review.thread_id) if one.state == "open"]
    assert [(one.returned_from, one.answer) for one in anew] == [(review.id, None)]
    assert server.sent == []


@pytest.mark.parametrize(
    ("status", "known"), [(408, False), (425, False), (429, False), (503, False), (413, True)]
)
def test_a_proxy_that_waited_for_too_long_has_refused_nothing(status: int, known: bool) -> None:
    """Taken for a refusal, it would open the question again while its answer may be under way."""
    response = httpx.Response(status, request=httpx.Request("POST", "http://agent/threads/t/runs"))
    with pytest.raises(AgentServerRefused if known else AgentServerUnavailable), translated("http://agent"):
        raise APIStatusError(str(status), response=response, body=None)
