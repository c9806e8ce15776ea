"""News over server-sent events: across processes, in order, without a gap, and of what is in scope only."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from stationmaster.console.api import events
from stationmaster.reviews.access import tokens, users
from stationmaster.reviews.database import Pool
from tests.stationmaster.console.serving import open_review, somebody


class Heard:
    """A stream's events, as a browser would have them."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines
        self.last_id = ""

    async def next(self, within_s: float = 10) -> tuple[str, dict[str, Any]]:
        """The next event's kind and data; comments and retry times are passed over."""
        kind, data = "message", None
        async with asyncio.timeout(within_s):
            async for line in self._lines:
                name, _, value = line.partition(": ")
                if name == "id":
                    self.last_id = value
                elif name == "event":
                    kind = value
                elif name == "data":
                    data = value
                elif not line and data is not None:
                    return kind, json.loads(data)
        raise EOFError

    async def actions(self, count: int) -> list[str]:
        return [(await self.next())[1]["action"] for _ in range(count)]


@asynccontextmanager
async def listening(http: httpx.AsyncClient, **headers: str) -> AsyncIterator[Heard]:
    async with http.stream("GET", "/api/v1/events", headers=headers) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = response.aiter_lines()
        first = await anext(lines)
        assert first == "retry: 2000"
        yield Heard(lines)


async def act(http: httpx.AsyncClient, review: str, *verbs: str) -> None:
    for verb in verbs:
        body = {"body": "a remark"} if verb == "comments" else None
        assert (await http.post(f"/api/v1/reviews/{review}/{verb}", json=body)).is_success


async def test_what_happens_in_one_process_is_heard_in_the_other(
    pool: Pool, two_consoles: tuple[str, str]
) -> None:
    review = await open_review(pool)
    async with (
        await somebody(pool, two_consoles[0], "ann") as ann,
        await somebody(pool, two_consoles[1], "zoe") as zoe,
        listening(zoe) as heard,
    ):
        began = time.monotonic()
        await act(ann, review, "claim")
        kind, data = await heard.next()
        waited = time.monotonic() - began
        assert (kind, data["review_id"], data["action"], data["state"]) == (
            "review",
            review,
            "claimed",
            "open",
        )
        assert waited < 1.5, "told by NOTIFY, not by the clock"


@pytest.mark.slow
async def test_a_stream_goes_on_without_a_gap_in_another_process(
    pool: Pool, two_consoles: tuple[str, str]
) -> None:
    review = await open_review(pool)
    async with (
        await somebody(pool, two_consoles[0], "ann") as ann,
        await somebody(pool, two_consoles[1], "zoe") as zoe,
    ):
        async with listening(ann) as heard:
            await act(ann, review, "claim", "release")
            assert await heard.actions(2) == ["claimed", "released"]
        await act(ann, review, "comments", "claim", "release")
        async with listening(zoe, **{"Last-Event-ID": heard.last_id}) as again:
            assert await again.actions(3) == ["commented", "claimed", "released"]


async def test_without_word_from_postgres_the_clock_suffices(pool: Pool, console: str) -> None:
    async with pool.connection() as conn:
        await conn.execute("DROP TRIGGER audit_told ON reviews.audit")
    review = await open_review(pool)
    async with await somebody(pool, console, "ann") as ann, listening(ann) as heard:
        await act(ann, review, "claim")
        assert await heard.actions(1) == ["claimed"]


async def test_a_cut_listener_listens_again(pool: Pool, console: str) -> None:
    review = await open_review(pool)
    async with await somebody(pool, console, "ann") as ann, listening(ann) as heard:
        async with pool.connection() as conn:
            cut = await conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND query = 'LISTEN reviews_changed'"
            )
            assert cut.rowcount == 1
        await act(ann, review, "claim", "release")
        assert await heard.actions(2) == ["claimed", "released"]


async def test_only_what_is_in_scope_is_heard_and_looking_is_no_news(pool: Pool, console: str) -> None:
    mine, theirs = await open_review(pool, groups=("b",)), await open_review(pool, groups=("a",))
    async with (
        await somebody(pool, console, "ann", groups=("a",)) as ann,
        await somebody(pool, console, "ben", groups=("b",)) as ben,
        listening(ben) as heard,
    ):
        await act(ann, theirs, "claim", "release")
        assert (await ben.get(f"/api/v1/reviews/{mine}")).status_code == 200
        await act(ben, mine, "claim")
        assert (await heard.next())[1]["review_id"] == mine


async def test_who_was_away_for_long_is_told_to_load_again(
    pool: Pool, console: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MOST_BEHIND", 3)
    review = await open_review(pool)
    async with await somebody(pool, console, "ann") as ann:
        await act(ann, review, "claim", "release", "claim", "release")
        for last in ("0", "999999999", "9" * 30):
            async with listening(ann, **{"Last-Event-ID": last}) as heard:
                assert (await heard.next())[0] == "reload"
                assert heard.last_id == "4"
        async with listening(ann, **{"Last-Event-ID": "not ours"}) as heard:
            await act(ann, review, "claim")
            assert await heard.actions(1) == ["claimed"]


async def test_more_than_a_batch_comes_whole_and_in_order(
    pool: Pool, console: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "BATCH", 2)
    review = await open_review(pool)
    async with await somebody(pool, console, "ann") as ann:
        await act(ann, review, *("claim", "release") * 4)
        async with listening(ann, **{"Last-Event-ID": "1"}) as heard:
            assert await heard.actions(7) == ["released", *("claimed", "released") * 3]


async def test_a_stream_ends_with_the_credential(pool: Pool, console: str) -> None:
    await users.add(pool, "ann", groups=["money"])
    token, _ = await tokens.create(pool, "ann", "page")
    async with (
        httpx.AsyncClient(
            base_url=console, headers={"Authorization": f"Bearer {token}"}, trust_env=False
        ) as http,
        listening(http) as heard,
    ):
        await tokens.revoke(pool, "ann", "page")
        assert (await heard.next())[0] == "signed_out"
        with pytest.raises(EOFError):
            await heard.next()
