"""Workers that die between any two steps, and real ones that are killed: each answer takes effect once."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from stationmaster.reviews.agent_server import AgentServer as Client
from stationmaster.reviews.agent_server import NeverArrived
from stationmaster.reviews.decide import decide
from stationmaster.reviews.errors import AgentServerUnavailable
from stationmaster.reviews.model import Review, Submission
from tests.fakes.agent_server import ROOT, AgentServer, clean_environment
from tests.stationmaster.reviews.engine import EVERYBODY, Asking, answer, work

EDIT = Submission("edit", raw={"state_update": {"draft": "mine"}}, has_raw=True)


class Died(Exception):
    """The process ended here."""


def dies_once(
    monkeypatch: pytest.MonkeyPatch, name: str, *, after: bool = False, error: type[Exception] = Died
) -> list[str]:
    """The first call of this method of the server never returns: before the request left, or after it arrived."""
    calls: list[str] = []
    real: Callable[..., Awaitable[Any]] = getattr(Client, name)

    async def once(self: Client, *args: Any, **options: Any) -> Any:
        calls.append(name)
        if len(calls) > 1:
            return await real(self, *args, **options)
        if after:
            await real(self, *args, **options)
        raise error(name)

    monkeypatch.setattr(Client, name, once)
    return calls


async def forget_waits(asking: Asking) -> None:
    async with asking.desk.pool.connection() as conn:
        await conn.execute("update reviews.reviews set worked_until = null, next_look_at = now()")


async def crash(asking: Asking) -> Review:
    """One round in which the worker dies, and what it left."""

    async def round_() -> None:
        await work(asking.desk)

    for _ in range(10):
        try:
            await round_()
        except Died:
            break
        await forget_waits(asking)
    await forget_waits(asking)
    return await asking.review()


async def waiting(asking: Asking, submission: Submission, graph: str = "plain", **values: Any) -> Review:
    await asking.ask(graph, **(values or {"question": "q"}))
    (review,) = await asking.opened()
    return await asking.decide(review, submission)


async def test_died_after_marking_before_sending(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    await waiting(asking, answer(1))
    calls = dies_once(monkeypatch, "resume")
    left = await crash(asking)
    assert (left.state, left.resume_run_id) == ("sent", None)
    (done,) = await asking.settle()
    assert done.state == "finished" and len(calls) == 2
    assert asking.done() == [("answered", 1)]


async def test_died_after_sending_before_noting_the_run(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    await waiting(asking, answer(1))
    calls = dies_once(monkeypatch, "resume", after=True)
    left = await crash(asking)
    assert (left.state, left.resume_run_id) == ("sent", None)
    (done,) = await asking.settle()
    assert done.state == "finished" and done.resume_run_id and len(calls) == 1
    assert asking.done() == [("answered", 1)]


@pytest.mark.parametrize(("method", "after"), [("update_state", False), ("update_state", True), ("continue_", False),
                                               ("continue_", True)])  # fmt: skip
async def test_died_while_changing_the_state(
    asking: Asking, monkeypatch: pytest.MonkeyPatch, method: str, after: bool
) -> None:
    await waiting(asking, EDIT, "before", text="hi")
    dies_once(monkeypatch, method, after=after)
    await crash(asking)
    (done,) = await asking.settle()
    assert done.state == "finished", (done.state, done.note)
    assert asking.done() == [("sent", "mine")]


async def test_a_request_that_never_arrived_leaves_it_decided(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    await waiting(asking, answer(1))
    dies_once(monkeypatch, "resume", error=NeverArrived)
    await work(asking.desk)
    assert (await asking.review()).state == "decided"
    await asking.settle()
    assert asking.done() == [("answered", 1)]


async def test_a_reply_that_never_came(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    await waiting(asking, answer(1))
    dies_once(monkeypatch, "resume", after=True, error=AgentServerUnavailable)
    await work(asking.desk)
    assert (await asking.review()).state == "sent"
    await forget_waits(asking)
    await asking.settle()
    assert asking.done() == [("answered", 1)]


async def test_sent_and_consumed_by_somebody_else_meanwhile(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = await waiting(asking, answer("ours"))
    dies_once(monkeypatch, "resume")
    await crash(asking)
    await asking.run("plain", command={"resume": {review.interrupt_id: "theirs"}})
    (closed,) = await asking.settle()
    assert closed.state == "answered_elsewhere"
    assert asking.done() == [("answered", "theirs")]


def worker(database: str, server: AgentServer, log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.stationmaster.reviews.worker_process", database, server.url]
    with log.open("ab") as out:
        return subprocess.Popen(
            command, cwd=ROOT, env=clean_environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_workers_killed_on_the_way(
    asking: Asking, database: str, asking_server: AgentServer, tmp_path: Path
) -> None:
    """60 questions on 20 threads, found by the sweep of real worker processes, which are killed on the way."""
    threads = [await asking.ask("parallel", questions=[f"{n}-{i}" for i in range(3)]) for n in range(20)]
    log = tmp_path / "workers.log"
    workers = [worker(database, asking_server, log) for _ in range(2)]
    decided: set[str] = set()
    kills, deadline = 3, time.monotonic() + 200
    try:
        while True:
            rows = await _rows(asking)
            for review_id in [
                row["id"] for row in rows if row["state"] == "open" and row["id"] not in decided
            ]:
                await decide(asking.desk.pool, str(review_id), EVERYBODY, answer(str(review_id)), undo_s=0)
                decided.add(review_id)
            finished = sum(row["state"] == "finished" for row in rows)
            if finished == 3 * len(threads):
                break
            if kills and finished > 12 * (4 - kills):
                kills -= 1
                victim = workers.pop(0)
                victim.kill()
                victim.wait()
                workers.append(worker(database, asking_server, log))
            assert time.monotonic() < deadline, (
                finished,
                log.read_text()[-3000:],
                [r for r in rows if r["state"] != "finished"][:5],
            )
            await asyncio.sleep(0.05)  # between two looks at the state that is waited for
    finally:
        for process in workers:
            process.kill()
            process.wait()
    assert kills == 0
    effects = [detail["question"] for _, detail in asking.done()]
    assert len(effects) == len(set(effects)) == 3 * len(threads)


async def _rows(asking: Asking) -> list[Any]:
    async with asking.desk.pool.connection() as conn:
        return await (
            await conn.execute("select id, state, note, error, tries from reviews.reviews")
        ).fetchall()
