"""What is down: the model over real HTTP, the database, the roles. Counted, noted, buried; bugs fail loudly."""

import asyncio
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from agents.shared import database, models
from agents.sql_operator import access
from agents.sql_operator.rules import answer as written_rules
from tests.agents.sql_operator.in_process import SET_LEVEL, Desk, hurry, level, rows, writes
from tests.fakes.openai_answers import Action, Call, Cut, Hang, Raw, Say, Status, by_rules
from tests.fakes.openai_server import OpenAIServer

PENDING = "How many pending orders are there?"


@pytest.fixture
def hurried(desk: str, monkeypatch: pytest.MonkeyPatch) -> str:
    hurry(monkeypatch)
    return desk


@pytest.fixture
def model() -> str:
    """A name of its own, for a breaker of its own."""
    return f"openai:{uuid4().hex}"


PASSING: dict[str, Action] = {
    "500": Status(500),
    "429": Status(429, headers={"Retry-After": "0"}),
    "garbage": Raw(b"<html>not json"),
    "reset": Cut(),
}


@pytest.mark.parametrize("trouble", PASSING.values(), ids=PASSING)
async def test_a_model_that_is_back_at_the_third_try_answers(
    openai_server: OpenAIServer, hurried: str, model: str, trouble: Action
) -> None:
    openai_server.responder = by_rules(written_rules)
    openai_server.script(trouble, trouble)
    state = await Desk.open(model=model).ask(PENDING)
    assert state.get("sql", "").startswith("SELECT COUNT(*)")
    assert (len(openai_server.calls), state["degraded"]) == (3, [])


async def test_a_model_that_stays_away_gives_way_to_the_rules_and_it_is_noted(
    openai_server: OpenAIServer, hurried: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    openai_server.responder = lambda _: Status(503)
    state = await Desk.open(model=model).ask(PENDING)
    assert len(openai_server.calls) == 3
    assert state["degraded"][0].startswith(f"model {model} down: ")
    assert set(state["usage"]) == {"generate|offline:rules"}


async def test_a_model_that_hangs_is_left_after_its_time(
    openai_server: OpenAIServer, hurried: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "ask", partial(models.ask, timeout_s=0.2))
    openai_server.responder = lambda _: Hang()
    state = await Desk.open(model=model).ask(PENDING)
    assert "timeout" in state["degraded"][0]


async def test_a_model_is_told_what_was_wrong_and_may_mend_it_twice(
    openai_server: OpenAIServer, hurried: str, model: str
) -> None:
    told: list[str] = []

    def answers(call: Call) -> Action:
        told.append(str(call.body["messages"][0]["content"]))
        sql = ("drop table stock", "select nothing from orders", "select count(*) from orders")[len(told) - 1]
        return Say(tool_calls=(("Statement", {"sql": sql, "explanation": "It counts."}),))

    openai_server.responder = answers
    talk = Desk.open(model=model)
    state = await talk.ask(PENDING)
    assert (await talk.next(), state.get("sql")) == (("execute",), "SELECT COUNT(*) FROM desk.orders")
    assert "<problem>DROP is not allowed" in told[1]
    assert '<problem>the database refuses it: column "nothing" does not exist' in told[2]


async def test_a_model_that_never_mends_it_ends_refused(
    openai_server: OpenAIServer, hurried: str, model: str
) -> None:
    openai_server.responder = lambda _: Say(tool_calls=(("Statement", {"sql": "truncate stock"}),))
    talk = Desk.open(model=model)
    state = await talk.ask(PENDING)
    assert (await talk.next(), state.get("outcome"), len(openai_server.calls)) == ((), "refused", 3)


async def test_a_model_that_breaks_the_schema_is_asked_again(
    openai_server: OpenAIServer, hurried: str, model: str
) -> None:
    openai_server.responder = lambda _: Say("I would rather chat.")
    state = await Desk.open(model=model).ask(PENDING)
    assert (state.get("outcome"), len(openai_server.calls)) == ("refused", 3)


async def test_no_model_sees_a_row(openai_server: OpenAIServer, hurried: str, model: str) -> None:
    openai_server.responder = by_rules(written_rules)
    talk = Desk.open(model=model)
    await talk.ask("top 3 customers")
    state = await talk.approve()
    name = (state.get("result") or {})["rows"][0][0]
    assert name in state["messages"][-1].text
    assert not any(name in str(call.body) for call in openai_server.calls)


async def test_a_database_that_is_away_ends_in_a_dead_letter_once_it_is_back(
    hurried: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, tried = Desk.open(), 0

    async def away(*_: Any, **__: Any) -> None:
        nonlocal tried
        tried += 1
        raise database.DatabaseUnavailable("gone")

    monkeypatch.setattr(access, "plan_only", away)
    state = await talk.ask(PENDING)
    assert (state.get("outcome"), tried) == ("unavailable", 3)
    (letter,) = rows(
        hurried, "select graph, node from shop.dead_letters where thread_id = %s", talk.thread_id
    )
    assert letter == {"graph": "sql_operator", "node": "preview"}


async def test_with_the_whole_database_away_the_run_still_ends(hurried: str) -> None:
    talk = Desk.open()
    await talk.ask(SET_LEVEL)
    await database.close()
    database.configure("postgresql://nobody@127.0.0.1:9/none")
    state = await talk.approve()
    assert (state.get("outcome"), await talk.next()) == ("unavailable", ())
    assert any(line.startswith("dead_letter: ") for line in state["degraded"])
    database.configure(hurried)
    assert writes(hurried, talk) == 0


async def test_the_connection_cut_in_the_middle_of_a_write_is_tried_again_and_done_once(
    hurried: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, sessions = Desk.open(), []
    await talk.ask(SET_LEVEL)
    original = access.carry_out

    async def cut_after(*args: Any, **options: Any) -> Any:
        done = await original(*args, **options)
        if not sessions:  # the write is committed, and its answer does not arrive
            sessions.append(1)
            raise database.DatabaseUnavailable("cut")
        return done

    monkeypatch.setattr(access, "carry_out", cut_after)
    state = await talk.approve()
    assert (state.get("outcome"), level(hurried), writes(hurried, talk)) == ("changed", 25, 1)
    assert (state.get("result") or {})["repeated"] is True


async def test_of_a_write_that_was_lost_at_its_commit_nobody_says_that_nothing_was_changed(
    hurried: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was committed, its answer was lost, and the database stayed away: asked for again it would be done twice."""
    talk, original, away = Desk.open(), access.carry_out, list[int]()
    await talk.ask(SET_LEVEL)

    async def lost(*args: Any, **options: Any) -> Any:
        if not away:
            await original(*args, **options)
        away.append(1)
        raise database.DatabaseUnavailable("cut")

    monkeypatch.setattr(access, "carry_out", lost)
    state = await talk.approve()
    assert (state.get("outcome"), len(away), level(hurried), writes(hurried, talk)) == (
        "unavailable",
        3,
        25,
        1,
    )
    said = state["messages"][-1].text
    assert "nothing was changed" not in said
    assert "may have been done" in said
    (letter,) = rows(hurried, "select detail from shop.dead_letters where thread_id = %s", talk.thread_id)
    (kept,) = rows(
        hurried,
        "select idempotency_key as key from desk.writes where starts_with(idempotency_key, %s)",
        f"write:{talk.thread_id}",
    )
    assert letter["detail"]["key"] == kept["key"], "by which an operator finds whether it was"


async def test_of_a_query_that_could_not_be_run_it_is_said_that_nothing_was_changed(
    hurried: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Desk.open()
    await talk.ask(PENDING)

    async def away(*_: Any, **__: Any) -> None:
        raise database.DatabaseUnavailable("gone")

    monkeypatch.setattr(access, "fetch", away)
    assert "nothing was changed" in (await talk.approve())["messages"][-1].text


async def test_a_bug_fails_loudly_at_once_and_keeps_the_breakpoint(
    hurried: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, calls = Desk.open(), 0
    await talk.ask(PENDING)
    original = access.fetch

    async def bug(*_: Any, **__: Any) -> Any:
        nonlocal calls
        calls += 1
        raise ValueError("a bug")

    monkeypatch.setattr(access, "fetch", bug)
    with pytest.raises(ValueError, match="a bug"):
        await talk.approve()
    assert (calls, await talk.next()) == (1, ("execute",))
    monkeypatch.setattr(access, "fetch", original)
    assert (await talk.approve()).get("outcome") == "answered"


async def test_two_runs_that_carry_out_one_write_at_once_do_it_once(desk: str) -> None:
    sql = "UPDATE desk.stock SET on_hand = on_hand + 1 WHERE sku = 'P9001-1'"
    before = rows(desk, "select on_hand as n from desk.stock where sku = 'P9001-1'")[0]["n"]
    done = await asyncio.gather(
        *(access.carry_out(sql, key="k", tenant="main", timeout_s=5, expected=1) for _ in range(5))
    )
    assert sorted(repeated for _, repeated in done) == [False, True, True, True, True]
    assert rows(desk, "select on_hand as n from desk.stock where sku = 'P9001-1'")[0]["n"] == before + 1
