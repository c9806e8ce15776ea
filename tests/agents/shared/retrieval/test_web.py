"""A web search over real HTTP: what it asks, and what becomes of every way in which it can fail."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from agents.shared.resilience import Retries
from agents.shared.resilience.breaker import _KEEPERS  # pyright: ignore[reportPrivateUsage]
from agents.shared.resilience.in_process import ProcessKeeper
from agents.shared.retrieval import retrieval
from agents.shared.retrieval.sources import offered, web
from agents.shared.retrieval.sources.web import SearchRefused, SearchUnavailable, WebSearch
from tests.agents.shared.retrieval.searching import as_tenant
from tests.fakes.openai_answers import Action, Completion, Cut, Hang, Raw, Status
from tests.fakes.search_server import KEY, SearchServer, finds

TULIPS = ("Tulips", "https://garden.example/tulips", "Tulips bloom in April.")
QUICK = Retries(first_wait_s=0.01, jitter=0.0)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[SearchServer]:
    monkeypatch.setattr(_KEEPERS, "own", ProcessKeeper())
    with SearchServer.running(finds(TULIPS)) as engine:
        web.configure(WebSearch(engine.url, KEY, timeout_s=0.5, retries=QUICK))
        yield engine
    web.configure(None)


async def search(query: str = "tulips", limit: int = 5) -> list[Any]:
    return await web.web_search().search(query, limit)


async def test_it_asks_as_documented(engine: SearchServer) -> None:
    (hit,) = await search(" When do tulips bloom? " + "x" * 1_000)
    assert (hit.title, hit.where, hit.text) == TULIPS
    (call,) = engine.calls
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.body.keys() == {"query", "max_results"}
    assert len(call.body["query"]) == 400
    assert KEY not in repr(web.web_search())


@pytest.mark.parametrize(
    "step",
    [
        Status(500),
        Status(503),
        Status(429, headers={"Retry-After": "0"}),
        Cut(),
        Hang(),
        Raw(b"<html>"),
        Raw(b"[]"),
    ],
    ids=str,
)
async def test_a_passing_failure_is_tried_three_times_in_all(engine: SearchServer, step: Action) -> None:
    engine.script(step)
    assert len(await search()) == 1
    assert len(engine.calls) == 2
    engine.script(*[step] * 3)
    with pytest.raises(SearchUnavailable):
        await search()
    assert len(engine.calls) == 5


async def test_it_waits_as_long_as_it_is_asked_to(engine: SearchServer) -> None:
    engine.script(Status(429, headers={"Retry-After": "0.3"}))
    began = time.monotonic()
    await search()
    assert time.monotonic() - began >= 0.3


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_a_refusal_is_not_tried_again(engine: SearchServer, status: int) -> None:
    engine.script(Status(status))
    with pytest.raises(SearchRefused, match="WEB_SEARCH_API_KEY"):
        await search()
    assert len(engine.calls) == 1


async def test_a_redirect_leads_nowhere(engine: SearchServer) -> None:
    engine.script(Status(302, headers={"Location": "http://169.254.169.254/"}))
    with pytest.raises(SearchRefused):
        await search()


async def test_an_answer_without_an_end_is_cut_off(engine: SearchServer) -> None:
    engine.script(*[Raw(b" " * 3_000_000, "application/json")] * 3)
    with pytest.raises(SearchUnavailable, match="more than 2,000,000 bytes"):
        await search()


async def test_results_that_can_not_be_cited_are_passed_over(engine: SearchServer) -> None:
    results = [
        "tulips", None, {}, {"title": "t", "url": "javascript:alert(1)", "content": "x"},
        {"title": "t", "url": "https://a.example/ b", "content": "x"}, {"url": "https://a.example/", "content": " "},
        {"title": 3, "url": "https://a.example/", "content": "x"},
        {"url": "https://a.example/\0", "content": "x"},
        {"url": "https://a.example/good", "content": "\0\ud83d" + "x" * 10_000, "score": 0.4},
    ]  # fmt: skip
    engine.script(Completion({"results": results, "answer": "ignored"}))
    (hit,) = await search()
    assert (hit.title, hit.where, len(hit.text)) == (
        "https://a.example/good",
        "https://a.example/good",
        1_200,
    )


async def test_results_without_an_end_hold_nobody_up(engine: SearchServer) -> None:
    good = {"url": "https://a.example/good", "content": "x"}
    engine.script(Completion({"results": [good, *[0] * 600_000]}))
    await search("warm")  # the client's first use costs more than the reading
    engine.script(Completion({"results": [good, *[0] * 600_000]}))
    begun = time.thread_time()
    assert len(await search()) == 1
    assert time.thread_time() - begun < 0.5


def test_a_url_that_is_none_is_told_at_once() -> None:
    with pytest.raises(ValueError, match="http://"):
        WebSearch("ftp://a.example", KEY)


async def test_without_a_key_there_is_no_such_source() -> None:
    assert "web" not in offered()
    with pytest.raises(SearchRefused, match="WEB_SEARCH_API_KEY"):
        web.web_search()


async def of(tenant: str, question: str = "tulips", **more: Any) -> dict[str, Any]:
    asked: Any = {"question": question, "queries": [question], "sources": ["web"], **more}
    return await as_tenant(tenant, retrieval, asked)


async def test_what_was_found_is_used_again_by_the_same_tenant(
    agents_on_database: str, engine: SearchServer
) -> None:
    first = await of("north")
    assert await of("north", "Tulips") == {**first, "usage": {}}
    assert len(engine.calls) == 1
    await of("south")
    assert len(engine.calls) == 2
    await of("north", cache_minutes=0)
    assert len(engine.calls) == 3


async def test_a_failure_is_not_kept_and_nothing_found_is(
    agents_on_database: str, engine: SearchServer
) -> None:
    engine.script(*[Status(500)] * 3)
    values = await of("main")
    assert (values["failed"], values["searched"], values["passages"]) == (["web"], [], [])
    assert values["degraded"] == ["the web: SearchUnavailable: web search answered 500"]
    engine.script(Completion({"results": []}))
    assert (await of("main"))["searched"] == ["web"]
    assert (await of("main"))["passages"] == []
    assert len(engine.calls) == 4


async def test_what_is_too_old_is_asked_for_anew(agents_on_database: str, engine: SearchServer) -> None:
    import psycopg

    await of("main")
    with psycopg.connect(agents_on_database) as conn:
        conn.execute("update research.searches set kept_at = now() - interval '61 minutes'")
    await of("main", cache_minutes=90)
    assert len(engine.calls) == 1
    await of("main", cache_minutes=60)
    assert len(engine.calls) == 2
    with psycopg.connect(agents_on_database) as conn:
        conn.execute("update research.searches set kept_at = now() - interval '9 days'")
    await of("main", "asters")
    with psycopg.connect(agents_on_database) as conn:
        assert conn.execute("select count(*) from research.searches").fetchone() == (1,)
