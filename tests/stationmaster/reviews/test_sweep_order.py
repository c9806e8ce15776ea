"""Where a sweep begins: with the threads whose row says that something is up, and it ends with all."""

from collections.abc import AsyncIterator
from datetime import timedelta

from stationmaster.reviews.agent_server import ThreadRow
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.sweep import sweep
from tests.stationmaster.reviews.engine import OneGroup
from tests.stationmaster.reviews.test_sweep import START, ManyThreads


class Rows(ManyThreads):
    """The oldest of two thousand threads reads `interrupted`, the one after it `error`; the others are idle."""

    async def threads(self) -> AsyncIterator[list[ThreadRow]]:
        async for page in super().threads():
            words = {"t0": "interrupted", "t1": "error"}
            yield [
                ThreadRow(row.thread_id, words.get(row.thread_id, "idle"), row.state_updated_at)
                for row in page
            ]


async def test_what_is_not_idle_is_read_first_and_all_is_read(desk: Desk) -> None:
    times = {f"t{number}": START + timedelta(seconds=number) for number in range(2000)}
    server = Rows(times, waiting={"t0", "t1", "t700"})
    many = Desk(desk.pool, server, OneGroup(), "test")  # pyright: ignore[reportArgumentType]
    swept = await sweep(many, None)
    assert server.looked_at[:4] == ["t1", "t0", "t1999", "t1998"]
    assert (swept.threads, swept.opened) == (2000, 3)
