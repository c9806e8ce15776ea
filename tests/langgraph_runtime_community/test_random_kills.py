"""`kill -9` at random moments under load, one replica of three at a time: nothing accepted is lost, nothing saved is
done again, webhooks arrive, streams go on.

KILLS (6) says how many; `KILLS=100 make test-slow` takes a quarter of an hour. SEED (new each time, and told) repeats
the moments of a run, as far as the machine lets it.
"""

import asyncio
import logging
import os
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk.errors import LangGraphError

from tests.conftest import clone
from tests.fakes.community_server import CommunityServer
from tests.fakes.graphs import ledger
from tests.langgraph_runtime_community.conftest import HOOK_SECRET
from tests.langgraph_runtime_community.test_hooks import AFTER_A_KILL_S, Receiver
from tests.langgraph_runtime_community.world import World, key

log = logging.getLogger(__name__)
KILLS = int(os.environ.get("KILLS", "6"))
SEED = int(os.environ.get("SEED", random.randrange(10**9)))
CLIENTS = 6
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240 + 20 * KILLS)]
TWICE = """SELECT thread_id, metadata ->> 'step' AS step, count(*) AS times FROM checkpoints
WHERE checkpoint_ns = '' GROUP BY 1, 2 HAVING count(*) > 1"""


@dataclass
class Fleet:
    """Three servers, of which one may be down."""

    servers: list[CommunityServer]
    chance: random.Random
    down: CommunityServer | None = None

    def one(self) -> CommunityServer:
        """Any of those that are up."""
        return self.chance.choice([each for each in self.servers if each is not self.down])

    async def kill_one(self) -> None:
        """One of them ends in the middle of what it does, and comes back."""
        self.down = self.one()
        await self.down.sigkill()
        await self.down.start()
        self.down = None


@dataclass
class Accepted:
    """A run that some server said yes to."""

    run: str
    thread: str
    name: str
    events: list[tuple[str, str, Any]] = field(default_factory=list)


@pytest.fixture
def world(server: str) -> Iterator[World]:
    for uri in clone(server, "template0", "random_kills"):
        ledger.create(uri)
        yield World(uri)


@pytest.fixture
async def fleet(world: World, tmp_path: Path) -> AsyncIterator[Fleet]:
    env = {"LEDGER_URI": world.uri, "LG_WEBHOOK_SECRET": HOOK_SECRET, "BG_JOB_MAX_RETRIES": "50"}
    async with AsyncExitStack() as stack:
        servers = [
            CommunityServer(tmp_path / name, database=world.uri, jobs=4, env=env) for name in ("a", "b", "c")
        ]
        for each in servers:
            stack.push_async_callback(asyncio.to_thread, each.kill_blocking)
        await asyncio.gather(*(each.start() for each in servers))
        yield Fleet(servers, random.Random(SEED))


async def insist(fleet: Fleet, method: str, path: str, **given: Any) -> Any:
    """The answer of whichever server gives one: a client with a key may ask again, and is given the same run."""
    while True:
        try:
            async with httpx.AsyncClient(base_url=fleet.one().url, trust_env=False, timeout=30) as http:
                answer = await http.request(method, path, **given)
        except httpx.TransportError:
            await asyncio.sleep(0.1)
            continue
        if answer.status_code < 500:
            assert answer.status_code == 200, answer.text
            return answer.json()
        await asyncio.sleep(0.1)


async def begin(fleet: Fleet, hook: str) -> Accepted:
    """A run of ten steps, one of them slow, on a thread of its own."""
    name, thread = key(), key()
    await insist(fleet, "POST", "/threads", json={"thread_id": thread, "if_exists": "do_nothing"})
    slow, seconds = fleet.chance.randint(1, 10), fleet.chance.uniform(0, 1.5)
    body = {
        "assistant_id": "steps", "input": {"key": name, "slow": slow, "seconds": seconds}, "webhook": hook,
        "stream_mode": ["updates"], "stream_resumable": True,
    }  # fmt: skip
    path = f"/threads/{thread}/runs"
    run = await insist(fleet, "POST", path, json=body, headers={"Idempotency-Key": name})
    return Accepted(run["run_id"], thread, name)


async def follow(fleet: Fleet, run: Accepted) -> None:
    """Its stream to the end, over as many connections as it takes."""
    while True:
        try:
            async with fleet.one().sdk() as api:
                last = run.events[-1][0] if run.events else "-"
                async for part in api.runs.join_stream(run.thread, run.run, last_event_id=last):
                    if part.id:
                        run.events.append((part.id, part.event, part.data))
                if (await api.runs.get(run.thread, run.run))["status"] in {"success", "error"}:
                    return
        except (httpx.TransportError, LangGraphError):
            await asyncio.sleep(0.1)


async def client(fleet: Fleet, hook: str, done: asyncio.Event, accepted: list[Accepted]) -> None:
    """One run after the other, until it is told to stop."""
    while not done.is_set():
        run = await begin(fleet, hook)
        accepted.append(run)
        await follow(fleet, run)


async def test_nothing_is_lost_and_nothing_saved_is_done_again(world: World, fleet: Fleet) -> None:
    receiver, accepted, done = Receiver(), list[Accepted](), asyncio.Event()
    async with receiver.listening(), asyncio.timeout(230 + 20 * KILLS):
        clients = [asyncio.create_task(client(fleet, receiver.url, done, accepted)) for _ in range(CLIENTS)]
        for _ in range(KILLS):
            await asyncio.sleep(fleet.chance.uniform(0, 2))  # at a random moment
            await fleet.kill_one()
        done.set()
        await asyncio.gather(*clients)
        log.warning("SEED=%s: %s kills, %s runs", SEED, KILLS, len(accepted))
        assert len(accepted) > 2 * KILLS
        for run in accepted:
            assert await world.ended(run.run) == "success"
            await receiver.of(run.run, patience_s=AFTER_A_KILL_S)
    attempts = {
        str(row["run_id"]): row["attempt"] for row in world.ask("SELECT run_id, attempt FROM server.runs")
    }
    assert set(attempts) == {run.run for run in accepted}, "one run for each that was asked for"
    assert any(count > 1 for count in attempts.values()), "no kill hit anything"
    assert world.ask(TWICE) == []
    assert not world.ask("SELECT 1 FROM server.threads WHERE status = 'busy'")
    steps = {f"step {at}" for at in range(1, 11)}
    for run in accepted:
        effects = world.effects(run.name)
        assert set(effects) == steps
        # A worker may be one step ahead of what is saved: of each attempt two may have been done in vain.
        assert len(effects) - len(steps) <= 2 * (attempts[run.run] - 1), (run, effects)
        check_stream(run, attempts[run.run])


def check_stream(run: Accepted, attempts: int) -> None:
    """No event twice; a step that was done again is told again. What a killed process had not written yet of steps that
    it had saved is told by nobody: there, and nowhere else, the next attempt says that there is a gap."""
    ids = [tuple(map(int, event_id.split("-"))) for event_id, _, _ in run.events]
    assert ids == sorted(set(ids)), run
    told = [next(iter(data)) if event == "updates" else event for _, event, data in run.events]
    told = [*(name for name in told if name == "gap" or name.startswith("step_")), "step_11"]
    highest, gap = 0, False
    for name in told:
        if name == "gap":
            gap = True
            continue
        number = int(name.removeprefix("step_"))
        assert number <= highest + 1 or gap, (run.run, told)
        highest, gap = max(highest, number), False
    assert told.count("gap") <= attempts - 1, (run.run, told)
    assert len(told) - 1 - told.count("gap") - 10 <= 2 * (attempts - 1), told
