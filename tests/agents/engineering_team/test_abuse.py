"""Answers and state that are made to cost much, to bring it down, or to have somebody accept what was not shown."""

import time
from typing import Any

import pytest
from langgraph.types import Command

from agents.engineering_team import tools
from agents.engineering_team.checks import security, style
from agents.engineering_team.ledger import digest
from agents.engineering_team.workers.writing import LONGEST_FILE, ToolRefused, may_change
from tests.agents.engineering_team.in_process import (
    CELSIUS,
    Team,
    deliverables,
    hurry,
    in_turn,
    made,
    scripted,
)
from tests.agents.engineering_team.test_questions import GOOD, TESTS, UNSAFE, forged, waiting
from tests.fakes.openai_answers import Say
from tests.fakes.openai_server import OpenAIServer


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


async def test_tests_that_are_run_many_times_at_once_are_run_once(
    openai_server: OpenAIServer, workshop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[Any] = []
    ran = tools.runner.run

    async def counted(*args: Any, **more: Any) -> Any:
        runs.append(args)
        return await ran(*args, **more)

    monkeypatch.setattr(tools.runner, "run", counted)
    files = {
        "solution.py": "def one():\n    return 1\n",
        "test_solution.py": "from solution import one\n\n\ndef test_one():\n    assert one() == 1\n",
    }
    write = Say(
        tool_calls=tuple(("write_file", {"path": path, "content": text}) for path, text in files.items())
    )
    openai_server.responder = scripted(
        code=in_turn(write, Say(tool_calls=(("run_tests", {}),) * 12), Say("Done."))
    )
    state = await Team.open(model="openai:gpt-4.1-mini").ask(CELSIUS)
    assert made(state)["files"] == files
    assert len(runs) <= 3  # the coder's own, quality's where nobody has, and once more when it is delivered


@pytest.mark.parametrize(
    "deep",
    [
        "x = " + "not " * 2_500 + "1\n",
        "if x == 0:\n    pass\n" + "".join(f"elif x == {n}:\n    pass\n" for n in range(700)),
    ],
)
def test_tests_that_are_nested_too_deep_to_compare_are_refused_in_words(deep: str) -> None:
    text = "def test_it():\n" + "".join(f"    {line}\n" for line in deep.splitlines())
    with pytest.raises(ToolRefused, match="can't be read"):
        may_change("", text, text)


@pytest.mark.parametrize(
    "code",
    [
        "".join(f"def f{n}(x):\n return f{n - 1}(x)+f{n - 1}(x)\n" for n in range(600)),
        "def f(a):0\n" * 900 + "f(a)\n" * 2_000,
        "x = f" + '("a", "b")' * 80 + "\n",
        "import os\nx = " + "getattr(" * 60 + "os" + ', "b")' * 60 + "\n",
        "x = " + "map(f, " * 90 + "a" + ")" * 90 + "\n",
        "x = a" + ".strip(b)" * 150 + "\n",
        'x = "a"' + '.join(["b", c])' * 90 + "\n",
        "x = " + 'f"{a}" + ' * 90 + 'execute(f"{b}")\n',
    ],
)
def test_code_that_is_written_to_be_read_for_ever_is_read_in_no_time(code: str) -> None:
    begun = time.thread_time()
    style.look(code[:LONGEST_FILE], "from solution import f1\n")
    security.scan(code[:LONGEST_FILE])
    assert time.thread_time() - begun < 2.0


async def test_what_a_person_was_not_shown_is_not_accepted(workshop: str) -> None:
    team = Team.open()
    await team.ask("Hm.")
    files = {"solution.py": UNSAFE, "test_solution.py": TESTS}
    of = digest(files)
    nothing = {"of": of, "summary": "Nothing was found.", "findings": []}
    opinion = {
        "area": "style",
        "rule": "opinion",
        "line": 1,
        "severity": "medium",
        "message": "A name.",
        "by": "model",
    }
    await forged(
        team, as_node="quality", files=files, task="Mend it.", audit=nothing,
        review={**nothing, "findings": [opinion]},
        build={"of": of, "kind": "passed", "summary": "1 of 1", "passed": 1, "total": 1, "log": ""},
        results=[{"number": n, "worker": "coder", "ended": "nothing", "summary": "", "what": "x"} for n in (1, 2)],
    )  # fmt: skip
    await team.run(None)
    shown = (await team.question()).value["findings"]
    assert "unsafe-comparison" not in [one["rule"] for one in shown]
    state = await team.answer(action="accept")
    assert made(state)["outcome"] == "incomplete"
    assert not [row for row in deliverables(workshop) if row["thread_id"] == team.thread_id]


async def test_code_that_was_put_in_the_place_of_what_was_looked_at_is_not_delivered(workshop: str) -> None:
    team = await waiting()
    question = await team.question()
    other = {"files": {"solution.py": GOOD, "test_solution.py": TESTS}}
    state = await team.run(Command(resume={question.id: {"action": "accept"}}, update=other))
    assert made(state)["outcome"] == "incomplete"
    assert "nobody has looked at" in made(state)["why"]
    assert not [row for row in deliverables(workshop) if row["thread_id"] == team.thread_id]
