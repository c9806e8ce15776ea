"""The help articles by vectors: paragraphs that point the same way as the question, through pgvector.

Vectors are made when they are first wanted, and kept under the hash of their text and the model's name. So a query
meets vectors of its own model alone: where an assistant names another one, that one's are made beside the others.
"""

import asyncio
from typing import cast
from weakref import WeakKeyDictionary

from agents.shared.database import Connection, connection
from agents.shared.embeddings import Embedded, embed
from agents.shared.errors import PermanentError
from agents.shared.limits import Usage, add_usage
from agents.shared.models import ModelUnavailable
from agents.shared.queries import load
from agents.shared.shop.articles import Article
from agents.shared.shop.text import storable

_SQL = load(__file__)
_CAN_COMPARE, _UNEMBEDDED, _KEEP, _NEAREST = (
    _SQL[name] for name in ("can_compare", "unembedded", "keep_vector", "nearest")
)
LEAST = 0.2
"""Cosine; below it two texts have nothing to do with each other."""
MOST_NEW = 2_000
"""Paragraphs that one search makes vectors for; the next one makes more."""
_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


class NoVectors(PermanentError):
    """This Postgres has no pgvector: run `create extension vector` as an administrator; words are searched now."""


async def search(query: str, *, model: str | None, limit: int) -> tuple[list[Article], Usage]:
    """The paragraphs nearest to a question, best first, and what it cost.

    Raises NoVectors, DatabaseUnavailable, and what `embed` raises.
    """
    async with connection() as conn:
        row = await (await conn.execute(_CAN_COMPARE)).fetchone()
    if row is None or not row["can_compare"]:
        raise NoVectors
    asked = await embed(model, [storable(query)], node="search_meaning")
    usage = add_usage(asked.usage, await _embed_what_is_new(asked))
    async with connection() as conn:
        values = {
            "model": asked.model,
            "dimension": asked.dimension,
            "query": asked.vectors[0],
            "least": LEAST,
        }
        rows = await (await conn.execute(_NEAREST, {**values, "limit": limit})).fetchall()
    return cast("list[Article]", rows), usage


async def _embed_what_is_new(asked: Embedded) -> Usage:
    """Vectors for paragraphs that have none of the query's model; one search at a time, or all would pay for them."""
    async with _locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        async with connection() as conn:
            rows = await _unembedded(conn, asked)
        if not rows:
            return {}
        made = await embed(asked.model, [row["text"] for row in rows], node="search_meaning")
        if made.dimension != asked.dimension:
            raise ModelUnavailable(
                f"{asked.model} gives vectors of {asked.dimension} and of {made.dimension} numbers"
            )
        values = [
            {"content_hash": row["content_hash"], "model": made.model, "dimension": made.dimension, "embedding": vector}
            for row, vector in zip(rows, made.vectors, strict=True)
        ]  # fmt: skip
        async with connection() as conn, conn.cursor() as cursor:
            await cursor.executemany(_KEEP, values)
        return made.usage


async def _unembedded(conn: Connection, asked: Embedded) -> list[dict[str, str]]:
    values = {"model": asked.model, "dimension": asked.dimension, "limit": MOST_NEW}
    return cast("list[dict[str, str]]", await (await conn.execute(_UNEMBEDDED, values)).fetchall())
