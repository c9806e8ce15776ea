"""The list over HTTP: filters, pages that stand still while reviews come and go, inputs that mean harm."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from stationmaster.console.api.bodies import ReviewDetail, ReviewPage
from stationmaster.reviews.database import Pool
from tests.stationmaster.console.serving import open_review, somebody

NOW = datetime.now(UTC)


async def ids(http: httpx.AsyncClient, **parameters: Any) -> list[str]:
    response = await http.get("/api/v1/reviews", params=parameters)
    assert response.status_code == 200, response.text
    return [review["id"] for review in response.json()["reviews"]]


async def pages(http: httpx.AsyncClient, **parameters: Any):
    """One page after the other."""
    cursor: str | None = None
    while True:
        more = {"cursor": cursor} if cursor else {}
        page = (await http.get("/api/v1/reviews", params={**parameters, **more})).json()
        yield [review["id"] for review in page["reviews"]]
        cursor = page["next"]
        if cursor is None:
            return


@pytest.mark.parametrize("order", ["due", "newest"])
async def test_pages_neither_repeat_nor_hide_while_reviews_come_and_go(
    pool: Pool, console: str, order: str
) -> None:
    there = {
        await open_review(
            pool, opened_at=NOW - timedelta(minutes=n // 3), due_at=None if n % 4 else NOW + timedelta(hours=n // 2)
        )
        for n in range(25)
    }  # fmt: skip
    seen: list[str] = []
    async with await somebody(pool, console, "ann") as http:
        async for page in pages(http, order=order, limit=4):
            seen += page
            # Before and behind the place that was reached; and one that was shown goes.
            for opened in (NOW - timedelta(days=1), NOW + timedelta(days=1)):
                await open_review(pool, opened_at=opened, due_at=NOW - timedelta(days=1), groups=("money",))
            async with pool.connection() as conn:
                await conn.execute(
                    "UPDATE reviews.reviews SET state = 'withdrawn', closed_at = now() WHERE id = %s",
                    (page[0],),
                )
            if len(seen) > 100:
                break
    assert len(seen) == len(set(seen))
    assert there <= set(seen)


async def test_the_most_urgent_first_and_without_a_due_time_last(pool: Pool, console: str) -> None:
    late = await open_review(pool)
    soon = await open_review(pool, due_at=NOW + timedelta(hours=1))
    sooner = await open_review(pool, due_at=NOW + timedelta(minutes=1))
    async with await somebody(pool, console, "ann") as http:
        assert await ids(http) == [sooner, soon, late]
        assert await ids(http, order="newest") == [sooner, soon, late]


async def test_filters(pool: Pool, console: str) -> None:
    await open_review(pool)
    wanted = await open_review(
        pool, graph="billing", assistant_id="a-1", assistant_name="Billing", amount_usd=250.5, risk="high",
        groups=("money", "desk"), due_at=NOW + timedelta(hours=1), search_text="a pale blue kettle", claimed_by="zoe",
        claimed_at=NOW,
    )  # fmt: skip
    async with await somebody(pool, console, "ann") as http:
        for parameters in (
            {"graph": "billing"}, {"assistant": "a-1"}, {"assistant": "Billing"}, {"group": "desk"}, {"owner": "zoe"},
            {"min_amount": 250.5}, {"max_amount": 250.5}, {"min_amount": 250, "max_amount": 251}, {"risk": "high"},
            {"due_before": (NOW + timedelta(hours=2)).isoformat()}, {"q": "kettle"}, {"q": '"pale blue" -red'},
            {"thread_id": f"thread-{_number(await _shown(http, wanted))}"},
        ):  # fmt: skip
            assert await ids(http, tab="waiting", **parameters) == [wanted], parameters
        for parameters in (
            {"graph": "bill"}, {"group": "money2"}, {"owner": "ann"}, {"min_amount": 250.51}, {"max_amount": 250.49},
            {"due_before": NOW.isoformat()}, {"q": "kettle -blue"}, {"tab": "needs_you"}, {"needs_person": True},
        ):  # fmt: skip
            assert await ids(http, **{"tab": "waiting", **parameters}) == [] or "tab" in parameters, (
                parameters
            )
        assert wanted not in await ids(http)


async def _shown(http: httpx.AsyncClient, review: str) -> dict[str, Any]:
    return (await http.get(f"/api/v1/reviews/{review}")).json()


def _number(review: dict[str, Any]) -> str:
    return review["thread_id"].removeprefix("thread-")


async def test_counts_are_those_of_who_looks(pool: Pool, console: str) -> None:
    for _ in range(3):
        await open_review(pool)
    mine = await open_review(pool)
    await open_review(pool, groups=("other",))
    await open_review(pool, debug=True)
    async with await somebody(pool, console, "ann") as ann, await somebody(pool, console, "zoe") as zoe:
        await ann.post(f"/api/v1/reviews/{mine}/claim")
        counts = (await ann.get("/api/v1/reviews/counts")).json()
        assert counts == {"needs_you": 3, "claimed": 1, "waiting": 0, "decided": 0, "closed": 0, "debug": 1}
        assert (await zoe.get("/api/v1/reviews/counts")).json()["waiting"] == 1
        for tab, count in counts.items():
            assert len(await ids(ann, tab=tab)) == count


INJECTIONS = (
    "' OR '1'='1", "'; DROP TABLE reviews.reviews; --", "%", "\\", "%(every_group)s", ":every_group", "{0}", "$1",
    "\u202e", "' | !& ( <->", '"', "a:*b", "x" * 200,
)  # fmt: skip


@pytest.mark.parametrize("text", INJECTIONS)
async def test_text_that_looks_like_sql_is_text(pool: Pool, console: str, text: str) -> None:
    review = await open_review(pool)
    async with await somebody(pool, console, "ann", groups=("none-of-it",)) as http:
        for name in ("q", "graph", "assistant", "group", "owner", "shape", "state", "risk", "thread_id"):
            response = await http.get("/api/v1/reviews", params={name: text})
            assert (response.status_code, response.json()["reviews"]) == (200, []), name
        for path in (f"/api/v1/reviews/{text}", f"/api/v1/reviews/{review}{text}/history"):
            assert (await http.get(httpx.URL(path.replace("%", "%25")))).status_code == 404
        assert (await http.get("/api/v1/audit", params={"q": text, "actor": text})).json()["entries"] == []
    async with pool.connection() as conn:
        assert await (await conn.execute("SELECT FROM reviews.reviews")).fetchall()


@pytest.mark.parametrize(
    "parameters",
    [
        {"tab": "everything"}, {"order": "id; --"}, {"limit": 0}, {"limit": 201}, {"limit": "x"}, {"q": "a\x00b"},
        {"graph": "\x00"}, {"min_amount": "nan"}, {"max_amount": "inf"}, {"due_before": "soon"}, {"q": "x" * 201},
    ],
)  # fmt: skip
async def test_what_cannot_be_asked(pool: Pool, console: str, parameters: dict[str, Any]) -> None:
    async with await somebody(pool, console, "ann") as http:
        response = await http.get("/api/v1/reviews", params=parameters)
    assert response.status_code == 422
    assert response.json()["code"] == "bad_request" and response.json()["fields"]


@pytest.mark.parametrize(
    "cursor", ["x", "W10=", "WyJkdWUiXQ==", "bnVsbA==", "eyJhIjoxfQ==", "é", "=", "W1tdLFtdXQ=="]
)
async def test_a_cursor_that_is_none_of_ours(pool: Pool, console: str, cursor: str) -> None:
    async with await somebody(pool, console, "ann") as http:
        response = await http.get("/api/v1/reviews", params={"cursor": cursor})
    assert (response.status_code, response.json()["code"]) == (400, "bad_cursor")


async def test_what_is_shown_is_what_was_asked(pool: Pool, console: str) -> None:
    payload = {
        "zero": 0, "float": 1.0, "big": 12345678901234567890, "nul": "a\x00b", "half": "\ud83d", "emoji": "🙂",
        "b": [1, 2.5, None, True], "a": {"": ""},
    }  # fmt: skip
    review = await open_review(pool, payload=payload)
    async with await somebody(pool, console, "ann") as http:
        response = await http.get(f"/api/v1/reviews/{review}")
        page = await http.get("/api/v1/reviews")
    shown = response.json()["payload"]
    assert shown == payload
    assert list(shown) == list(payload)
    assert isinstance(shown["zero"], int) and isinstance(shown["float"], float)
    assert b'"float":1.0,' in response.content and b'"zero":0,' in response.content
    detail = ReviewDetail.model_validate_json(response.text.replace('\\ud83d"', '"'))
    assert set(ReviewDetail.model_fields) == set(response.json()) and detail.form
    assert ReviewPage.model_validate(page.json()).reviews[0].id == review
    assert "resume" not in response.json()


async def test_that_it_was_shown_is_recorded_once(pool: Pool, console: str) -> None:
    review = await open_review(pool)
    async with await somebody(pool, console, "ann") as http:
        for _ in range(3):
            await http.get(f"/api/v1/reviews/{review}")
        history = (await http.get(f"/api/v1/reviews/{review}/history")).json()
    assert [(entry["actor"], entry["action"], entry["detail"]["via"]) for entry in history] == [
        ("ann", "seen", "api")
    ]


async def test_openapi_describes_every_route(pool: Pool, console: str) -> None:
    async with await somebody(pool, console, "ann") as http:
        described = (await http.get("/api/v1/openapi.json")).json()
    operations = [operation for path in described["paths"].values() for operation in path.values()]
    assert all(operation["summary"] and operation["operationId"] for operation in operations)
    assert described["paths"]["/reviews/{review_id}/decide"]["post"]["requestBody"]
    assert {"ReviewPage", "ReviewDetail", "Decision", "Problem"} <= set(described["components"]["schemas"])
    assert described["servers"] == [{"url": "/api/v1"}]
    assert described["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"
