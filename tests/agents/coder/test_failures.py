"""What is down: the model over real HTTP, the database, the walls. Counted, noted, buried; bugs fail loudly."""

from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from agents.coder import tools
from agents.coder.rules import answer as written_rules
from agents.shared import database, models
from agents.shared.sandbox import runner
from tests.agents.coder.in_process import GOOD, Bench, hurry, kinds, letters, solutions, writes
from tests.fakes.openai_answers import Action, Cut, Hang, Raw, Say, Status, by_rules
from tests.fakes.openai_server import OpenAIServer

TASK = "fizzbuzz, please"
PASSING: dict[str, Action] = {
    "500": Status(500),
    "429": Status(429, headers={"Retry-After": "0"}),
    "garbage": Raw(b"<html>not json"),
    "reset": Cut(),
}


@pytest.fixture
def hurried(workshop: str, monkeypatch: pytest.MonkeyPatch) -> str:
    hurry(monkeypatch)
    return workshop


@pytest.fixture
def model() -> str:
    """A name of its own, for a breaker of its own."""
    return f"openai:{uuid4().hex}"


@pytest.mark.parametrize("trouble", PASSING.values(), ids=PASSING)
async def test_a_model_that_is_back_at_the_third_try_answers(
    openai_server: OpenAIServer, hurried: str, model: str, trouble: Action
) -> None:
    openai_server.responder = by_rules(written_rules)
    openai_server.script(trouble, trouble)
    state = await Bench.open(model=model).ask(TASK)
    assert (state.get("outcome"), len(openai_server.calls), state["degraded"]) == ("passed", 3, [])


async def test_a_model_that_stays_away_gives_way_to_the_rules_and_it_is_noted(
    openai_server: OpenAIServer, hurried: str, model: str
) -> None:
    openai_server.responder = lambda _: Status(503)
    state = await Bench.open(model=model).ask(TASK)
    assert (state.get("outcome"), len(openai_server.calls)) == ("passed", 3)
    assert state["degraded"][0].startswith(f"model {model} down: ")


async def test_a_model_that_hangs_is_left_after_its_time(
    openai_server: OpenAIServer, hurried: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "ask", partial(models.ask, timeout_s=0.2))
    openai_server.responder = lambda _: Hang()
    state = await Bench.open(model=model).ask(TASK)
    assert "timeout" in state["degraded"][0]


async def test_answers_without_code_use_up_the_rounds(
    openai_server: OpenAIServer, hurried: str, model: str
) -> None:
    openai_server.responder = lambda _: Say("I would rather chat.")
    bench = Bench.open(model=model)
    state = await bench.ask(TASK)
    assert (state.get("outcome"), len(openai_server.calls), kinds(state)) == ("failed", 3, [])
    assert "I have no code for this (the model answered in text" in state["messages"][-1].text


async def test_code_in_fences_is_code(openai_server: OpenAIServer, hurried: str, model: str) -> None:
    openai_server.responder = writes(f"```python\n{GOOD}```")
    assert (await Bench.open(model=model).ask("Double it.")).get("outcome") == "passed"


async def test_without_walls_nothing_is_run_and_it_is_buried(
    hurried: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unprotected(*_: Any) -> Any:
        return {
            "kind": "unprotected", "summary": "nothing was run: this machine can't wall it in (no Landlock)",
            "passed": 0, "total": 0, "failures": [], "attempts": [], "output": "", "seconds": 0.0, "walls": [],
        }  # fmt: skip

    monkeypatch.setattr(runner, "run", unprotected)
    state = await Bench.open().ask(TASK)
    assert (state.get("outcome"), len(state["tries"]), solutions(hurried)) == ("unavailable", 1, [])
    (letter,) = letters(hurried)
    assert (letter["graph"], letter["node"]) == ("coder", "verify")


async def test_a_database_that_is_away_keeps_nothing_and_says_so(
    hurried: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = 0

    async def away(*_: Any, **__: Any) -> None:
        nonlocal tried
        tried += 1
        raise database.DatabaseUnavailable("gone")

    monkeypatch.setattr(tools, "keep", away)
    state = await Bench.open().ask(TASK)
    assert (state.get("outcome"), tried) == ("unavailable", 3)
    (letter,) = letters(hurried)
    assert letter["node"] == "keep"


async def test_with_the_whole_database_away_the_run_still_ends(hurried: str) -> None:
    await database.close()
    database.configure("postgresql://nobody@127.0.0.1:9/none")
    state = await Bench.open().ask(TASK)
    assert (state.get("outcome"), kinds(state)) == ("unavailable", [])
    assert any(line.startswith("dead_letter: ") for line in state["degraded"])


async def test_a_bug_fails_loudly_at_once_and_the_thread_keeps_its_place(
    hurried: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, original = 0, tools.keep

    async def bug(*_: Any, **__: Any) -> Any:
        nonlocal calls
        calls += 1
        raise ValueError("a bug")

    monkeypatch.setattr(tools, "keep", bug)
    bench = Bench.open()
    with pytest.raises(ValueError, match="a bug"):
        await bench.ask(TASK)
    assert (calls, await bench.next()) == (1, ("keep",))
    monkeypatch.setattr(tools, "keep", original)
    assert (await bench.run(None)).get("outcome") == "passed"
