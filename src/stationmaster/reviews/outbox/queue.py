"""The queue in Postgres: put, spread over receivers, claim, mark, list what is in trouble, replay."""

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias

from stationmaster.postgres.queries import load
from stationmaster.reviews.database import Connection

Medium: TypeAlias = Literal["event", "notice"]

QUERIES = load(Path(__file__).parent / "outbox.sql")
PUT, WITHDRAW = QUERIES["put"], QUERIES["withdraw"]
SPREAD, CLAIM = QUERIES["spread"], QUERIES["claim"]
SENT, FAILED = QUERIES["sent"], QUERIES["failed"]
TROUBLED, REPLAY, TIDY = QUERIES["troubled"], QUERIES["replay"], QUERIES["tidy"]

SPREAD_AT_ONCE = 500
SHARE = 5
"""What one receiver may have in hand at once."""
FIRST_DELAY_S = 5.0
LONGEST_DELAY_S = 6 * 3600.0
KEPT = timedelta(days=30)


@dataclass(frozen=True)
class Receiver:
    """Who hears messages to `audience` (None: events). `key` names it for ever, `shown` is safe for people's eyes."""

    audience: str | None
    key: str
    shown: str


@dataclass(frozen=True)
class Dispatch:
    """One message to one receiver, in this worker's hands for a while."""

    message_id: str
    receiver: str
    shown: str
    tries: int
    kind: str
    review_id: str
    audience: str | None
    body: str
    created_at: datetime


@dataclass(frozen=True)
class Trouble:
    """What was not accepted so far. `state` is waiting (tried again at `next_try_at`) or dead."""

    message_id: str
    receiver: str
    shown: str
    state: Literal["waiting", "dead"]
    tries: int
    next_try_at: datetime
    give_up_at: datetime
    last_error: str
    medium: Medium
    kind: str
    review_id: str
    created_at: datetime


def key_of(medium: Medium, secret: str) -> str:
    """The name of a receiver in the queue: a hash, for its URL may hold secrets."""
    return hashlib.sha256(f"{medium}\n{secret}".encode()).hexdigest()


def delay_s(tries: int, chance: float) -> float:
    """Seconds until the next try: 5, 20, 80 ... up to 6 hours, each half to one and a half times as long by chance."""
    return min(FIRST_DELAY_S * 4 ** min(tries - 1, 12), LONGEST_DELAY_S) * (0.5 + chance)


async def put(
    conn: Connection, medium: Medium, kind: str, review_id: str, audience: str | None, body: str,
    not_before: datetime | None = None,
) -> None:  # fmt: skip
    """One message, in the caller's transaction; `not_before`: until then it may be withdrawn."""
    await conn.execute(PUT, {
        "medium": medium, "kind": kind, "review_id": review_id, "audience": audience, "body": body,
        "not_before": not_before,
    })  # fmt: skip


async def withdraw(conn: Connection, review_id: str) -> int:
    """Take back what was to be told of a review later and is not told yet; how many messages."""
    return (await conn.execute(WITHDRAW, {"review_id": review_id})).rowcount


async def spread(conn: Connection, medium: Medium, receivers: Sequence[Receiver]) -> int:
    """Give new messages to their receivers; how many messages. One without any receiver is done with."""
    cursor = await conn.execute(SPREAD, {
        "medium": medium, "limit": SPREAD_AT_ONCE, "audiences": [who.audience for who in receivers],
        "receivers": [who.key for who in receivers], "shown": [who.shown for who in receivers],
    })  # fmt: skip
    return cursor.rowcount


async def claim(conn: Connection, medium: Medium, *, limit: int, lease: timedelta) -> list[Dispatch]:
    """Up to `limit` that are due, for `lease`: afterwards another worker may take them."""
    parameters = {"medium": medium, "limit": limit, "share": SHARE, "lease": lease}
    rows = await (await conn.execute(CLAIM, parameters)).fetchall()
    return [Dispatch(**_texts(row)) for row in rows]


async def sent(conn: Connection, dispatch: Dispatch) -> None:
    """The receiver has accepted it."""
    await conn.execute(SENT, {"message_id": dispatch.message_id, "receiver": dispatch.receiver})


async def failed(conn: Connection, dispatch: Dispatch, error: str, *, final: bool = False) -> None:
    """The receiver has not; `final` when it never will. `error` is shown to people: no secrets in it."""
    delay = timedelta(seconds=delay_s(dispatch.tries, random.random()))  # noqa: S311
    await conn.execute(FAILED, {
        "message_id": dispatch.message_id, "receiver": dispatch.receiver, "tries": dispatch.tries,
        "error": error[:500].replace("\x00", ""), "final": final, "delay": delay,
    })  # fmt: skip


async def troubled(
    conn: Connection, scope: Mapping[str, object], *, review_id: str | None = None, limit: int = 200
) -> list[Trouble]:
    """What is failing or dead, of the reviews that `scope` (`Identity.scope()`) may see."""
    parameters = {**scope, "review_id": review_id, "limit": limit}
    rows = await (await conn.execute(TROUBLED, parameters)).fetchall()
    return [Trouble(**_texts(row)) for row in rows]


async def replay(conn: Connection, message_id: str, receiver: str) -> bool:
    """Try a dead letter for another day, under the same id; False if there is no such dead letter."""
    return (await conn.execute(REPLAY, {"message_id": message_id, "receiver": receiver})).rowcount == 1


async def tidy(conn: Connection, age: timedelta = KEPT) -> int:
    """Forget what everybody has accepted long ago; dead letters stay."""
    return (await conn.execute(TIDY, {"age": age})).rowcount


def _texts(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "message_id": str(row["message_id"]), "review_id": str(row["review_id"])}
