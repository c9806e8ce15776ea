"""What tests of the examples share: orders, and processes that are spoken to like a person would."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.fakes.agent_server import ROOT, clean_environment
from tests.fakes.shop import place_order

PATIENCE_S = 30.0


@pytest.fixture(scope="session")
def order_of(served_shop: str) -> Callable[..., str]:
    """`order_of(paid_usd)` places a new order in the shop behind `support`; its number."""
    return partial(place_order, served_shop)


@dataclass
class Spoken:
    """A process at whose keyboard the test sits. `shown` is all that it has printed."""

    process: asyncio.subprocess.Process
    shown: str = ""
    _read_to: int = 0

    async def until(self, text: str) -> str:
        """Read on until the text shows; what was printed since the last call, up to it."""
        assert self.process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            while (at := self.shown.find(text, self._read_to)) < 0:
                more = await self.process.stdout.read(4096)
                assert more, f"{text!r} never showed:\n{self.shown}"
                self.shown += more.decode()
        seen = self.shown[self._read_to : at + len(text)]
        self._read_to = at + len(text)
        return seen

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())

    async def end(self) -> int:
        """The end of input; the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        async with asyncio.timeout(PATIENCE_S):
            return await self.process.wait()


Run = Callable[..., Awaitable[Spoken]]


@pytest.fixture
async def run() -> AsyncIterator[Run]:
    """`await run("chat.py", *arguments)` starts an example; it is gone after the test."""
    started: list[asyncio.subprocess.Process] = []

    async def one(name: str, *arguments: str | Path) -> Spoken:
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(ROOT / "examples" / name), *map(str, arguments),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            env=clean_environment(),
        )  # fmt: skip
        started.append(process)
        return Spoken(process)

    yield one
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.communicate()
