"""The help articles by vectors: made once, never compared across models; and what a Postgres without pgvector says."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg.rows import dict_row

from agents.shared import embeddings
from agents.shared.models import ModelUnavailable
from agents.shared.retrieval import retrieval
from agents.shared.retrieval.sources import meaning
from stationmaster import postgres
from tests.fakes.openai_answers import Action, Call
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.search_server import vectors

OFFLINE = "offline:ngrams"
MIGRATIONS = Path(postgres.__file__).parent / "migrations"


@pytest.fixture
def model() -> str:
    return f"openai:{uuid4().hex}"


def rows(uri: str, query: Any = "select * from research.vectors") -> list[dict[str, Any]]:
    with psycopg.connect(uri) as conn, conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query).fetchall()


def do(uri: str, statement: Any) -> None:
    with psycopg.connect(uri) as conn:
        conn.execute(statement)


async def found(query: str, model: str | None = OFFLINE) -> list[str]:
    return [hit["article_id"] for hit in (await meaning.search(query, model=model, limit=5))[0]]


async def test_questions_find_their_article(agents_on_seeded_database: str) -> None:
    assert (await found("How long does standard delivery take?"))[0] == "delivery-times"
    assert (await found("my blender arrived broken, what now"))[0] == "damaged-on-arrival"
    assert await found("Who won the football world cup in 1966?") == []
    assert await found("") == []


async def test_vectors_are_made_once(agents_on_seeded_database: str) -> None:
    await asyncio.gather(*(found("delivery") for _ in range(4)))
    first = rows(agents_on_seeded_database)
    assert len(first) > 90
    assert {(row["model"], row["dimension"]) for row in first} == {(OFFLINE, 384)}
    await found("refund")
    assert rows(agents_on_seeded_database) == first


async def test_an_edited_article_gets_a_new_vector_and_the_old_text_is_found_no_more(
    agents_on_seeded_database: str,
) -> None:
    uri = agents_on_seeded_database
    await found("delivery")
    before = len(rows(uri))
    do(
        uri,
        "update shop.articles set body = 'Zeppelins carry parcels on Sundays.' where article_id = 'delivery-times'",
    )
    (hit, *_), _ = await meaning.search("Do zeppelins carry parcels?", model=OFFLINE, limit=1)
    assert (hit["article_id"], hit["excerpt"]) == ("delivery-times", "Zeppelins carry parcels on Sundays.")
    assert len(rows(uri)) == before + 1
    hits, _ = await meaning.search("How long does standard delivery take?", model=OFFLINE, limit=9)
    assert not [hit for hit in hits if "Outside the mainland" in hit["excerpt"]]


async def test_each_model_meets_its_own_vectors_alone(
    agents_on_seeded_database: str, openai_server: OpenAIServer, model: str
) -> None:
    await found("delivery")
    openai_server.responder = vectors(8)
    assert await found("How long does standard delivery take?", model)
    kept = {(row["model"], row["dimension"]) for row in rows(agents_on_seeded_database)}
    assert kept == {(OFFLINE, 384), (model, 8)}
    asked = sum(len(call.body["input"]) for call in openai_server.calls)
    await found("and express delivery?", model)
    assert sum(len(call.body["input"]) for call in openai_server.calls) == asked + 1  # the query alone
    await embeddings.close()


async def test_a_model_that_changed_its_dimension_is_asked_anew(
    agents_on_seeded_database: str, openai_server: OpenAIServer, model: str
) -> None:
    openai_server.responder = vectors(8)
    await found("delivery", model)
    openai_server.responder = vectors(12)
    assert await found("How long does standard delivery take?", model)
    assert {row["dimension"] for row in rows(agents_on_seeded_database)} == {12}
    await embeddings.close()


async def test_two_dimensions_in_one_search_are_refused(
    agents_on_seeded_database: str, openai_server: OpenAIServer, model: str
) -> None:
    def changing(call: Call) -> Action:
        return vectors(8 if len(call.body["input"]) == 1 else 9)(call)

    openai_server.responder = changing
    with pytest.raises(ModelUnavailable, match="of 8 and of 9 numbers"):
        await found("delivery", model)
    assert rows(agents_on_seeded_database) == []
    await embeddings.close()


async def test_the_table_takes_no_vector_of_another_length(agents_on_seeded_database: str) -> None:
    for broken in ("array[1, 2]::real[], 3", "array[1, null]::real[], 2", "array[]::real[], 0"):
        with pytest.raises(psycopg.errors.CheckViolation):
            do(
                agents_on_seeded_database,
                "insert into research.vectors (content_hash, model, embedding, dimension) "
                f"values (repeat('a', 64), 'm', {broken})",
            )


async def test_without_pgvector_words_are_searched_and_it_is_said(agents_on_seeded_database: str) -> None:
    do(agents_on_seeded_database, "drop extension vector")
    with pytest.raises(meaning.NoVectors, match="create extension vector"):
        await found("delivery")
    values = await retrieval.ainvoke({"question": "How long does standard delivery take?"})
    assert values["passages"][0]["places"][0]["where"] == "delivery-times"
    assert (values["searched"], values["failed"]) == (["articles"], ["meaning"])
    assert "no pgvector" in values["degraded"][0]
    do(agents_on_seeded_database, "create extension vector")
    assert (await found("How long does standard delivery take?"))[0] == "delivery-times"


async def test_a_server_that_does_not_know_the_extension_is_migrated_all_the_same(
    empty_database: str,
) -> None:
    """The migration with the name of an extension that no server has; it says so, and makes its tables."""
    migration = (MIGRATIONS / "0023_research.sql").read_text(encoding="utf-8")
    other = migration.replace("if not exists vector", "if not exists no_such_extension")
    assert other != migration
    said = list[str]()
    with psycopg.connect(empty_database) as conn:
        conn.add_notice_handler(lambda notice: said.append(notice.message_primary or ""))
        conn.execute(other.encode())
        conn.execute(
            "insert into research.searches (source, key, answer) values ('web', repeat('a', 64), '[]')"
        )
    assert any("searched by their words alone" in notice for notice in said)
