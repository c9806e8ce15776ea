"""A place in a node at which a process can be killed, and the killing."""

import asyncio
import os
from collections.abc import Awaitable, Iterable

from tests.fakes.graphs import ledger
from tests.labs.hosts import Host
from tests.reviews_hold.world import eventually

HOLDS = "holds"
FOR_EVER_S = 600


async def hold(key: str) -> None:
    """Inside a node: stay here until the process is killed. The second time, in the next process, go on at once."""
    if not await ledger.count(os.environ[ledger.VARIABLE], key, HOLDS):
        await ledger.write(key, HOLDS)
        await asyncio.sleep(FOR_EVER_S)


async def killed_in(host: Host, uri: str, keys: Iterable[str], runs: Iterable[Awaitable[object]]) -> None:
    """Begin the runs, and `kill -9` the host once all `keys` hold. Whoever waits for a run hears of its end."""
    tasks = [asyncio.ensure_future(run) for run in runs]
    try:
        for key in keys:
            await eventually(lambda key=key: (HOLDS, None) in ledger.read(uri, key), f"held at {key}")
        await host.kill()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
