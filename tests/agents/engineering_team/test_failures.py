"""What is down, or answers badly: models over real HTTP, the database, the walls. Tried again, noted, told."""

from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from agents.engineering_team import library, tools
from agents.engineering_team.ledger import digest
from agents.engineering_team.workers import writing
from agents.shared import database, models
from agents.shared.sandbox import runner
from tests.agents.engineering_team.in_process import (
    CELSIUS,
    QUESTION,
    SIGNATURE,
    Team,
    asked,
    deliverables,
    hurry,
    in_turn,
    letters,
    made,
    reply,
    scripted,
    who,
)
from tests.fakes.openai_answers import Action, Cut, Hang, Raw, Say, Status
from tests.fakes.openai_server import OpenAIServer

SLOW = pytest.mark.slow
WORKERS = ("research", "code", "lead", "review")
TASK = "Write a function that verifies the signature of a webhook, by our house rules."
DOWN: dict[str, Action] = {
    "500": Status(500),
    "429": Status(429, headers={"Retry-After": "0"}),
    "400": Status(400),
    "401": Status(401),
    "garbage": Raw(b"<html>not json"),
    "reset": Cut(),
    "hang": Hang(),
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    monkeypatch.setattr("agents.shared.models.trying.TIMEOUT_S", 0.3)
    monkeypatch.setattr(models, "ask", partial(models.ask, timeout_s=0.3))


@pytest.fixture
def model() -> str:
    """A name of its own, for a breaker of its own."""
    return f"openai:{uuid4().hex}"


@pytest.mark.parametrize(
    "worker", ["supervise", "audit", *(pytest.param(one, marks=SLOW) for one in WORKERS)]
)
async def test_whoever_has_no_model_goes_by_the_rules_and_it_is_noted(
    openai_server: OpenAIServer, workshop: str, model: str, worker: str
) -> None:
    openai_server.responder = scripted(**{worker: Status(500)})
    state = await Team.open(model=model).ask(TASK)
    assert made(state)["outcome"] == "delivered"
    assert state["degraded"][0].startswith(f"model {model} down: status 500")


@pytest.mark.parametrize(
    "name", [name if name in ("400", "garbage") else pytest.param(name, marks=SLOW) for name in DOWN]
)
async def test_each_kind_of_trouble_of_a_worker_ends_as_well(
    openai_server: OpenAIServer, workshop: str, model: str, name: str
) -> None:
    openai_server.responder = scripted(code=DOWN[name])
    state = await Team.open(model=model, max_handoffs=3).ask(CELSIUS)
    assert made(state)["outcome"] == "delivered"
    assert any(note.startswith(f"model {model} down") for note in state["degraded"])


@pytest.mark.parametrize("trouble", [Status(500), pytest.param(Raw(b"[]"), marks=SLOW)])
async def test_what_is_back_at_the_third_try_is_not_noted(
    openai_server: OpenAIServer, workshop: str, model: str, trouble: Action
) -> None:
    openai_server.responder = scripted()
    openai_server.script(trouble, trouble)
    state = await Team.open(model=model).ask(CELSIUS)
    assert (made(state)["outcome"], state["degraded"]) == ("delivered", [])


def writes(path: str, content: str) -> Say:
    return Say(tool_calls=(("write_file", {"path": path, "content": content}),))


USELESS: dict[str, Action] = {
    "nothing": Say(),
    "refusal": Say(refusal="No."),
    "chat": Say("I would rather chat."),
    "broken": Say(tool_calls=(("write_file", "{broken"),)),
    "outside": Say(tool_calls=(("write_file", {"path": "/etc/passwd", "content": "x"}),)),
    "traversal": Say(tool_calls=(("write_file", {"path": "../solution.py", "content": "x"}),)),
    "unknown tool": Say(tool_calls=(("launch", {}),)),
    "tests first": Say(tool_calls=(("run_tests", {}),)),
    "no python": writes("test_solution.py", "def broken(:"),
}


@pytest.mark.parametrize(
    "name", [name if name in ("nothing", "traversal") else pytest.param(name, marks=SLOW) for name in USELESS]
)
async def test_a_coder_that_writes_nothing_usable_ends_honestly(
    openai_server: OpenAIServer, workshop: str, model: str, name: str
) -> None:
    openai_server.responder = scripted(code=USELESS[name])
    state = await Team.open(model=model).ask(CELSIUS)
    assert made(state)["outcome"] == "incomplete"
    assert made(state)["missing"] == ["nothing could be found or written"]
    assert sum(who(call) == "code" for call in openai_server.calls) <= 12


async def test_the_log_of_a_refused_tool_tells_the_model_and_it_goes_on(
    openai_server: OpenAIServer, workshop: str, model: str
) -> None:
    tests = "from solution import f\n\n\ndef test_it():\n    assert f() == 1\n"
    good = 'def f():\n    """One."""\n    return 1\n'
    both = (
        ("write_file", {"path": "solution.py", "content": "```python\n" + good + "```"}),
        ("run_tests", {}),
    )
    openai_server.responder = scripted(
        code=in_turn(
            writes("test_solution.py", "def test_other(): pass"),
            Say(tool_calls=both),
            Say(tool_calls=(("run_tests", {}),)),
            Say("Done."),
        )
    )
    state = await Team.open(model=model).ask("Write it.", tests=tests)
    assert made(state)["outcome"] == "delivered"
    assert made(state)["files"] == {"solution.py": good, "test_solution.py": tests}
    told = [
        one["content"]
        for call in openai_server.calls[:6]
        for one in call.body["messages"]
        if one["role"] == "tool"
    ]
    assert any("The tests are the caller's" in text for text in told)
    assert any("files are being written in this very step" in text for text in told)
    assert any("all 1 tests passed" in text for text in told)


@pytest.mark.parametrize(
    "weaker",
    [
        "def test_a(): pass\n",
        "test_a = print\n",
        "def test_a():\n    assert f()\n\n\ndel test_a\n",
        "",
        "def broken(:",
    ],
)
def test_a_test_that_passed_stays_as_it_is(weaker: str) -> None:
    kept = "from solution import f\n\n\ndef test_a():\n    assert f()\n"
    writing.may_change("", kept, kept + "\n\ndef test_b():\n    assert f() == 1\n")
    writing.may_change("", kept, kept.replace("    assert", "    # a comment\n    assert"))
    with pytest.raises(writing.ToolRefused):
        writing.may_change(
            "", kept, weaker if weaker.startswith("def") else kept + weaker if weaker else "x = 1\n"
        )


async def test_a_test_that_passed_is_not_weakened(
    openai_server: OpenAIServer, workshop: str, model: str
) -> None:
    openai_server.responder = scripted()
    team = Team.open(model=model)
    weaker = "from solution import verify_signature\n\n\ndef test_right():\n    assert verify_signature\n"

    def second(call: Any) -> Action:
        if "findings" in str(call.body["messages"][1]["content"]) and len(call.body["messages"]) == 2:
            return writes("test_solution.py", weaker)
        return scripted()(call)

    openai_server.responder = scripted(code=second)
    state = await team.ask(SIGNATURE)
    assert "def test_wrong" in state.get("files", {})["test_solution.py"]
    assert (await team.question()).value["kind"] == "open_findings", "nor is what was not mended delivered"


NO_REPORT: dict[str, Action] = {
    "words": Say("Looks fine to me."), "another shape": Say(tool_calls=(("Report", {"x": 1}),)), "nothing": Say(),
}  # fmt: skip


@pytest.mark.parametrize(
    ("worker", "name"),
    [
        ("audit", "words"),
        ("review", "another shape"),
        *(
            pytest.param(worker, name, marks=SLOW)
            for worker in ("audit", "review", "research")
            for name in NO_REPORT
        ),
    ],
)
async def test_who_ends_without_a_report_is_noted_and_what_was_read_off_stands(
    openai_server: OpenAIServer, workshop: str, model: str, worker: str, name: str
) -> None:
    openai_server.responder = scripted(**{worker: NO_REPORT[name]})
    state = await Team.open(model=model, max_worker_calls=3).ask(TASK)
    assert made(state)["outcome"] == "delivered"
    assert "compare_digest" in made(state)["files"]["solution.py"], "the finding was there all the same"
    assert sum(who(call) == worker for call in openai_server.calls) <= 6


async def test_a_model_that_calls_tools_for_ever_has_its_last_step(
    openai_server: OpenAIServer, workshop: str, model: str
) -> None:
    openai_server.responder = scripted(research=Say(tool_calls=(("search_notes", {"query": "x"}),)))
    state = await Team.open(model=model, max_worker_calls=3).ask(QUESTION)
    assert sum(who(call) == "research" for call in openai_server.calls) == 3
    assert made(state)["outcome"] == "incomplete"
    last = [call for call in openai_server.calls if who(call) == "research"][-1]
    assert [tool["function"]["name"] for tool in last.body["tools"]] == ["ResearchReport"]
    assert "This is your last step" in last.body["messages"][0]["content"]


async def test_a_library_that_is_away_is_told_to_the_model_and_noted(
    workshop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = 0

    def away() -> Any:
        nonlocal tried
        tried += 1
        raise database.DatabaseUnavailable("gone", detail="host 10.0.0.7")

    monkeypatch.setattr(library, "connection", away)
    state = await Team.open().ask(TASK)
    assert tried == 3
    assert made(state)["outcome"] == "delivered"
    assert "researcher: search_notes: DatabaseUnavailable: gone" in state["degraded"]
    assert "10.0.0.7" not in str(state)


async def test_a_bug_in_a_tool_fails_loudly_and_the_thread_keeps_its_place(
    workshop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = library.search_articles

    async def bug(_: str) -> Any:
        raise ValueError("a bug")

    monkeypatch.setattr(library, "search_articles", bug)
    team = Team.open()
    with pytest.raises(ValueError, match="a bug"):
        await team.ask(QUESTION)
    assert await team.next() == ("researcher",)
    monkeypatch.setattr(library, "search_articles", original)
    assert made(await team.run(None))["outcome"] == "answered"


async def test_what_cant_be_kept_is_buried(workshop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = 0

    async def away(*_: Any, **__: Any) -> None:
        nonlocal tried
        tried += 1
        raise database.DatabaseUnavailable("gone")

    monkeypatch.setattr(tools, "keep", away)
    team = Team.open()
    state = await team.ask(CELSIUS)
    assert (made(state)["outcome"], tried) == ("unavailable", 3)
    assert "operators know of it" in reply(state)
    (letter,) = [row for row in letters(workshop) if row["thread_id"] == team.thread_id]
    assert (letter["graph"], letter["node"]) == ("engineering_team", "deliver")


async def test_with_the_whole_database_away_nothing_is_begun(workshop: str) -> None:
    await database.close()
    database.configure("postgresql://nobody@127.0.0.1:9/none")
    state = await Team.open().ask(CELSIUS)
    assert (made(state)["outcome"], asked(state)) == ("unavailable", [])
    assert any(line.startswith("dead_letter: ") for line in state["degraded"])


async def test_a_deliverable_is_kept_once_although_the_node_runs_again(
    workshop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = tools.keep

    async def dies(*args: Any, **more: Any) -> bool:
        await keep(*args, **more)
        raise RuntimeError("the process died here")

    team = Team.open()
    with monkeypatch.context() as patch:
        patch.setattr(tools, "keep", dies)
        with pytest.raises(RuntimeError, match="died here"):
            await team.ask(CELSIUS)
    assert made(await team.run(None))["outcome"] == "delivered"
    assert len([row for row in deliverables(workshop) if row["thread_id"] == team.thread_id]) == 1


async def test_a_run_from_the_past_does_not_replace_what_was_delivered(workshop: str) -> None:
    team = Team.open()
    await team.ask(CELSIUS)
    history = [one async for one in team.graph.aget_state_history(team.config)]
    before = next(one for one in history if one.next == ("deliver",))
    files = {**before.values["files"], "solution.py": before.values["files"]["solution.py"] + "\n# other\n"}
    values = {name: {**before.values[name], "of": digest(files)} for name in ("build", "review", "audit")}
    forked = await team.graph.aupdate_state(before.config, {"files": files, **values}, as_node="coder")
    state: Any = await team.graph.ainvoke(None, forked, context=team.context)
    assert made(state)["why"] == "this task was delivered before, with other code"
    (row,) = [row for row in deliverables(workshop) if row["thread_id"] == team.thread_id]
    assert "# other" not in row["files"]["solution.py"]


async def test_without_walls_nothing_is_run_read_or_delivered(
    workshop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unprotected(*_: Any) -> Any:
        return {
            "kind": "unprotected", "summary": "nothing was run: this machine can't wall it in (no Landlock)",
            "passed": 0, "total": 0, "failures": [], "attempts": [], "output": "", "seconds": 0.0, "walls": [],
        }  # fmt: skip

    monkeypatch.setattr(runner, "run", unprotected)
    for task, more in ((CELSIUS, {}), ("Audit this.", {"code": "x = 1\n"})):
        team = Team.open()
        state = await team.ask(task, **more)
        assert made(state)["outcome"] == "unavailable"
        assert [row for row in deliverables(workshop) if row["thread_id"] == team.thread_id] == []
        (letter,) = [row for row in letters(workshop) if row["thread_id"] == team.thread_id]
        assert "this machine can't wall it in" in letter["reason"]
