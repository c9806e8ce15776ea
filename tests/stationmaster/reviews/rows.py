"""Review rows for tests of what hangs on them, without a graph behind."""

from typing import Any
from uuid import uuid4

from psycopg.sql import SQL, Identifier, Placeholder

from stationmaster.reviews import store
from stationmaster.reviews.database import Connection
from stationmaster.reviews.model import Review, as_shown, digest_of


async def insert(
    conn: Connection, *, payload: Any = None, response_schema: Any = None, **columns: Any
) -> Review:
    """An open review; columns by name."""
    payload = {"kind": "refund_approval", "amount_usd": 640.0} if payload is None else payload
    values = {
        "thread_id": str(uuid4()), "interrupt_id": uuid4().hex, "digest": digest_of(payload, response_schema),
        "kind": "interrupt", "shape": "typed", "graph": "support", "assistant_name": "support", "node": "approve",
        "checkpoint_id": str(uuid4()), "title": "Refund $640.00 for order 88123?", "payload": as_shown(payload),
        "response_schema": None if response_schema is None else as_shown(response_schema), "groups": ["support"],
        **columns,
    }  # fmt: skip
    names = SQL(", ").join(map(Identifier, values))
    statement = SQL("INSERT INTO reviews.reviews ({}) VALUES ({}) RETURNING id").format(
        names, SQL(", ").join(map(Placeholder, values))
    )
    row = await (await conn.execute(statement, values)).fetchone()
    assert row is not None
    review = await store.find(conn, str(row["id"]))
    assert review is not None
    return review
