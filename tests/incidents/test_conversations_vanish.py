"""35 conversations were in flight when a deploy came, twice a day: 70 customers a day had to begin again.

The graph was compiled with the memory saver, which lives as long as its process. It was never noticed in
development, where nobody deploys in the middle of a sentence. With a saver on Postgres a deploy loses nothing,
whoever was in the middle of a step included, and a step takes a few milliseconds longer.
"""

import time
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from tests.labs.figures import Figures
from tests.labs.hosts import Host, at_once
from tests.labs.places import HostOf
from tests.labs.test_crash_recovery import QUESTIONS, whole
from tests.labs.test_reducers import all_moved
from tests.labs.waiting import killed_in

DEPLOYS = 2
TABLE = Figures(
    "conversations vanish",
    ("kept in", "in flight a deploy", "lost in a day of two deploys", "whole"),
    ("memory", "Postgres", "langgraph dev, new containers", "the durable runtime"),
    zero={"lost in a day of two deploys": ("Postgres", "the durable runtime")},
)
PRICE = Figures(
    "what saving costs",
    ("saver", "ms a step", "ratio"),
    ("memory", "Postgres"),
    varies=frozenset({"ms a step", "ratio"}),
)
CASES = [("memory", 4), ("saver", 4), ("dev", 35), ("durable", 35)]


@dataclass
class Day:
    """Conversations on a host that is replaced while they are under way."""

    host: Host
    uri: str
    in_flight: int

    async def lost(self) -> int:
        """How many of them were not whole in the end, over two deploys."""
        await self.host.start()
        return sum([await self._one_deploy() for _ in range(DEPLOYS)])

    async def _one_deploy(self) -> int:
        """Each has had three turns and is in its fourth, in the middle of a step, when its process ends."""
        threads = await at_once(*(self.host.thread() for _ in range(self.in_flight)))
        for question in QUESTIONS[:-1]:
            await at_once(*(self._say(thread, question) for thread in threads))
        await killed_in(
            self.host, self.uri, threads, (self._say(thread, QUESTIONS[-1]) for thread in threads)
        )
        await self.host.start()
        found = await at_once(*(self.host.go_on(thread, "conversation") for thread in threads))
        return sum(thread.values.get("said") != whole(len(QUESTIONS)) for thread in found)

    async def _say(self, thread: str, question: str) -> Any:
        return await self.host.run(thread, "conversation", input={"key": thread, "asked": question})


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("kind", "in_flight"),
    [pytest.param(*case, marks=pytest.mark.slow if case[1] == 35 else ()) for case in CASES],
)
async def test_what_deploys_lose(kind: str, in_flight: int, lab_host: HostOf, lab_database: str) -> None:
    lost = await Day(lab_host(kind), lab_database, in_flight).lost()
    row = dict(zip((case[0] for case in CASES), TABLE.rows, strict=True))[kind]
    TABLE.keep(row, in_flight, lost, DEPLOYS * in_flight - lost)
    assert (lost == 0) is (kind in ("saver", "durable"))


async def ms_a_step(saver: BaseCheckpointSaver[Any]) -> float:
    """Of three that do nothing else, over a hundred runs on threads of their own."""
    kept = all_moved.copy({"checkpointer": saver})
    began = time.perf_counter()
    for _ in range(100):
        await kept.ainvoke({"found": []}, {"configurable": {"thread_id": str(uuid4())}})
    return (time.perf_counter() - began) / 300 * 1000


async def test_what_saving_costs(lab_saver: AsyncPostgresSaver) -> None:
    memory, postgres = await ms_a_step(InMemorySaver()), await ms_a_step(lab_saver)
    assert memory < postgres < 100, "some milliseconds, on a busy machine too"
    PRICE.keep("memory", round(memory, 1), 1)
    PRICE.keep("Postgres", round(postgres, 1), round(postgres / memory, 1))
