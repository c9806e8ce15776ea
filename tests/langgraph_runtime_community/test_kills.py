"""What holds when processes die, stop, or hang: counted in the ledger, read in the database."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import clone
from tests.fakes.community_server import CommunityServer
from tests.fakes.graphs import ledger
from tests.langgraph_runtime_community.conftest import HOOK_SECRET
from tests.langgraph_runtime_community.test_hooks import Receiver
from tests.langgraph_runtime_community.world import World, ignoring_cuts, key

LONGER_THAN_A_DRAIN_S = 4.0


@pytest.fixture(scope="module")
def world(server: str) -> Iterator[World]:
    """A database that no other server works on."""
    for uri in clone(server, "template0", "kills"):
        ledger.create(uri)
        yield World(uri)


@pytest.fixture
async def start(world: World, tmp_path: Path) -> AsyncIterator[Any]:
    """Starts servers on the database; whatever is left of them is killed at the end."""
    async with AsyncExitStack() as stack:

        async def begin(name: str, jobs: int = 10, **env: str) -> CommunityServer:
            served = CommunityServer(
                tmp_path / name, database=world.uri, jobs=jobs, env={"LEDGER_URI": world.uri, **env}
            )
            stack.push_async_callback(asyncio.to_thread, served.kill_blocking)
            await served.start()
            return served

        yield begin


async def test_a_run_killed_in_step_seven_reruns_step_seven_only(world: World, start: Any) -> None:
    served, name = await start("one"), key()
    async with served.sdk() as api:
        thread = (await api.threads.create())["thread_id"]
        body = {"key": name, "slow": 7, "seconds": 2.0}
        run = (await api.runs.create(thread, "steps", input=body))["run_id"]
        await world.until(lambda: "step 7" in world.effects(name), "step 7 begins")
        await world.until(lambda: world.saved_step(thread) == 6, "step 6 is saved")
        await served.sigkill()
    await served.start()
    assert await world.ended(run) == "success"
    effects = world.effects(name)
    assert effects == [f"step {at}" for at in (1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10)]
    row = world.run(run)
    assert row["attempt"] == 2
    async with served.sdk() as api:
        values: Any = (await api.threads.get_state(thread))["values"]
        assert values["done"] == list(range(1, 11))
        assert (await api.threads.get(thread))["status"] == "idle"


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
async def test_an_answer_is_not_given_to_the_next_question_after_a_stop(
    world: World, start: Any, end: signal.Signals
) -> None:
    """A bare answer answers whatever is asked: given again by the next attempt it would go to a question unseen."""
    served, name = await start("answered"), key()
    async with served.sdk() as api:
        thread = (await api.threads.create())["thread_id"]
        await api.runs.wait(thread, "late", input={"key": name, "seconds": LONGER_THAN_A_DRAIN_S, "done": []})
        run = (await api.runs.create(thread, "late", command={"resume": "yes"}))["run_id"]
        await world.until(lambda: "working" in world.effects(name), "work begins")
        await world.until(lambda: world.saved_step(thread) == 1, "the answer is saved")
        await asyncio.to_thread(served.stop_blocking, end)
    await served.start()
    assert await world.ended(run) == "success"
    async with served.sdk() as api:
        state: Any = await api.threads.get_state(thread)
    assert state["values"]["first"] == "yes" and "second" not in state["values"]
    assert [each["value"] for each in state["interrupts"]] == ["second?"]
    assert world.effects(name) == ["working", "working"]


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
async def test_every_accepted_run_ends_and_repeats_nothing_that_was_saved(
    world: World, start: Any, end: signal.Signals
) -> None:
    served = await start("many")
    names = [key() for _ in range(20)]
    runs, threads = [], []
    async with served.sdk() as api:
        for name in names:
            thread = (await api.threads.create())["thread_id"]
            body = {
                "key": name,
                "slow": 5,
                "seconds": 1.0 if end == signal.SIGKILL else LONGER_THAN_A_DRAIN_S,
            }
            runs.append((await api.runs.create(thread, "steps", input=body))["run_id"])
            threads.append(thread)
        await world.until(lambda: "step 5" in world.effects(names[3]), "some are in step 5")
        await asyncio.to_thread(served.stop_blocking, end)
    saved = [world.saved_step(thread) for thread in threads]
    assert any(step >= 4 for step in saved) and any(step < 4 for step in saved)
    await served.start()
    for run in runs:
        assert await world.ended(run) == "success"
    for name, step in zip(names, saved, strict=True):
        effects = world.effects(name)
        assert set(effects) == {f"step {at}" for at in range(1, 11)}
        repeated = {effect for effect in effects if effects.count(effect) > 1}
        assert not repeated & {f"step {at}" for at in range(1, step + 1)}, (step, effects)
    assert not world.ask("SELECT 1 FROM server.threads WHERE status = 'busy'")


@pytest.mark.slow
async def test_a_worker_stopped_past_its_lease_writes_nothing_more(world: World, start: Any) -> None:
    """One result, and one webhook."""
    receiver, signed = Receiver(), {"LG_WEBHOOK_SECRET": HOOK_SECRET}
    async with receiver.listening():
        await stopped_past_its_lease(world, start, receiver, signed)
        assert len(receiver.got) == 1


async def stopped_past_its_lease(
    world: World, start: Any, receiver: Receiver, signed: dict[str, str]
) -> None:
    first, name = await start("first", **signed), key()
    async with first.sdk() as api:
        thread = (await api.threads.create())["thread_id"]
        body = {"key": name, "slow": 7, "seconds": 3.0}
        run = (await api.runs.create(thread, "steps", input=body, webhook=receiver.url))["run_id"]
        await world.until(lambda: "step 7" in world.effects(name), "step 7 begins")
        await world.until(lambda: world.saved_step(thread) == 6, "step 6 is saved")
    os.kill(first.pid, signal.SIGSTOP)
    second = await start("second", **signed)
    assert await world.ended(run) == "success"
    await receiver.of(run)
    before = world.checkpoints(thread), world.run(run), world.effects(name)
    os.kill(first.pid, signal.SIGCONT)
    # By its own clock, or by its next beat, whichever is sooner.
    noticed = ("has run out", "is another worker's by now")
    await world.until(lambda: any(words in first.log for words in noticed), "the first has noticed")
    async with first.sdk() as api:  # it serves again
        assert (await api.runs.get(thread, run))["status"] == "success"
    assert (world.checkpoints(thread), world.run(run), world.effects(name)) == before
    assert before[2].count("step 7") == 2 and before[2].count("step 8") == 1
    assert second.process and second.process.poll() is None


@pytest.mark.slow
async def test_sigterm_hands_back_without_counting_an_attempt(world: World, start: Any) -> None:
    served, name = await start("drained"), key()
    async with served.sdk() as api:
        thread = (await api.threads.create())["thread_id"]
        body = {"key": name, "slow": 7, "seconds": LONGER_THAN_A_DRAIN_S}
        run = (await api.runs.create(thread, "steps", input=body))["run_id"]
        await world.until(lambda: "step 7" in world.effects(name), "step 7 begins")
        await world.until(lambda: world.saved_step(thread) == 6, "step 6 is saved")
        await served.sigterm()
    row = world.run(run)
    assert (row["status"], row["attempt"]) == ("pending", 0)
    assert not world.ask("SELECT 1 FROM server.workers WHERE alive_until > now() + interval '1 minute'")
    await served.start()
    assert await world.ended(run) == "success"
    assert world.effects(name) == [f"step {at}" for at in (1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10)]


@pytest.mark.slow
async def test_sigterm_lets_a_short_run_finish(world: World, start: Any) -> None:
    served, name = await start("short"), key()
    async with served.sdk() as api:
        thread = (await api.threads.create())["thread_id"]
        body = {"key": name, "slow": 7, "seconds": 0.7}
        run = (await api.runs.create(thread, "steps", input=body))["run_id"]
        await world.until(lambda: "step 7" in world.effects(name), "step 7 begins")
        await served.sigterm()
    assert world.run(run)["status"] == "success"
    assert world.effects(name).count("step 7") == 1


@pytest.mark.slow
async def test_cancel_of_a_run_whose_worker_is_dead(world: World, start: Any) -> None:
    api_only, worker, name = await start("api", jobs=0), await start("worker"), key()
    async with api_only.sdk() as api:
        thread = (await api.threads.create())["thread_id"]
        run = (await api.runs.create(thread, "steps", input={"key": name, "slow": 3, "seconds": 60.0}))[
            "run_id"
        ]
        await world.until(lambda: "step 3" in world.effects(name), "step 3 begins")
        await worker.sigkill()
        await api.runs.cancel(thread, run, wait=True)
        assert await world.ended(run) == "interrupted"
        row: Any = await api.threads.get(thread)
        assert row["status"] == "interrupted" and row["values"]["done"] == [1, 2]
    assert world.effects(name).count("step 3") == 1


@pytest.mark.slow
async def test_a_stop_is_no_client_that_went_away(world: World, start: Any) -> None:
    """Uvicorn cuts what streams still; a run that ends with its client is handed back all the same."""
    served, name = await start("cut"), key()
    async with served.sdk() as api:
        thread = (await api.threads.create())["thread_id"]
        body = {"key": name, "slow": 7, "seconds": LONGER_THAN_A_DRAIN_S}

        async def listen() -> None:
            async for _ in api.runs.stream(thread, "steps", input=body, on_disconnect="cancel"):
                pass

        listening = asyncio.create_task(ignoring_cuts(listen()))
        await world.until(lambda: "step 7" in world.effects(name), "step 7 begins")
        await served.sigterm()
        await listening
    [row] = world.ask(
        "SELECT r.run_id, r.status, r.attempt, r.cancel, t.status AS thread FROM server.runs r"
        " JOIN server.threads t USING (thread_id) WHERE thread_id = %s",
        thread,
    )
    assert (row["status"], row["attempt"], row["cancel"], row["thread"]) == ("pending", 0, None, "busy")
    await served.start()
    assert await world.ended(str(row["run_id"])) == "success"
