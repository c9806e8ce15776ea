"""A loop that dies is started again: seen in `/healthz` and by operators, while all the others go on."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from stationmaster.reviews import supervising
from stationmaster.reviews.access import sessions, users
from stationmaster.reviews.database import Pool, open_pool
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.supervising import Health, keep
from tests.stationmaster.console.serving import anybody, served, settings_for


class Flaky:
    """A loop that fails until it is let run."""

    def __init__(self) -> None:
        self.starts = 0
        self.well = asyncio.Event()

    async def run(self, _: Desk, stop: asyncio.Event) -> None:
        self.starts += 1
        if not self.well.is_set():
            raise RuntimeError("a secret of the loop")
        await stop.wait()


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    async with open_pool(database, max_size=3) as pool:
        yield pool


async def health_of(http: httpx.AsyncClient, status: int) -> httpx.Response:
    """The first answer with that status."""
    async with asyncio.timeout(30):
        while True:
            response = await http.get("/healthz")
            if response.status_code == status:
                return response
            await asyncio.sleep(0.01)  # between two looks at the state that is waited for


async def test_a_loop_that_died_is_started_again_and_shown(
    pool: Pool,
    database: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    flaky = Flaky()
    monkeypatch.setattr("webhooks.worker.run", flaky.run)
    monkeypatch.setattr(supervising, "FIRST_PAUSE_S", 0.4)
    await users.add(pool, "lea", roles=["lead"], groups=("*",))
    session = await sessions.start(pool, "lea", hours=1, address="127.0.0.1", agent="test")
    settings = settings_for(database, tmp_path, api_url="http://127.0.0.1:9", policies=policies(tmp_path))
    async with (
        served(settings, workers=True) as url,
        anybody(url, cookies={"stationmaster_session": session}) as lea,
    ):
        down = (await health_of(lea, 503)).json()
        assert down == {"ok": False, "workers": {"webhooks": "failed, and starts again"}}
        page = (await lea.get("/operations")).text
        assert "Webhooks that came in: " in page and "RuntimeError" in page and "a secret" not in page
        flaky.well.set()
        assert (await health_of(lea, 200)).json() == {"ok": True}
        page = (await lea.get("/operations")).text
        assert "Webhooks that came in: running again." in page
        async with pool.connection() as conn:  # the sweep has gone on meanwhile
            row = await (await conn.execute("SELECT last_sweep_at FROM reviews.sweep")).fetchone()
        assert row is not None and row["last_sweep_at"] is not None
    assert flaky.starts >= 2
    assert "a secret of the loop" in caplog.text


def policies(directory: Path) -> Path:
    folder = directory / "policies"
    folder.mkdir()
    (folder / "all.yaml").write_text("default:\n  reviewers: staff\n")
    return folder


async def test_the_pause_doubles_and_a_stop_ends_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    stop, health = asyncio.Event(), Health()

    async def fail() -> None:
        raise ValueError

    async def no_wait(_: asyncio.Event, seconds: float) -> None:
        pauses.append(seconds)
        assert health.down == ("loop",)
        if len(pauses) == 9:
            stop.set()

    with monkeypatch.context() as patched:
        patched.setattr(supervising, "pause", no_wait)
        await keep("loop", fail, stop, health)
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert [(trouble.loop, trouble.failures) for trouble in health.troubles] == [("loop", 9)]

    stop.clear()
    keeping = asyncio.create_task(keep("loop", fail, stop, health))
    await asyncio.sleep(0)  # it has failed, and waits
    assert health.troubles[0].failures == 10
    stop.set()
    async with asyncio.timeout(30):
        await keeping


async def test_a_loop_that_returns_unasked_has_failed() -> None:
    stop, health = asyncio.Event(), Health()

    async def end() -> None:
        asyncio.get_running_loop().call_later(0.05, stop.set)

    await keep("loop", end, stop, health)
    assert [trouble.error for trouble in health.troubles] == ["EndedByItself"]
