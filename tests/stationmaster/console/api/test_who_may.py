"""Every route of the console in one table: who gets what. A route that is not listed fails the test."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from psycopg.sql import SQL, Identifier
from starlette.routing import BaseRoute, Mount, Route

from stationmaster.console.app import create_app
from stationmaster.reviews.database import Pool
from tests.stationmaster.console.api.about_the_server import SERVED, SIGNED_IN
from tests.stationmaster.console.serving import anybody, open_review, served, settings_for, somebody

ANYBODY, THE_REVIEWS, A_LEAD, AN_OVERSEER, ITSELF = (
    "anybody", "those of the review's groups, others 404", "a lead", "a lead who sees every group",
    "the receiver's own check of its sender",
)  # fmt: skip

# Each with what its credential opens: a test below tries them all, and fails for a route that nobody listed.
EXPECTED: dict[tuple[str, str], str] = {
    ("GET", "/healthz"): ANYBODY,
    ("GET", "/sign-in"): ANYBODY,
    ("POST", "/sign-in"): ANYBODY,
    ("POST", "/sign-out"): ANYBODY,
    ("GET", "/sign-in/link/{secret}"): ANYBODY,
    ("POST", "/sign-in/link/{secret}"): ANYBODY,
    ("GET", "/sign-in/oidc"): ANYBODY,
    ("GET", "/sign-in/oidc/callback"): ANYBODY,
    ("GET", "/act/{secret}"): ANYBODY,
    ("POST", "/act/{secret}"): ANYBODY,
    ("GET", "/api/v1/openapi.json"): ANYBODY,
    ("GET", "/api/v1/me"): SIGNED_IN,
    ("GET", "/api/v1/reviews"): SIGNED_IN,
    ("GET", "/api/v1/reviews/counts"): SIGNED_IN,
    ("POST", "/api/v1/reviews/decide"): SIGNED_IN,
    ("GET", "/api/v1/audit"): SIGNED_IN,
    ("GET", "/api/v1/events"): SIGNED_IN,
    ("GET", "/api/v1/reviews/{review_id}"): THE_REVIEWS,
    ("POST", "/api/v1/reviews/{review_id}/claim"): THE_REVIEWS,
    ("POST", "/api/v1/reviews/{review_id}/release"): THE_REVIEWS,
    ("POST", "/api/v1/reviews/{review_id}/decide"): THE_REVIEWS,
    ("POST", "/api/v1/reviews/{review_id}/undo"): THE_REVIEWS,
    ("POST", "/api/v1/reviews/{review_id}/comments"): THE_REVIEWS,
    ("GET", "/api/v1/reviews/{review_id}/history"): THE_REVIEWS,
    ("GET", "/api/v1/reviews/{review_id}/thread"): THE_REVIEWS,
    ("GET", "/api/v1/reviews/{review_id}/result"): THE_REVIEWS,
    ("POST", "/api/v1/operations/reviews/{review_id}/settle"): THE_REVIEWS,
    ("GET", "/api/v1/edits"): A_LEAD,
    ("GET", "/api/v1/operations/drift"): A_LEAD,
    ("GET", "/api/v1/operations/stuck"): A_LEAD,
    ("GET", "/api/v1/operations/messages"): A_LEAD,
    ("POST", "/api/v1/operations/messages/replay"): A_LEAD,
    ("GET", "/api/v1/operations/loops"): A_LEAD,
    ("GET", "/api/v1/operations/deliveries"): AN_OVERSEER,
    ("POST", "/api/v1/operations/deliveries/{delivery_id}/retry"): AN_OVERSEER,
    ("GET", "/api/v1/audit/export"): AN_OVERSEER,
    ("GET", "/api/v1/audit/verify"): AN_OVERSEER,
    ("POST", "/webhooks/langgraph"): ITSELF,
}
# Drawn for people. pages/test_without_script.py tries each: another group's reviews are on none of them, and a stranger
# is sent to sign in.
PAGES: dict[tuple[str, str], str] = {
    ("GET", "/"): SIGNED_IN,
    ("GET", "/history"): SIGNED_IN,
    ("GET", "/audit"): SIGNED_IN,
    ("GET", "/operations"): A_LEAD,
    ("POST", "/operations/replay"): A_LEAD,
    ("POST", "/operations/deliveries/{delivery_id}/retry"): AN_OVERSEER,
    ("GET", "/reviews/{review_id}"): THE_REVIEWS,
    ("GET", "/reviews/{review_id}/payload.json"): THE_REVIEWS,
    ("GET", "/reviews/{review_id}/thread"): THE_REVIEWS,
    ("GET", "/reviews/{review_id}/result"): THE_REVIEWS,
    ("GET", "/reviews/{review_id}/decide"): THE_REVIEWS,
    ("POST", "/reviews/{review_id}/decide"): THE_REVIEWS,
    ("GET", "/reviews/{review_id}/undo"): THE_REVIEWS,
    ("POST", "/reviews/{review_id}/undo"): THE_REVIEWS,
    ("GET", "/reviews/{review_id}/claim"): THE_REVIEWS,
    ("POST", "/reviews/{review_id}/claim"): THE_REVIEWS,
    ("GET", "/reviews/{review_id}/release"): THE_REVIEWS,
    ("POST", "/reviews/{review_id}/release"): THE_REVIEWS,
    ("GET", "/reviews/{review_id}/comments"): THE_REVIEWS,
    ("POST", "/reviews/{review_id}/comments"): THE_REVIEWS,
    ("GET", "/reviews/{review_id}/settle"): THE_REVIEWS,
    ("POST", "/reviews/{review_id}/settle"): THE_REVIEWS,
}
# What a request needs beside its path, so that nothing but the scope can be what it is refused for.
BODIES: dict[str, Any] = {
    "/api/v1/reviews/{review_id}/decide": {"decision": "answer", "answer": "yes"},
    "/api/v1/reviews/{review_id}/comments": {"body": "seen"},
    "/api/v1/operations/reviews/{review_id}/settle": {"action": "look_again"},
    "/api/v1/reviews/decide": {"ids": ["{review_id}"], "decision": "answer"},
    "/api/v1/operations/messages/replay": {"message_id": "{review_id}", "receiver": "nobody"},
}
# What says, of a review as these tests make them, that it was found and that the request may be made.
NOTHING_TO_DO = {"undo": {409}, "settle": {409}, "replay": {409}, "thread": {502}}
SECRET = "the figures of group A"


def walk(routes: list[BaseRoute], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every method and path, mounted ones too; a kind of route that this doesn't know is an error."""
    for route in routes:
        if isinstance(route, Mount):
            if not route.routes and prefix + route.path == "/static":
                continue
            assert route.routes, f"{prefix}{route.path}: an app without routes to look at"
            yield from walk(list(route.routes), prefix + route.path)
        else:
            assert isinstance(route, Route), f"{route!r} is no kind of route that this test can list"
            for method in sorted((route.methods or set()) - {"HEAD"}):
                yield method, prefix + route.path


@pytest.fixture
def routes(tmp_path: Path) -> list[tuple[str, str]]:
    app = create_app(settings_for("postgresql://nowhere", tmp_path), workers=False)
    return list(walk(app.routes))


def test_every_route_is_listed_once(routes: list[tuple[str, str]]) -> None:
    """Pages too: whoever adds one says here who may see it."""
    assert sorted(routes) == sorted({**EXPECTED, **PAGES, **SERVED})
    assert len(set(routes)) == len(routes)


@pytest.mark.parametrize("role", ["reader", "reviewer", "lead"])
async def test_pages_open_to_whom_the_table_says(pool: Pool, console: str, role: str) -> None:
    """What is looked at: 200 in one's own group, 404 in another, and 403 for too small a role."""
    review = await open_review(pool, groups=("money",))
    async with (
        await somebody(pool, console, "ann", role=role) as ours,
        await somebody(pool, console, "ben", role=role, groups=("other",)) as theirs,
    ):
        for (method, path), expected in PAGES.items():
            if method == "POST":
                continue
            where = path.replace("{review_id}", review)
            status = (await ours.get(where, follow_redirects=True)).status_code
            small = expected == A_LEAD and role != "lead"
            assert status == (403 if small else 200), path
            if expected == THE_REVIEWS:
                assert (await theirs.get(where)).status_code == 404, path


def filled(path: str, review: str) -> tuple[str, Any]:
    body = json.loads(json.dumps(BODIES.get(path)).replace("{review_id}", review))
    made = path.replace("{review_id}", review).replace("{secret}", "sml_none").replace("{delivery_id}", "7")
    return made, body


def let_in(path: str) -> set[int]:
    return NOTHING_TO_DO.get(path.rpartition("/")[2], {200, 201})


async def ask(http: httpx.AsyncClient, method: str, path: str, review: str) -> tuple[int, str]:
    """Status and text; of the endless stream its beginning."""
    where, body = filled(path, review)
    if path == "/api/v1/events":
        async with http.stream(method, where, params={"after": 0}) as response:
            async for text in response.aiter_text():
                return response.status_code, text
    response = await http.request(method, where, json=body)
    return response.status_code, response.text


async def test_a_stranger_gets_nowhere(pool: Pool, console: str) -> None:
    review = await open_review(pool, payload=SECRET, title=SECRET)
    async with anybody(console) as http:
        for (method, path), expected in EXPECTED.items():
            if expected not in {ANYBODY, ITSELF}:
                status, text = await ask(http, method, path, review)
                assert (status, SECRET in text) == (401, False), f"{method} {path}"
                assert json.loads(text)["code"] == "not_signed_in"


@pytest.mark.parametrize("role", ["reader", "reviewer", "lead"])
async def test_group_b_finds_nothing_of_group_a_on_any_route(pool: Pool, console: str, role: str) -> None:
    review = await open_review(pool, payload=SECRET, title=SECRET, search_text=SECRET, groups=("a",))
    none = "00000000-0000-4000-8000-000000000000"
    async with (
        await somebody(pool, console, "ann", groups=("a",), role="lead") as ours,
        await somebody(pool, console, "ben", groups=("b",), role=role) as theirs,
    ):
        body = {"body": f"{SECRET}, remarked"}
        assert (await ours.post(f"/api/v1/reviews/{review}/comments", json=body)).status_code == 201
        for (method, path), expected in EXPECTED.items():
            if expected in {ANYBODY, ITSELF}:
                continue
            status, text = await ask(theirs, method, path, review)
            assert SECRET not in text, f"{method} {path}"
            if expected == THE_REVIEWS:
                assert status == 404, f"{method} {path}: {status}"
                # And it reads as one that there never was.
                assert (status, text) == await ask(theirs, method, path, none)
            elif expected == AN_OVERSEER or (expected == A_LEAD and role != "lead"):
                assert status == 403, f"{method} {path}: {status}"
            else:
                assert status in let_in(path), f"{method} {path}: {status} {text}"
                assert review not in text or path == "/api/v1/reviews/decide"
        listed = [
            await theirs.get("/api/v1/reviews", params={"tab": tab}) for tab in ("needs_you", "waiting")
        ]
        assert [page.json()["reviews"] for page in listed] == [[], []]
        many = (
            await theirs.post("/api/v1/reviews/decide", json={"ids": [review], "decision": "answer"})
        ).json()
        assert many["results"][0]["problem"]["status"] == 404
        found = (await ours.get(f"/api/v1/reviews/{review}")).json()
    assert (found["state"], found["claimed_by"]) == ("open", None)
    assert [remark["author"] for remark in found["comments"]] == ["ann"]


async def test_the_group_itself_gets_all_of_it(pool: Pool, console: str) -> None:
    async with await somebody(pool, console, "ann", groups=("money",), role="lead") as ours:
        for (method, path), expected in EXPECTED.items():
            if expected in {THE_REVIEWS, SIGNED_IN, A_LEAD}:
                review = await open_review(pool)
                status, text = await ask(ours, method, path, review)
                assert status in let_in(path), f"{method} {path}: {text}"


async def test_a_reader_reads_and_changes_nothing(pool: Pool, console: str) -> None:
    review = await open_review(pool)
    async with await somebody(pool, console, "rita", role="reader") as http:
        assert (await http.get(f"/api/v1/reviews/{review}")).status_code == 200
        for (method, path), expected in EXPECTED.items():
            if method == "POST" and expected == THE_REVIEWS:
                status, text = await ask(http, method, path, review)
                assert status == 403, f"{path}: {text}"
        found = (await http.get(f"/api/v1/reviews/{review}")).json()
    assert (found["state"], found["comments"], found["claimed_by"]) == ("open", [], None)


async def test_an_admin_sees_every_group(pool: Pool, console: str) -> None:
    ids = {await open_review(pool, groups=(group,)) for group in ("a", "b", "c")}
    async with await somebody(pool, console, "root", role="admin", groups=()) as http:
        for (method, path), expected in EXPECTED.items():
            if expected == AN_OVERSEER:
                # A delivery of that number was never there.
                assert (await ask(http, method, path, ""))[0] == (404 if "{delivery_id}" in path else 200)
        found = (await http.get("/api/v1/reviews")).json()["reviews"]
    assert {review["id"] for review in found} == ids


async def test_what_is_not_there_is_a_problem_in_json(console: str) -> None:
    async with anybody(console) as http:
        for method, path in (("GET", "/api/v1/nope"), ("DELETE", "/api/v1/reviews"), ("GET", "/api/nope")):
            response = await http.request(method, path)
            assert response.status_code in {404, 405}
            assert response.headers["content-type"] == "application/problem+json"
            assert response.json()["code"] in {"not_found", "method_not_allowed"}


async def test_a_database_that_is_gone_is_told_without_its_address(database: str, tmp_path: Path) -> None:
    async with served(settings_for(database, tmp_path)) as url, anybody(url) as http:
        assert (await http.get("/healthz")).json() == {"ok": True}
        name = database.rpartition("/")[2].partition("?")[0]
        with psycopg.connect(database.replace(f"/{name}?", "/postgres?"), autocommit=True) as conn:
            conn.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(Identifier(name)))
            conn.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
            health = await http.get("/healthz")
            asked = await http.get("/api/v1/me", headers={"Authorization": "Bearer smt_x"})
            conn.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(Identifier(name)))
        assert (health.status_code, health.json()["ok"]) == (503, False)
        assert (asked.status_code, asked.json()["code"]) == (503, "database_away")
        assert name not in health.text + asked.text
