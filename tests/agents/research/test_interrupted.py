"""Runs that are cut off or overtaken, and threads of an earlier release: nothing is done twice, and nothing lost."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from agents.research.graph import builder
from agents.research.state import State
from agents.shared.retrieval import asking
from tests.agents.research.study import DELIVERY, PAYPAL, Study, claiming, hurry, model_that, slow_for
from tests.fakes import older_research
from tests.fakes.openai_answers import Completion, Hang, Say, Status
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.search_server import SearchServer

TULIPS, SUN = "When do tulips bloom?", "Do tulips need much sun?"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


@pytest.fixture
async def saver(database: str) -> AsyncIterator[AsyncPostgresSaver]:
    """Checkpoints in Postgres, in a database of this test's own."""
    async with AsyncPostgresSaver.from_conn_string(database) as saver:
        await saver.setup()
        yield saver


async def cancelled_at(engine: SearchServer, study: Study, question: str, calls: int) -> None:
    """Ask, and cancel the run once the web search was asked so often."""
    run = asyncio.create_task(study.ask(question))
    await asyncio.to_thread(engine.wait_for, calls)
    await asyncio.sleep(0.2)  # what did not hang gets the time to be written
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run


async def test_a_run_that_goes_on_asks_again_only_what_was_not_finished(
    articles: str, saver: AsyncPostgresSaver, engine: SearchServer, tenant: str
) -> None:
    usual = engine.responder
    engine.responder = slow_for(SUN, usual)
    study = Study.open(saver, tenant=tenant, sources=["web"], cache_minutes=0)
    await cancelled_at(engine, study, f"{TULIPS} {SUN}", 2)
    assert await study.next() == ("investigate",)
    engine.responder = usual
    values = await study.run(None)
    assert sorted(engine.queries) == sorted([TULIPS, SUN, SUN])
    assert (values["outcome"], values["sub_questions"]) == ("answered", [TULIPS, SUN])
    trail = [step["did"] for step in (await study.state())["trail"] if step["node"] == "investigate"]
    assert len(trail) == 2


async def test_what_was_found_before_a_crash_within_a_sub_question_is_not_asked_again(
    articles: str,
    saver: AsyncPostgresSaver,
    engine: SearchServer,
    tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The retrieval has checkpoints of its own below its task: sources that answered are not asked again."""
    searched = list[str]()
    search_articles = asking.articles.search_articles

    async def counted(query: str, limit: int) -> Any:
        searched.append(query)
        return await search_articles(query, limit)

    monkeypatch.setattr(asking.articles, "search_articles", counted)
    engine.script(Hang())
    study = Study.open(saver, tenant=tenant, sources=["articles", "web"], cache_minutes=0)
    await cancelled_at(engine, study, DELIVERY, 1)
    values = await study.run(None)
    assert (values["outcome"], len(engine.calls), searched) == ("answered", 2, [DELIVERY])


async def test_a_new_question_takes_the_place_of_one_under_way(
    articles: str, saver: AsyncPostgresSaver, engine: SearchServer, tenant: str
) -> None:
    engine.responder = slow_for(SUN, engine.responder)
    study = Study.open(saver, tenant=tenant, sources=["web", "articles"])
    await cancelled_at(engine, study, f"{TULIPS} {SUN}", 2)
    values = await study.ask(PAYPAL)
    assert (values["outcome"], values["sub_questions"]) == ("answered", [PAYPAL])
    assert set((await study.state())["standing"]) == {"2.1"}
    assert "tulips" not in values["answer"].lower()
    assert len([query for query in engine.queries if query == SUN]) == 1


async def test_a_failed_run_goes_on_where_it_failed(
    articles: str, engine: SearchServer, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = Study.open(tenant=tenant, sources=["web"])
    hits = "agents.shared.retrieval.sources.web._hits"
    with monkeypatch.context() as broken:
        broken.setattr(hits, lambda _: 1 / 0)  # a bug of a release
        with pytest.raises(ZeroDivisionError):
            await study.ask(TULIPS)
    assert await study.next() == ("investigate",)
    assert (await study.run(None))["outcome"] == "answered"


async def older_study(**context: Any) -> Study:
    """A thread that an earlier release left before it wrote the answer; it holds none of the newer fields."""
    saver = InMemorySaver()
    study = Study.open(saver, **context)
    study.graph = older_research.older_builder().compile(checkpointer=saver, interrupt_before=["synthesise"])
    await study.ask(DELIVERY)
    assert await study.next() == ("synthesise",)
    assert not older_research.ADDED_SINCE & (await study.state()).keys()
    study.graph = builder.compile(checkpointer=saver, name="research")
    return study


async def test_a_thread_of_an_earlier_release_is_finished(articles: str) -> None:
    """`references` is computed on first read; the others' defaults are enough."""
    study = await older_study()
    values = await study.run(None)
    assert values["outcome"] == "answered"
    assert values["sources"][0]["where"] == "delivery-times"
    assert (await study.state())["references"]
    assert (await study.ask(PAYPAL))["outcome"] == "answered"


def test_the_older_graph_lacks_fields_and_nothing_else() -> None:
    older = older_research.older_builder().compile()
    assert set(builder.compile().channels) - set(older.channels) == older_research.ADDED_SINCE
    assert set(older.nodes) == set(builder.compile().nodes)
    assert set(State.__annotations__) >= older_research.ADDED_SINCE


async def test_a_retried_source_tells_no_failure(articles: str, engine: SearchServer, tenant: str) -> None:
    engine.script(Status(500))
    assert (await Study.open(tenant=tenant, sources=["web"]).ask(TULIPS))["degraded"] == []


async def test_what_a_checkpoint_can_not_hold_fails_no_run(
    articles: str, saver: AsyncPostgresSaver, engine: SearchServer, tenant: str, openai_server: OpenAIServer
) -> None:
    """NUL, half surrogates and endless numbers, from a caller, a model and the web."""
    strange = "\0 \ud83d \u202e"
    page = {"title": strange, "url": "https://a.example/", "content": f"Tulips {strange} bloom in April."}
    engine.responder = lambda _: Completion({"results": [page]})
    written = claiming(
        (f"Tulips {strange} bloom.", [1, 10**30, -(10**30)]), ("Tulips bloom in April. \0", [1])
    )
    planned = Say(tool_calls=(("Plan", {"sub_questions": [f"{TULIPS} {strange}"]}),))
    openai_server.responder = model_that(plan=planned, synthesise=written, mend=written)
    study = Study.open(saver, tenant=tenant, model="openai:gpt-4.1-mini", sources=["web"])
    values = await study.ask(f"{TULIPS} {strange}")
    assert (values["answer"], values["outcome"]) == ("Tulips bloom in April. [1]", "answered")
    assert "\0" not in str(values) and str(values).encode()
