"""Answers and code that are made to cost much, or to bring it down."""

import time
from typing import Any

import pytest

from agents.engineering_team import tools
from agents.engineering_team.checks import security, style
from agents.engineering_team.workers.writing import LONGEST_FILE, ToolRefused, may_change
from tests.agents.engineering_team.in_process import CELSIUS, Team, hurry, in_turn, made, scripted
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
