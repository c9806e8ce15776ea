"""Reading reviews: one, those of a thread, a page of the list, counts. Whoever lists says whose eyes it is for."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, LiteralString, TypeAlias
from uuid import UUID

from stationmaster.postgres.queries import load
from stationmaster.reviews import json_text
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.database import Connection, in_time
from stationmaster.reviews.errors import NotFound, ReviewError
from stationmaster.reviews.model import Review

QUERIES = load(Path(__file__).with_suffix(".sql"))
GET, GET_IN_SCOPE, LOCK, OF_THREAD = (
    QUERIES["get"], QUERIES["get_in_scope"], QUERIES["lock"], QUERIES["of_thread"],
)  # fmt: skip
COUNTS, COMMENTS, STUCK = QUERIES["counts"], QUERIES["comments"], QUERIES["stuck"]
DRIFT, SWEEP_STATE = QUERIES["drift"], QUERIES["sweep_state"]

Tab: TypeAlias = Literal["needs_you", "claimed", "waiting", "decided", "closed", "debug"]
Order: TypeAlias = Literal["due", "newest"]
LISTS: dict[str, LiteralString] = {
    "due": QUERIES["list_due"],
    "newest": QUERIES["list_newest"],
    "closed": QUERIES["list_closed"],
}
TABS: tuple[Tab, ...] = ("needs_you", "claimed", "waiting", "decided", "closed", "debug")
COUNTED = 10_000
"""A tab is counted up to here: beyond it the count says COUNTED + 1."""

_JSON = ("payload", "response_schema", "first_answer", "answer", "resume", "edits")
_NAMES = tuple(field.name for field in fields(Review))


class BadCursor(ReviewError):
    """A cursor that this list didn't give out."""

    status, code = 400, "bad_cursor"


@dataclass(frozen=True)
class ListQuery:
    """What of the list is wanted. `assistant` is an id or a name; `search` takes words, "phrases" and -words."""

    tab: Tab = "needs_you"
    order: Order = "due"
    graph: str | None = None
    assistant: str | None = None
    shape: str | None = None
    state: str | None = None
    risk: str | None = None
    thread_id: str | None = None
    min_amount_usd: float | None = None
    max_amount_usd: float | None = None
    group: str | None = None
    owner: str | None = None
    """Who claimed it, or decided it."""
    due_before: datetime | None = None
    needs_person: bool | None = None
    search: str | None = None
    cursor: str | None = None
    limit: int = 50


@dataclass(frozen=True)
class Page:
    """Reviews, and the cursor of the page after it; None on the last."""

    reviews: tuple[Review, ...]
    cursor: str | None


@dataclass(frozen=True)
class Comment:
    """A remark beside a review."""

    comment_id: int
    author: str
    body: str
    at: datetime


@dataclass(frozen=True)
class Drift:
    """The drift report: counters by name as {n, last_thread, last_at}; times and lag of the sweep."""

    counters: Mapping[str, Mapping[str, Any]]
    watermark: datetime | None
    last_sweep_at: datetime | None
    last_full_at: datetime | None
    lag_s: float | None


def review_from(row: Mapping[str, Any]) -> Review:
    """A row of reviews.shown."""
    values = {name: row[name] for name in _NAMES}
    for name in _JSON:
        values[name] = None if values[name] is None else json_text.read(values[name])
    for name in ("id", "replaced_by", "returned_from"):
        values[name] = None if values[name] is None else str(values[name])
    return Review(**{**values, "groups": tuple(row["groups"]), "nodes": tuple(row["nodes"])})


async def find(conn: Connection, review_id: str) -> Review | None:
    """The review with this id, whoever asks; None also for what is no id."""
    if not is_id(review_id):
        return None
    row = await (await conn.execute(GET, {"id": review_id})).fetchone()
    return review_from(row) if row else None


async def get(conn: Connection, review_id: str, who: Identity) -> Review:
    """The review, if `who` may see it; else NotFound, which reads as if there were none."""
    if not is_id(review_id):
        raise NotFound
    row = await (await conn.execute(GET_IN_SCOPE, {"id": review_id, **who.scope()})).fetchone()
    if row is None:
        raise NotFound
    return review_from(row)


async def of_thread(conn: Connection, thread_id: str) -> list[Review]:
    """Every review of a thread, oldest first, whoever asks."""
    rows = await (await conn.execute(OF_THREAD, {"thread_id": thread_id})).fetchall()
    return [review_from(row) for row in rows]


async def page(conn: Connection, query: ListQuery, who: Identity) -> Page:
    """One page of a tab, by keyset: reviews that come or go meanwhile neither repeat nor hide others. TooSlow."""
    order = "closed" if query.tab == "closed" else query.order
    limit = max(1, min(query.limit, 200))
    parameters = {
        "tab": query.tab,
        "phase": {"decided": "moving", "closed": "closed"}.get(query.tab, "open"),
        "me": who.name,
        **who.scope(),
        **{name: getattr(query, name) for name in _FILTERS},
        "search": query.search.replace("\0", " ") if query.search else None,
        **_after(query.cursor, order),
        "limit": limit + 1,
    }
    async with in_time(conn):
        # Never prepared: planned with the values, most of the conditions are known to be true and fall away.
        rows = await (await conn.execute(LISTS[order], parameters, prepare=False)).fetchall()
    more = len(rows) > limit
    return Page(tuple(map(review_from, rows[:limit])), _cursor(rows[limit - 1], order) if more else None)


async def counts(conn: Connection, who: Identity) -> dict[Tab, int]:
    """How many reviews each tab holds for `who`."""
    parameters = {"me": who.name, **who.scope(), "cap": COUNTED + 1}
    rows = await (await conn.execute(COUNTS, parameters, prepare=False)).fetchall()
    found = {row["tab"]: row["n"] for row in rows}
    return {tab: found.get(tab, 0) for tab in TABS}


async def comments(conn: Connection, review_id: str) -> list[Comment]:
    """The remarks beside a review, oldest first."""
    rows = await (await conn.execute(COMMENTS, {"review_id": review_id})).fetchall()
    return [Comment(**row) for row in rows]


STUCK_LISTED = 100


async def stuck(conn: Connection, who: Identity, limit: int = STUCK_LISTED) -> list[Review]:
    """What an operator must look at, the newest first."""
    rows = await (await conn.execute(STUCK, {**who.scope(), "limit": limit})).fetchall()
    return [review_from(row) for row in rows]


async def drift(conn: Connection) -> Drift:
    """What sweeps found since the beginning."""
    rows = await (await conn.execute(DRIFT)).fetchall()
    sweep = await (await conn.execute(SWEEP_STATE)).fetchone()
    counters = {row["name"]: {name: row[name] for name in ("n", "last_thread", "last_at")} for row in rows}
    return Drift(counters=counters, **(sweep or dict.fromkeys(_SWEEP)))


_FILTERS = (
    "graph", "assistant", "shape", "state", "risk", "thread_id", "min_amount_usd", "needs_person",
    "max_amount_usd", "group", "owner", "due_before",
)  # fmt: skip
_SWEEP = ("watermark", "last_sweep_at", "last_full_at", "lag_s")
_KEYS = {"due": ("due_sort", "opened_at"), "newest": ("opened_at",), "closed": ("closed_at",)}


def _cursor(row: Mapping[str, Any], order: str) -> str:
    """The place after `row` in that order, opaque to clients."""
    parts = [order, *(str(row[name]) for name in _KEYS[order]), str(row["id"])]
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()


def _after(cursor: str | None, order: str) -> dict[str, Any]:
    if cursor is None:
        return {"after_due": None, "after_at": None, "after_id": None}
    try:
        kind, *times, review_id = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        due, at = times if order == "due" else (None, *times)
        for time in (due, at):
            if time is not None:
                datetime.fromisoformat(time)
        UUID(review_id)
    except (ValueError, TypeError) as error:
        raise BadCursor("this cursor is none of this list's: start from the first page") from error
    if kind != order:
        raise BadCursor("this cursor belongs to another order: start from the first page")
    return {"after_due": due, "after_at": at, "after_id": review_id}


def is_id(text: str) -> bool:
    """Whether it could be a review's id at all."""
    try:
        UUID(text)
    except ValueError:
        return False
    return True
