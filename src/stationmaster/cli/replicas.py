"""The server processes of `serve`: one that ends by itself is started again, as long as others serve meanwhile."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from stationmaster.processes.child import Child

WELL_S = 60.0
"""One that lived so long began well: what ends it then is not what ended it before."""
IN_A_ROW = 5
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0


@dataclass
class Replicas:
    """`begin` starts a process by its number, from 1; `say` tells the operator. They share a socket, so that nobody
    who calls notices that one is missing."""

    begin: Callable[[int], Awaitable[Child]]
    say: Callable[[str], None]
    first_pause_s: float = FIRST_PAUSE_S
    _serving: dict[int, Child] = field(default_factory=dict)

    async def start(self, count: int) -> list[Child]:
        """All of them; who does not answer yet."""
        for number in range(1, count + 1):
            self._serving[number] = await self.begin(number)
        return list(self._serving.values())

    async def keep(self) -> None:
        """Raise ChildDied when none is left, or when one ends again and again."""
        keeping = [asyncio.ensure_future(self._keep(number)) for number in self._serving]
        try:
            done, _ = await asyncio.wait(keeping, return_when=asyncio.FIRST_COMPLETED)
            for end in done:
                end.result()
        finally:
            for each in keeping:
                each.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)

    async def stop(self) -> None:
        """All at once: each drains for itself."""
        await asyncio.gather(*(child.stop() for child in self._serving.values()))

    async def _keep(self, number: int) -> None:
        deaths = 0
        while True:
            child, began = self._serving[number], time.monotonic()
            await child.process.wait()
            deaths = 1 if time.monotonic() - began > WELL_S else deaths + 1
            failure = child.failure()
            del self._serving[number]
            await child.stop()  # of what it held here
            if not self._others_serve() or deaths >= IN_A_ROW:
                raise failure
            pause = min(LONGEST_PAUSE_S, self.first_pause_s * 2 ** (deaths - 1))
            self.say(
                f"server {number} ended by itself, exit code {child.process.returncode}; "
                f"it is started again in {pause:g} s, what it said last is in {child.log}.before"
            )
            await asyncio.sleep(pause)
            self._serving[number] = await self.begin(number)

    def _others_serve(self) -> bool:
        return any(child.process.returncode is None for child in self._serving.values())
