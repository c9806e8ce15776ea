"""A server that fails in every way under workers and impatient operators: each answer starts one run, and none is lost.
Runs are counted at the server; a second one for a question would be an answer given twice."""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, cast

import pytest

from stationmaster.reviews import deliver, undelivered
from stationmaster.reviews.agent_server import AgentServer, NeverArrived, ThreadBusy, ThreadGone
from stationmaster.reviews.agent_server.translating import StateUnreadable
from stationmaster.reviews.database import Pool
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.errors import AgentServerRefused, AgentServerUnavailable, ReviewError
from stationmaster.reviews.model import Checkpoint, Gone, Review, RunInfo, Task, ThreadSnapshot
from stationmaster.reviews.redirecting import send_with
from stationmaster.reviews.settling import settle
from tests.stationmaster.reviews.engine import OneGroup
from tests.stationmaster.reviews.test_undelivered import LEA, decided, now

ANSWERS, ROUNDS = 24, 40
LATE_S, HOLD_S = 0.05, 0.4
"""A request of which the client heard nothing is taken so long afterwards; nobody concludes before the hold is over."""

AWAY = NeverArrived("no Agent Server answers: start it")
BROKEN = AgentServerUnavailable("the Agent Server answered 500: see its log")
AT_A_LOOK = (AWAY, BROKEN, AgentServerRefused("401", 401), StateUnreadable("its graph is gone", 404))
BEFORE_IT_WAS_TAKEN = (AWAY, BROKEN, ThreadGone("no such assistant", 404), AgentServerRefused("401", 401))


class Faulty:
    """Threads that each ask one question; every request fails with the chance `faults`, in some way.

    A run that is accepted answers the question, whichever it was: `runs` counts them by thread.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.faults = 0.6
        self.runs: dict[str, list[RunInfo]] = {}
        self.late: set[asyncio.Task[None]] = set()

    def _fails(self) -> bool:
        return self.random.random() < self.faults

    async def assistant(self, assistant_id: str) -> dict[str, Any]:
        if self._fails():
            raise self.random.choice(AT_A_LOOK)
        return {"assistant_id": assistant_id, "graph_id": "support", "name": "support"}

    async def assistant_named(self, given: str) -> dict[str, Any]:
        return {"assistant_id": given, "graph_id": "other", "name": given}

    async def give_thread_to(self, thread_id: str, assistant: Mapping[str, Any]) -> None:
        if self._fails():
            raise BROKEN

    async def state_keys(self, assistant_id: str) -> frozenset[str]:
        return frozenset()

    async def takes_conditions(self) -> bool:
        return False

    async def beginning(self, thread_id: str, run_id: str, namespace: str) -> None:
        return None

    async def read(self, thread_id: str, run_ids: Iterable[str] = ()) -> ThreadSnapshot | Gone:
        if self._fails():
            raise self.random.choice(AT_A_LOOK)
        runs = self.runs.get(thread_id, [])
        tasks = () if runs else (Task("t", "ask", ({"id": "i", "value": "q"},)),)
        asked = RunInfo("asked", "success", has_input=True)
        return ThreadSnapshot(
            thread_id, "idle", Checkpoint("d" if runs else "c", tasks=tasks), (*reversed(runs), asked)
        )

    async def resume(self, thread_id: str, assistant_id: str, answers: Any, **options: Any) -> str:
        if not self._fails():
            return self._take(thread_id, answers, options)
        how = self.random.choice(("refused", "cut", "late", "busy", "slow"))
        if how == "refused":
            raise self.random.choice(BEFORE_IT_WAS_TAKEN)
        if how == "busy":
            raise ThreadBusy("the thread is busy", 409)
        if how == "late":
            later = asyncio.create_task(self._later(thread_id, answers, options))
            self.late.add(later)
            raise BROKEN
        if how == "slow":
            await asyncio.sleep(LATE_S)
        run_id = self._take(thread_id, answers, options)
        if how == "cut":
            raise BROKEN
        return run_id

    async def _later(self, thread_id: str, answers: Any, options: Any) -> None:
        await asyncio.sleep(LATE_S)
        self._take(thread_id, answers, options)

    def _take(self, thread_id: str, answers: Any, options: Any) -> str:
        runs = self.runs.setdefault(thread_id, [])
        made = RunInfo(
            f"{thread_id}-{len(runs)}", "success", metadata=options["stamp"], has_resume=True,
            resume_ids=frozenset(answers),
        )  # fmt: skip
        runs.append(made)
        return made.run_id

    async def join(self, thread_id: str, run_id: str, timeout_s: float) -> bool:
        return True


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same pauses, in the same proportion."""
    monkeypatch.setattr(undelivered, "UNCERTAIN_S", HOLD_S)
    for name in ("FIRST_PAUSE_S", "LONGEST_PAUSE_S", "AWAY_PAUSE_S"):
        monkeypatch.setattr(undelivered, name, 0.01)


async def working(desk: Desk, stop: asyncio.Event) -> None:
    """A worker with many hands, that nothing stops."""
    while not stop.is_set():
        taken = await deliver.take(desk, 8)
        await asyncio.gather(*(deliver.step(desk, one) for one in taken), return_exceptions=False)
        await asyncio.sleep(0.005)  # between two looks for what is due


async def meddling(pool: Pool, server: Faulty, reviews: list[Review], closes: float) -> None:
    """An operator who tries again, sends with another assistant and closes, as it comes."""
    for _ in range(ROUNDS):
        one = server.random.choice(reviews).id
        with contextlib.suppress(ReviewError):
            if server.random.random() < closes:
                await settle(pool, one, LEA, "give_up", "seen to by hand")
            elif server.random.random() < 0.5:
                await settle(pool, one, LEA, "retry")
            else:
                await send_with(pool, cast("AgentServer", server), one, LEA, server.random.choice("bc"))
        await asyncio.sleep(0.01)  # people are slower than workers


async def all_closed(pool: Pool, reviews: list[Review]) -> list[Review]:
    while True:
        found = [await now(pool, review) for review in reviews]
        if all(review.phase == "closed" for review in found):
            return found
        await asyncio.sleep(0.02)  # between two looks at the state that is waited for


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
@pytest.mark.parametrize("closes", [0.0, 0.2])
async def test_every_answer_arrives_once(pool: Pool, seed: int, closes: float) -> None:
    server, stop = Faulty(seed), asyncio.Event()
    desks = [Desk(pool, cast("AgentServer", server), OneGroup(), name) for name in ("w1", "w2")]
    reviews = [await decided(pool, run_id="asked") for _ in range(ANSWERS)]
    workers = [asyncio.create_task(working(desk, stop)) for desk in desks]
    try:
        await asyncio.gather(*(meddling(pool, server, reviews, closes) for _ in range(2)))
        server.faults = 0.0
        async with asyncio.timeout(30):
            after = await all_closed(pool, reviews)
    finally:
        stop.set()
        await asyncio.gather(*workers)
    await asyncio.gather(*server.late)
    given = Counter(len(server.runs.get(review.thread_id, [])) for review in reviews)
    assert max(given) == 1, given
    for review in after:
        arrived = review.thread_id in server.runs
        assert (review.state, review.run_status) == ("finished", "success") or review.note, review
        assert arrived or review.note == "seen to by hand", review
    if not closes:
        assert {review.state for review in after} == {"finished"}, Counter(r.state for r in after)
