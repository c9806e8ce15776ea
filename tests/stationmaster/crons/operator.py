"""A test's hand on the served crons: make one, wait for what it does, answer what it asks."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from stationmaster.crons import history
from stationmaster.crons.model import Tick
from stationmaster.crons.server import CronServer
from stationmaster.crons.settling import Connections, settle_all
from stationmaster.reconcile.resources import Cron, ServedCron, Signature

BY = Signature("ann", "tests")
EVERY_SECOND = "* * * * * *"
NEVER_SOON = "0 0 1 1 *"
WAIT_S = 60
SCHEDULER_S = 1.5
"""The served scheduler looks every second."""


@dataclass
class Operator:
    """`prefix` begins the names that the test gives."""

    server: CronServer
    connections: Connections
    prefix: str

    def key(self, name: str) -> str:
        return f"{self.prefix}-{name}"

    async def cron(
        self, name: str, graph: str = "failing", schedule: str = EVERY_SECOND, **fields: Any
    ) -> ServedCron:
        """A cron of the test's own, with the graph's usual input."""
        key = self.key(name)
        given = (
            {"key": key, "question": "ok?"}
            if graph == "plain"
            else {"key": key, "fail": False, "seconds": 30}
        )
        asked = {"input": {**given, **fields.pop("input", {})}, **fields}
        return await self.server.gateway.create_cron(Cron(key, graph, schedule, **asked), BY)

    async def ticks(self, name: str) -> list[Tick]:
        """Its history as it is now, oldest first."""
        async with self.connections() as conn:
            ticks = await history.open_ticks(conn, self.key(name))
        await settle_all(self.server, self.connections, ticks)
        async with self.connections() as conn:
            return (await history.page(conn, self.key(name), limit=500))[::-1]

    async def until(self, name: str, true: Callable[[Sequence[Tick]], Any]) -> list[Tick]:
        """Its history once it is so."""
        async with asyncio.timeout(WAIT_S):
            while not true(ticks := await self.ticks(name)):  # noqa: ASYNC110
                await asyncio.sleep(0.2)  # between two looks at the state that is waited for
        return ticks

    async def question(self, thread_id: str) -> str:
        """The id of what the thread asks; "" if it asks nothing."""
        state: Any = await self.server.client.threads.get_state(thread_id)
        return state["interrupts"][0]["id"] if state["interrupts"] else ""

    async def answer(self, thread_id: str, graph: str = "plain") -> None:
        """Answer what it asks, by id, and wait for the run's end."""
        command: Any = {"resume": {await self.question(thread_id): "yes"}}
        assistant = next(
            found for found in await self.server.gateway.assistants() if found.owned and found.name == graph
        )
        await self.server.client.runs.wait(thread_id, assistant.assistant_id, command=command)


def outcomes(ticks: Sequence[Tick]) -> list[str]:
    return [tick.outcome for tick in ticks]


def came(ticks: Sequence[Tick]) -> list[Tick]:
    """Without slots for which the server was too late: a cron of every second has them wherever the machine is busy.
    When a slot is missed is tested on clocks of our own.
    """
    return [tick for tick in ticks if tick.outcome != "missed"]


async def past(moment: str | None) -> None:
    """Until that moment is over, and the scheduler had the time to come for it."""
    assert moment is not None
    left = datetime.fromisoformat(moment) - datetime.now(UTC)
    await asyncio.sleep(max(0.0, left.total_seconds()) + SCHEDULER_S)
