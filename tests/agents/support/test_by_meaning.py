"""Support uses the retrieval as a subgraph of its own, when its assistant asks for it."""

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from agents.shared.retrieval import retrieval
from agents.shared.retrieval.passages import Hit, passage_of
from agents.support.graph import graph
from agents.support.retrieving import articles_of, asked
from tests.agents.support.in_process import Talk, hurry, reply_of

QUESTION = "How long does standard delivery take?"
WORDS_AND_MEANING = "words_and_meaning"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


async def test_a_question_is_searched_by_words_unless_the_assistant_says_otherwise(
    agents_on_shop: str,
) -> None:
    by_words, by_meaning = Talk.open("M-1"), Talk.open("M-2", article_search=WORDS_AND_MEANING)
    one, two = await by_words.say(QUESTION), await by_meaning.say(QUESTION)
    assert "search_kb" in by_words.nodes and "search_by_meaning" not in by_words.nodes
    assert "search_by_meaning" in by_meaning.nodes and "search_kb" not in by_meaning.nodes
    assert one.get("outcome") == two.get("outcome") == "answered"
    assert reply_of(one).partition("see also")[0] == reply_of(two).partition("see also")[0]
    assert two["articles"][0]["article_id"] == "delivery-times"
    assert two["degraded"] == []


async def test_without_pgvector_the_words_are_enough_and_it_is_said(agents_on_shop: str) -> None:
    with psycopg.connect(agents_on_shop) as conn:
        conn.execute("drop extension vector")
    state = await Talk.open("M-3", article_search=WORDS_AND_MEANING).say(QUESTION)
    assert state.get("outcome") == "answered"
    assert "no pgvector" in state["degraded"][0]


async def test_articles_that_can_not_be_searched_at_all_are_for_a_person(agents_on_shop: str) -> None:
    with psycopg.connect(agents_on_shop, autocommit=True) as conn:
        name = conn.execute("select current_database()").fetchone()
        assert name
        conn.execute(SQL("alter database {} set lock_timeout = '50ms'").format(Identifier(name[0])))
        with conn.transaction():
            conn.execute("lock table shop.articles in access exclusive mode")
            talk = Talk.open("M-4", article_search=WORDS_AND_MEANING)
            assert (await talk.say(QUESTION)).get("outcome") == "dead_letter"


def test_the_mapping_is_explicit() -> None:
    assert asked("delivery") == {
        "question": "delivery", "queries": ["delivery"], "sources": ["articles", "meaning"], "limit": 3
    }  # fmt: skip
    passages = [passage_of("articles", Hit(f"Title {n}", f"id-{n}", f"text {n}")) for n in (1, 2)]
    found = articles_of(
        {"passages": passages, "searched": [], "failed": [], "searches": 0, "degraded": [], "usage": {}}
    )
    assert [(one["article_id"], one["title"], one["excerpt"], one["score"]) for one in found] == [
        ("id-1", "Title 1", "text 1", 1.0), ("id-2", "Title 2", "text 2", 0.5)
    ]  # fmt: skip


def test_it_is_seen_as_a_subgraph() -> None:
    assert dict(graph.get_subgraphs())["search_by_meaning"] is retrieval
