"""The sign of life: it goes on while the event loop is blocked, and stops where the loop is silent for too long."""

import time
from collections.abc import Callable, Iterator

import pytest

from langgraph_runtime_community.config import config
from langgraph_runtime_community.heartbeat import Heartbeat
from langgraph_runtime_community.identity import WORKER_ID
from tests.langgraph_runtime_community.world import World

ALIVE = "SELECT alive_until > clock_timestamp() AS alive FROM server.workers WHERE worker_id = %s"


@pytest.fixture
def beating(runtime: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Heartbeat]]:
    """Starts one with a lease of half a second."""
    begun: list[Heartbeat] = []

    def begin(silence_s: str) -> Heartbeat:
        monkeypatch.setenv("COMMUNITY_RUNTIME_LEASE_S", "0.5")
        monkeypatch.setenv("COMMUNITY_RUNTIME_SILENCE_S", silence_s)
        config.cache_clear()
        begun.append(Heartbeat(runtime, lambda _: None))
        begun[0].start()
        return begun[0]

    yield begin
    for each in begun:
        each.stop()
    config.cache_clear()


async def test_a_blocked_loop_keeps_its_lease(runtime: str, beating: Callable[[str], Heartbeat]) -> None:
    """As by a node that computes, or sleeps without awaiting: this test's loop is blocked three times as long."""
    beating("60")
    until = time.monotonic() + 1.5
    while time.monotonic() < until:
        time.sleep(0.1)  # noqa: ASYNC251  blocks, which is the point
        [row] = World(runtime).ask(ALIVE, WORKER_ID)
        assert row["alive"]


async def test_a_loop_that_is_silent_for_too_long_loses_it(
    runtime: str, beating: Callable[[str], Heartbeat]
) -> None:
    heartbeat, world = beating("0.3"), World(runtime)
    await world.until(lambda: not world.ask(ALIVE, WORKER_ID)[0]["alive"], "the lease has run out", 10)
    heartbeat.loop_is_alive()
    await world.until(lambda: _again(heartbeat, world), "it comes back with the loop", 10)


def _again(heartbeat: Heartbeat, world: World) -> bool:
    heartbeat.loop_is_alive()
    return world.ask(ALIVE, WORKER_ID)[0]["alive"]
