"""Sources and models that fail: tried as documented, noted, and the rest is answered; a bug fails at once."""

import asyncio
from pathlib import Path
from typing import Any

import psycopg
import pytest

from agents.shared import database
from agents.shared.retrieval import asking, graph
from agents.shared.retrieval.sources import folder
from tests.agents.research.study import DELIVERY, PAYPAL, Study, hurry, model_that, task_of
from tests.fakes.openai_answers import Action, Cut, Hang, Raw, Say, Status
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.search_server import SearchServer


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


@pytest.mark.parametrize("step", [Status(500), Status(429), Cut(), Raw(b"<html>welcome</html>")], ids=str)
async def test_a_web_search_that_is_away_degrades_the_answer(
    articles: str, tenant: str, engine: SearchServer, step: Action
) -> None:
    engine.script(*[step] * 3)
    study = Study.open(tenant=tenant)
    values = await study.ask(DELIVERY)
    assert len(engine.calls) == 3  # its own client's; the node doesn't multiply them
    assert values["outcome"] == "answered"
    (note,) = values["degraded"]
    assert note.startswith("the web: SearchUnavailable: web search")
    assert "failed: web" in str((await study.state())["trail"])
    assert (await study.ask(DELIVERY))["degraded"] == []  # the failure was not kept


async def test_one_stumble_is_not_even_noted(articles: str, tenant: str, engine: SearchServer) -> None:
    engine.script(Status(503), Hang())
    values = await Study.open(tenant=tenant, sources=["web"]).ask("When do tulips bloom?")
    assert (values["outcome"], values["degraded"], len(engine.calls)) == ("answered", [], 3)


async def test_a_key_that_is_refused_is_told(articles: str, tenant: str, engine: SearchServer) -> None:
    engine.script(Status(401))
    values = await Study.open(tenant=tenant).ask(DELIVERY)
    assert "check WEB_SEARCH_URL and WEB_SEARCH_API_KEY" in values["degraded"][0]
    assert (len(engine.calls), values["outcome"]) == (1, "answered")


async def test_what_one_sub_question_missed_is_open_and_the_others_stand(
    articles: str, tenant: str, engine: SearchServer
) -> None:
    usual = engine.responder
    engine.responder = lambda call: Status(500) if "sun" in call.body["query"] else usual(call)
    question = "When do tulips bloom? Do tulips need much sun?"
    values = await Study.open(tenant=tenant, sources=["web"]).ask(question)
    assert (values["outcome"], values["open_questions"]) == ("partial", ["Do tulips need much sun?"])
    assert values["sources"] and values["degraded"]


async def test_no_source_that_answers_is_not_the_same_as_nothing_found(
    articles: str, tenant: str, engine: SearchServer
) -> None:
    engine.script(*[Status(500)] * 9)
    study = Study.open(tenant=tenant, sources=["web"])
    values = await study.ask("When do tulips bloom?")
    assert (values["outcome"], values["sources"]) == ("unavailable", [])
    assert "none of the sources answered" in values["answer"]
    assert (await study.state())["standing"]["1.1"]["searched"] == 1  # a failure is no lead


async def test_a_folder_that_is_gone_is_told(articles: str, shelf: Path, tenant: str) -> None:
    await asyncio.to_thread(shelf.rmdir)
    values = await Study.open(tenant=tenant).ask(DELIVERY)
    assert (values["outcome"], len(values["degraded"])) == ("answered", 1)
    assert "STATIONMASTER_RESEARCH_FOLDER" in values["degraded"][0]
    assert str(shelf.parent) not in str(values)
    assert folder.is_offered()


async def test_embeddings_that_are_away_leave_the_words(articles: str, openai_server: OpenAIServer) -> None:
    openai_server.responder = lambda _: Status(500)
    values = await Study.open(embeddings="openai:text-embedding-3-small").ask(DELIVERY)
    assert values["outcome"] == "answered"
    assert values["degraded"][0].startswith("the help articles by meaning: ModelUnavailable: status 500")
    assert {source["source"] for source in values["sources"]} == {"articles"}
    assert len(openai_server.calls) == 3


async def test_a_database_that_is_away_is_an_error_at_the_beginning(articles: str) -> None:
    database.configure("postgresql://nobody@127.0.0.1:1/nothing")
    with pytest.raises(database.DatabaseUnavailable):
        await Study.open().ask(DELIVERY)


async def test_a_broken_table_of_articles_is_noted(agents_on_seeded_database: str, tenant: str) -> None:
    """What is wrong with our own database and passes by itself: a lock that is held too long, as one example."""
    with psycopg.connect(agents_on_seeded_database) as blocking:
        blocking.execute("lock table shop.articles in access exclusive mode")
        with psycopg.connect(agents_on_seeded_database, autocommit=True) as conn:
            name = conn.execute("select current_database()").fetchone()
            conn.execute(f"alter database \"{name[0]}\" set lock_timeout = '50ms'")  # type: ignore[index]
        values = await Study.open().ask(DELIVERY)
    assert values["outcome"] == "unavailable"
    assert [note.partition(": ")[2].partition(":")[0] for note in values["degraded"]] == [
        "LockNotAvailable"
    ] * 2


async def test_a_bug_in_a_source_fails_the_run_at_once(
    articles: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = list[int]()

    async def broken(*_: Any) -> Any:
        calls.append(1)
        raise ZeroDivisionError

    monkeypatch.setattr(asking.articles, "search_articles", broken)
    with pytest.raises(ZeroDivisionError):
        await Study.open().ask(DELIVERY)
    assert len(calls) == 1
    assert graph.SEARCHES["articles"] is asking.ask_articles


async def test_a_model_that_is_down_leaves_the_rules(articles: str, openai_server: OpenAIServer) -> None:
    openai_server.responder = lambda _: Status(500)
    values = await Study.open(model="openai:gpt-4.1-mini").ask(f"{DELIVERY} {PAYPAL}")
    assert values["outcome"] == "answered"
    assert all("used offline:rules" in note for note in values["degraded"])


@pytest.mark.parametrize(
    "answer",
    [Say("no tool"), Say(tool_calls=(("Plan", {"sub_questions": "one"}),)), Say(refusal="no")],
    ids=str,
)
async def test_a_plan_of_no_use_is_the_rules(articles: str, openai_server: OpenAIServer, answer: Say) -> None:
    openai_server.responder = model_that(plan=answer)
    values = await Study.open(model="openai:gpt-4.1-mini").ask(f"{DELIVERY} {PAYPAL}")
    assert values["sub_questions"] == [DELIVERY, PAYPAL]
    assert "plan: openai:gpt-4.1-mini gave an unusable answer" in values["degraded"][0]
    assert [task_of(call) for call in openai_server.calls].count("plan") == 1


async def test_a_plan_without_an_end_is_cut(articles: str, openai_server: OpenAIServer) -> None:
    many = [f"How long does delivery number {number} take?" for number in range(19)]
    openai_server.responder = model_that(plan=Say(tool_calls=(("Plan", {"sub_questions": many}),)))
    values = await Study.open(model="openai:gpt-4.1-mini", max_sub_questions=2).ask(DELIVERY)
    assert len([note for note in values["degraded"] if note.startswith("budget: not looked into")]) >= 9
    assert len([call for call in openai_server.calls if task_of(call) == "decompose"]) == 2


async def test_queries_of_no_use_are_the_rules(articles: str, openai_server: OpenAIServer) -> None:
    openai_server.responder = model_that(decompose=Say("I would search for delivery"))
    values = await Study.open(model="openai:gpt-4.1-mini").ask(DELIVERY)
    assert values["outcome"] == "answered"
    assert "decompose: openai:gpt-4.1-mini gave an unusable answer" in values["degraded"][0]


async def test_what_callers_are_told_holds_no_host_and_no_words_of_others(
    articles: str, tenant: str, engine: SearchServer, openai_server: OpenAIServer
) -> None:
    openai_server.responder = model_that(
        plan=Say(tool_calls=(("Plan", {"sub_questions": "words-of-the-model"}),))
    )
    engine.script(*[Cut()] * 3)
    values = await Study.open(tenant=tenant, model="openai:gpt-4.1-mini").ask(DELIVERY)
    assert len(values["degraded"]) == 2
    assert not any(part in str(values["degraded"]) for part in ("127.0.0.1", "words-of-the-model"))
