"""What operators do by the API, on a page and in a terminal: continue a thread, retry a failed webhook."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stationmaster.cli.reviews import app
from stationmaster.reviews.access import sessions, tokens, users
from stationmaster.reviews.database import Pool
from stationmaster.settings import Settings
from tests.stationmaster.console.serving import anybody, served, settings_for
from tests.stationmaster.reviews.engine import GROUP, Asking
from tests.stationmaster.reviews.test_continuing import failed
from webhooks import worker

FAILED = """INSERT INTO webhooks.deliveries (dedup_key, sender, body, state, thread_id, run_id, error, tries)
    VALUES (%s, 'bearer', '{}', %s, '00000000-0000-4000-8000-0000000000aa', 'run', 'ValueError: on fire', 8)
    RETURNING delivery_id"""


async def delivery(pool: Pool, state: str = "failed") -> int:
    async with pool.connection() as conn:
        row = await (await conn.execute(FAILED, (state, state))).fetchone()
    assert row is not None
    return row["delivery_id"]


async def state_of(pool: Pool, delivery_id: int) -> tuple[str, int]:
    async with pool.connection() as conn:
        row = await (
            await conn.execute(
                "SELECT state, tries FROM webhooks.deliveries WHERE delivery_id = %s", (delivery_id,)
            )
        ).fetchone()
    assert row is not None
    return row["state"], row["tries"]


@pytest.fixture
def settings(asking: Asking, database: str, tmp_path: Path) -> Settings:
    return settings_for(database, tmp_path, api_url=asking.desk.server.url)


@pytest.fixture
async def console(settings: Settings) -> AsyncIterator[str]:
    async with served(settings) as url:
        yield url


async def lead(pool: Pool, name: str, *groups: str) -> tuple[str, str]:
    """A lead's token and session."""
    await users.add(pool, name, roles=["lead"], groups=groups)
    token, _ = await tokens.create(pool, name, "test")
    return token, await sessions.start(pool, name, hours=1, address="127.0.0.1", agent="test")


async def test_a_thread_is_continued_by_the_api(asking: Asking, console: str) -> None:
    review = await failed(asking, "act")
    token, _ = await lead(asking.desk.pool, "lea", GROUP)
    path = f"/api/v1/operations/reviews/{review.id}/settle"
    async with anybody(console, headers={"Authorization": f"Bearer {token}"}) as lea:
        done = await lea.post(path, json={"action": "continue", "note": "mended"})
        assert (done.status_code, done.json()["state"]) == (200, "consumed")
        again = await lea.post(path, json={"action": "continue"})
        assert (again.status_code, again.json()["code"]) == (409, "nothing_to_settle")
    (after,) = await asking.settle()
    assert (after.state, asking.done()) == ("finished", [("failed", None), ("answered", "yes")])


async def test_a_thread_is_continued_on_the_page(asking: Asking, console: str) -> None:
    review = await failed(asking, "ask")
    assert review.needs_person
    _, session = await lead(asking.desk.pool, "lea", GROUP)
    async with anybody(
        console, cookies={"stationmaster_session": session}, headers={"Origin": console}
    ) as lea:
        for page in ("/operations", f"/reviews/{review.id}"):
            assert "Continue the thread" in (await lea.get(page)).text
        told = await lea.post(f"/reviews/{review.id}/settle", data={"action": "continue", "from": "review"})
        assert (told.status_code, told.headers["location"]) == (303, f"/reviews/{review.id}")
        (after,) = await asking.settle()
        assert after.state == "finished"
        page = (await lea.get(f"/reviews/{review.id}")).text
        assert "continued the thread" in page and "Continue the thread" not in page
        refused = await lea.post(f"/reviews/{review.id}/settle", data={"action": "continue"})
        assert refused.status_code == 409 and "failed after it took the answer" in refused.text


async def test_a_failed_webhook_is_tried_again(asking: Asking, console: str) -> None:
    """By the API and on the page: worked on with all its tries; what did not fail is not touched."""
    pool = asking.desk.pool
    first, unreadable = await delivery(pool), await delivery(pool, "unreadable")
    token, session = await lead(pool, "root", "*")
    async with anybody(console, headers={"Authorization": f"Bearer {token}"}) as root:
        path = "/api/v1/operations/deliveries/{}/retry"
        done = await root.post(path.format(first))
        assert (done.status_code, done.json()) == (200, {"delivery_id": first, "state": "new"})
        for wrong in (first, unreadable):
            told = await root.post(path.format(wrong))
            assert (told.status_code, told.json()["code"]) == (409, "not_failed")
        assert (await root.post(path.format(12345))).status_code == 404
    assert await state_of(pool, first) == ("new", 0)
    await worker.work_due(asking.desk)
    assert (await state_of(pool, first))[0] == "done"
    async with pool.connection() as conn:
        await conn.execute(
            "UPDATE webhooks.deliveries SET state = 'failed', error = 'again', done_at = NULL WHERE delivery_id = %s",
            (first,),
        )
    async with anybody(
        console, cookies={"stationmaster_session": session}, headers={"Origin": console}
    ) as root:
        page = (await root.get("/operations")).text
        assert f'action="/operations/deliveries/{first}/retry"' in page
        assert f"/operations/deliveries/{unreadable}/retry" not in page
        told = await root.post(f"/operations/deliveries/{first}/retry")
        assert (told.status_code, told.headers["location"]) == (303, "/operations#deliveries")
    assert await state_of(pool, first) == ("new", 0)


async def test_a_lead_of_some_groups_retries_no_webhook(asking: Asking, console: str) -> None:
    number = await delivery(asking.desk.pool)
    _, session = await lead(asking.desk.pool, "lea", GROUP)
    async with anybody(
        console, cookies={"stationmaster_session": session}, headers={"Origin": console}
    ) as lea:
        assert (await lea.post(f"/operations/deliveries/{number}/retry")).status_code == 403
    assert await state_of(asking.desk.pool, number) == ("failed", 8)


async def test_the_same_in_a_terminal(asking: Asking, console: str) -> None:
    review = await failed(asking, "act")
    number = await delivery(asking.desk.pool)
    token, _ = await lead(asking.desk.pool, "root", "*")

    async def reviews(*arguments: str) -> Any:
        """In a thread of its own: a command runs its own loop."""
        everything = [*arguments, "--console-url", console]
        env = {"STATIONMASTER_CONSOLE_TOKEN": token}
        return await asyncio.to_thread(CliRunner().invoke, app, everything, env=env)

    listed = json.loads((await reviews("deliveries", "--json")).stdout)
    assert [(row["delivery_id"], row["state"], row["error"]) for row in listed] == [
        (number, "failed", "ValueError: on fire")
    ]
    assert "on fire" in (await reviews("deliveries")).stdout
    assert (await reviews("deliveries", "--retry", str(number))).stdout == f"{number} is worked on again\n"
    again = await reviews("deliveries", "--retry", str(number))
    assert (again.exit_code, "only one that failed" in again.stderr) == (3, True)
    done = await reviews("settle", review.id[:8], "continue", "--note", "mended", "--json")
    assert (done.exit_code, json.loads(done.stdout)["state"]) == (0, "consumed")
    await asking.settle()
    refused = await reviews("settle", review.id, "continue")
    assert (refused.exit_code, refused.stderr.startswith("refused: the thread was not continued")) == (
        3,
        True,
    )
    assert (await reviews("stuck")).stdout.startswith("none")
    assert asking.done() == [("failed", None), ("answered", "yes")]
