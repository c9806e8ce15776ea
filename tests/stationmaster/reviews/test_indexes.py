"""What is asked often, or of years of closed reviews, is answered by an index. Times: docs/benchmarks.md."""

from collections.abc import Mapping
from typing import Any, LiteralString

import pytest

from stationmaster.reviews import facets, store, sweep
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.audit import trail
from stationmaster.reviews.database import Pool
from stationmaster.reviews.store import ListQuery
from tests.stationmaster.reviews.engine import EVERYBODY
from tests.stationmaster.reviews.rows import insert

EVERYTHING: dict[str, object] = {"every_group": True, "own_groups": []}
CLOSED: dict[str, Any] = {
    "tab": "closed", "phase": "closed", "me": "ann", **EVERYTHING, "limit": 51, "search": None,
    **dict.fromkeys(("graph", "assistant", "shape", "state", "risk", "thread_id", "min_amount_usd", "needs_person")),
    **dict.fromkeys(("max_amount_usd", "group", "owner", "due_before", "after_due", "after_at", "after_id")),
}  # fmt: skip


@pytest.mark.parametrize(
    ("query", "parameters", "index"),
    [
        (sweep.UNFINISHED_THREADS, {}, "reviews_unfinished"),
        (facets.COMBINATIONS, {}, "reviews_facets"),
        (store.LISTS["closed"], {**CLOSED, "owner": "ann"}, "reviews_closed_by"),
        (trail.WITH_WORDS, {"words": "'x':*", "limit": 100}, "audit_words"),
    ],
)  # fmt: skip
async def test_an_index_answers(
    pool: Pool, query: LiteralString, parameters: Mapping[str, Any], index: str
) -> None:
    """The tables are empty here, so that reading all of them is ruled out first: what is left is what could be used."""
    async with pool.connection() as conn:
        for way in ("seqscan", "indexscan" if index == "audit_words" else "bitmapscan"):
            await conn.execute("SELECT set_config(%s, 'off', true)", (f"enable_{way}",))
        rows = await (await conn.execute("EXPLAIN " + query, parameters, prepare=False)).fetchall()
    plan = "\n".join(row["QUERY PLAN"] for row in rows)
    assert f"{index} " in plan, plan


async def test_combinations_are_found_each_once_with_those_without_a_name(pool: Pool) -> None:
    made = [
        ("a", "x", ["g", "h"]),
        ("a", "x", ["g"]),
        ("a", None, ["g"]),
        (None, None, ["k"]),
        ("b" * 5000, "y", ["g"]),
    ]
    async with pool.connection() as conn:
        for graph, assistant, groups in made * 2:
            await insert(conn, graph=graph, assistant_name=assistant, groups=groups)
        found = await facets.of(conn, Identity("root", frozenset(), frozenset({"admin"}), "test"))
    assert found.graphs == ("a", "b" * 200)
    assert (found.assistants, found.groups) == (("x", "y"), ("g", "h", "k"))


async def test_closed_reviews_of_an_assistant_with_a_name_of_any_length(pool: Pool) -> None:
    name = "n" * 5000
    async with pool.connection() as conn:
        review = await insert(conn, assistant_name=name)
        await conn.execute("UPDATE reviews.reviews SET state = 'withdrawn', closed_at = now()")
        found = await store.page(conn, ListQuery(tab="closed", assistant=name), EVERYBODY)
    assert [each.id for each in found.reviews] == [review.id]
