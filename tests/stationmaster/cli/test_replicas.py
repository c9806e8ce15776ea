"""One server process of several that dies is started again; the last one, or one that dies in a row, ends all."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from stationmaster.cli.replicas import IN_A_ROW, Replicas
from stationmaster.processes.child import Child, ChildDied, Kind
from stationmaster.processes.sockets import listen
from stationmaster.server import process
from tests.fakes.agent_server import ROOT, clean_environment, free_port
from tests.fakes.bare_child import EXIT

BARE = Kind(name="server", module="tests.fakes.bare_child", health="/", stop_grace_s=5)


class Served:
    """Replicas of bare children in `directory`, each started one in `begun`, in order."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.begun, self.said = directory, list[Child](), list[str]()
        self.more = asyncio.Event()

    @asynccontextmanager
    async def running(self, count: int) -> AsyncIterator["asyncio.Task[None]"]:
        with listen("127.0.0.1", free_port()) as sock, (self.directory / "lock").open("w") as lock:

            async def begin(number: int) -> Child:
                child = await Child.start(
                    BARE, sock, lock.fileno(), url="http://127.0.0.1:1", directory=self.directory / str(number),
                    log=self.directory / f"{number}.log", environment=clean_environment({"PYTHONPATH": str(ROOT)}),
                    log_level="info",
                )  # fmt: skip
                self.begun.append(child)
                self.more.set()
                return child

            replicas = Replicas(begin, self.said.append, first_pause_s=0.05)
            await replicas.start(count)
            keeping = asyncio.create_task(replicas.keep())
            try:
                yield keeping
            finally:
                keeping.cancel()
                await asyncio.wait([keeping])
                await replicas.stop()

    def kill(self, at: int) -> None:
        os.kill(self.begun[at].process.pid, signal.SIGKILL)

    async def until_begun(self, count: int) -> None:
        async with asyncio.timeout(20):
            while len(self.begun) < count:
                self.more.clear()
                await self.more.wait()


async def test_one_that_is_killed_is_started_again_and_the_others_stay(tmp_path: Path) -> None:
    served = Served(tmp_path)
    async with served.running(2) as keeping:
        served.kill(0)
        await served.until_begun(3)
        assert not keeping.done()
        assert served.begun[1].process.returncode is None and served.begun[2].process.returncode is None
        assert "server 1 ended by itself, exit code -9" in served.said[0]
    assert [child.process.returncode is None for child in served.begun] == [False] * 3


async def test_the_last_one_ends_all(tmp_path: Path) -> None:
    served = Served(tmp_path)
    async with served.running(1) as keeping:
        served.kill(0)
        with pytest.raises(ChildDied, match="exit code -9"):
            await asyncio.wait_for(keeping, 20)
    assert len(served.begun) == 1


async def test_one_that_dies_in_a_row_ends_all(tmp_path: Path) -> None:
    served = Served(tmp_path)
    async with served.running(2) as keeping:
        (tmp_path / "1" / EXIT).write_text("7")
        served.kill(0)
        with pytest.raises(ChildDied, match="exit code 7"):
            await asyncio.wait_for(keeping, 60)
    assert len(served.begun) == 2 + IN_A_ROW - 1


@pytest.mark.parametrize(("drain", "grace"), [(None, 20), ("8", 20), ("60", 70), ("soon", 20)])
def test_a_server_gets_as_long_as_its_runs_do(drain: str | None, grace: float) -> None:
    environment = {} if drain is None else {process.DRAIN: drain}
    assert process.kind(environment).stop_grace_s == grace
