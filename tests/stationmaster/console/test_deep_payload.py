"""A question nested a thousand levels and more is listed, shown, exported and answered like any other."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stationmaster.console.client import ConsoleTarget, open_client
from stationmaster.reviews.access import sessions, tokens, users
from stationmaster.reviews.database import Pool, open_pool
from stationmaster.reviews.model import Pending, as_shown
from stationmaster.reviews.opening import Asker, row_of
from stationmaster.reviews.plan import Open
from tests.stationmaster.console.serving import anybody, open_review, served, settings_for
from tests.stationmaster.reviews.engine import OneGroup
from tests.stationmaster.reviews.rows import insert
from tests.stationmaster.reviews.test_json_text import depth_of, nested

LEVELS = 1_500


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    async with open_pool(database, max_size=5) as pool:
        yield pool


async def test_it_is_opened_listed_shown_and_answered(pool: Pool, database: str, tmp_path: Path) -> None:
    payload = {"title": "How deep?", "proof": nested(LEVELS, dict)}
    question = Pending("thread", "interrupt", payload, node="ask", checkpoint_id="c1")

    row = row_of(Open(question), OneGroup(), Asker("run", "support", "a", "support", 1), datetime.now(UTC))
    assert (row["title"], row["payload"]) == ("How deep?", as_shown(payload))
    async with pool.connection() as conn:
        made = await insert(conn, payload=payload, shape="plain", title="How deep?", groups=["money"])
    other = await open_review(pool)
    await users.add(pool, "ann", roles=["lead"], groups=("money", "*"))
    token, _ = await tokens.create(pool, "ann", "test")
    session = await sessions.start(pool, "ann", hours=1, address="127.0.0.1", agent="test")
    async with served(settings_for(database, tmp_path)) as url:
        async with anybody(url, cookies={"stationmaster_session": session}) as browser:
            listed = (await browser.get("/")).text
            assert "How deep?" in listed and other in listed
            for path in ("", "/payload.json"):
                assert (await browser.get(f"/reviews/{made.id}{path}")).status_code == 200
        async with open_client(ConsoleTarget(url, token)) as console:
            (found,) = [review for review in await console.reviews("needs_you") if review["id"] == made.id]
            assert depth_of(found["payload"]["proof"]) == LEVELS
            assert (await console.get(f"/reviews/{made.id}"))["form"]
            done = await console.decide(made.id, "answer", answer="deep enough")
            assert (done["state"], done["answer"]) == ("decided", "deep enough")
            assert depth_of(done["payload"]["proof"]) == LEVELS
