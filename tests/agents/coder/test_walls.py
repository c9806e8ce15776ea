"""Code behind the walls, as it is run here and as a kernel that refuses namespaces would run it: each abuse ends in a
clean verdict, and nothing outside has changed.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Any

import psutil
import pytest
from blockbuster import blockbuster_ctx

from agents.shared.sandbox import process, runner
from agents.shared.sandbox.runner import Limits
from agents.shared.sandbox.verdicts import Verdict
from tests.agents.coder.abuses import ABUSES, NAMED

LIMITS = Limits(time_s=4, cpu_s=1, memory_mb=256, file_mb=8)
SECRET = "sk-a-secret-that-nobody-may-see"
TESTS = "def test_it():\n    import solution\n"
NOBODY = 65_534
ROOT = Path(__file__).parents[3]


def jails() -> list[psutil.Process]:
    """The jails of this process that run."""
    children = psutil.Process().children(recursive=True)
    return [one for one in children if "shared.sandbox" in str(one.cmdline())]


@dataclass
class Outside:
    """What code could reach for, and whether it has."""

    secret: Path
    outside: Path
    listener: socket.socket

    def filled(self, code: str) -> str:
        return code.format(
            secret=self.secret,
            outside=self.outside,
            port=self.listener.getsockname()[1],
            server=os.getpid(),
        )

    def untouched(self) -> bool:
        """No file, no connection, no process, nothing left behind."""
        self.listener.setblocking(False)
        try:
            self.listener.accept()
        except BlockingIOError:
            pass
        else:
            return False
        secret = self.secret.stat()
        return (
            self.secret.read_text() == SECRET
            and (secret.st_mode & 0o777, secret.st_mtime > 1) == (0o644, True)
            and not self.outside.exists()
            and not [
                one
                for one in psutil.Process().children(recursive=True)
                if "shared.sandbox" in str(one.cmdline())
            ]
            and not list(Path(tempfile.gettempdir()).glob("jail-*"))
        )


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> Iterator[Outside]:
    """A `.env` that everybody could read, a directory that everybody could write to, an open port, a secret.

    Not below pytest's own directory, which other users may not enter.
    """
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with (
        tempfile.TemporaryDirectory(prefix="outside-") as made,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        base = Path(made)
        (base / "jail").mkdir()
        secret = base / ".env"
        secret.write_text(SECRET)
        for path, mode in ((base, 0o777), (base / "jail", 0o777), (secret, 0o644)):
            path.chmod(mode)
        with monkeypatch.context() as patch:
            patch.setattr(tempfile, "tempdir", str(base / "jail"))
            yield Outside(secret, base / "outside", listener)


async def ended(code: str, *, namespaces: bool = True, tests: str = TESTS) -> Verdict:
    return await runner.run(code, tests, LIMITS, namespaces=namespaces)


def cases() -> Iterator[Any]:
    for name in ABUSES:
        for namespaces in (True, False):
            marks = () if name in NAMED and namespaces else pytest.mark.slow
            where = "here" if namespaces else "without namespaces"
            yield pytest.param(name, namespaces, marks=marks, id=f"{name}, {where}")


@pytest.mark.parametrize(("name", "namespaces"), list(cases()))
async def test_an_abuse_ends_in_a_clean_verdict_and_touches_nothing(
    outside: Outside, name: str, namespaces: bool
) -> None:
    code, kinds = ABUSES[name]
    verdict = await ended(outside.filled(code), namespaces=namespaces)
    assert verdict["kind"] in kinds, verdict
    assert verdict["summary"]
    assert SECRET not in json.dumps(verdict)
    assert outside.untouched()


@pytest.mark.parametrize("namespaces", [True, False], ids=["here", "without namespaces"])
async def test_honest_code_is_not_in_the_way(outside: Outside, namespaces: bool) -> None:
    code = """
import asyncio, datetime, decimal, json, random, re, sqlite3, statistics, tempfile, threading, time, uuid, zoneinfo
from pathlib import Path

def everything():
    async def later():
        await asyncio.sleep(0.01)
        return 1
    done = [asyncio.run(later())]
    thread = threading.Thread(target=done.append, args=(2,))
    thread.start(); thread.join()
    Path("a.txt").write_text("x")
    with tempfile.TemporaryDirectory() as place:
        Path(place, "b").write_text("y")
    uuid.uuid4(); time.sleep(0.01); zoneinfo.ZoneInfo("Europe/Berlin")
    sqlite3.connect(":memory:").execute("select 1")
    return done, Path("a.txt").read_text()
"""
    tests = (
        "from solution import everything\n\ndef test_a():\n    assert everything() == ([1, 2], 'x')\n\n"
        "import unittest\nclass Case(unittest.TestCase):\n    def test_b(self):\n        self.assertTrue(True)\n"
    )
    verdict = await ended(code, namespaces=namespaces, tests=tests)
    assert (verdict["kind"], verdict["passed"], verdict["total"]) == ("passed", 2, 2), verdict
    assert outside.untouched()


async def test_the_walls_that_stand_are_named(outside: Outside) -> None:
    here = (await ended(""))["walls"]
    without = (await ended("", namespaces=False))["walls"]
    assert [wall.partition(" (")[0] for wall in without][:2] == ["files", "system calls"]
    assert set(without) <= set(here)
    assert ("own user" in here) == (os.geteuid() == 0)


@pytest.mark.parametrize(
    ("code", "tests", "kind", "part"),
    [
        ("def f(:", TESTS, "syntax", "solution.py: line 1: SyntaxError"),
        ("x = " + "(" * 500 + ")" * 500, TESTS, "syntax", "too many nested parentheses"),
        ("x = 1", "def test_it(:", "syntax", "test_solution.py: line 1"),
        ("x = 1\0", TESTS, "syntax", "null bytes"),
        ("", "", "no_tests", "there is no test"),
        ("raise ValueError('at import')", TESTS, "failed", "1 of 1 tests failed"),
        ("import nothing_like_it", TESTS, "failed", "1 of 1 tests failed"),
        ("import sys; sys.exit(0)", TESTS, "failed", "1 of 1 tests failed"),
    ],
)
async def test_code_that_is_wrong_is_told_why(code: str, tests: str, kind: str, part: str) -> None:
    verdict = await ended(code, tests=tests)
    assert (verdict["kind"], part in verdict["summary"]) == (kind, True), verdict


async def test_a_failure_says_where_and_what(outside: Outside) -> None:
    verdict = await ended(
        "def half(x):\n    print('halving', x)\n    return x // 0\n",
        tests="from solution import half\n\ndef test_ok():\n    pass\n\ndef test_half():\n    assert half(4) == 2\n",
    )
    assert (verdict["passed"], verdict["total"], verdict["output"]) == (1, 2, "halving 4\n")
    (failure,) = verdict["failures"]
    assert failure["test"] == "test_half"
    assert failure["error"].splitlines() == [
        "test_solution.py:7: assert half(4) == 2",
        "solution.py:3: return x // 0",
        "ZeroDivisionError: integer division or modulo by zero",
    ]


async def test_the_event_loop_goes_on_meanwhile() -> None:
    """With blocking detection on, as in `langgraph dev`."""
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    with blockbuster_ctx():
        heart = asyncio.create_task(beat())
        verdict = await ended("import time\ntime.sleep(0.5)")
        heart.cancel()
    assert verdict["kind"] == "passed"
    assert beats >= 10


async def test_a_cancelled_run_leaves_no_process(outside: Outside) -> None:
    task = asyncio.create_task(ended("import time\ntime.sleep(600)"))
    await until(jails)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert outside.untouched()


async def test_where_a_wall_is_missing_nothing_is_run(
    monkeypatch: pytest.MonkeyPatch, outside: Outside
) -> None:
    """As on a kernel without Landlock: the jail itself finds out, before it has read the code."""
    boot = process.BOOT.replace(
        "sys.path.pop(0)",
        "from agents.shared.sandbox.jail import landlock; landlock._CREATE = 9999; sys.path.pop(0)",
    )
    monkeypatch.setattr(process, "BOOT", boot)
    verdict = await ended("open('ran', 'w')\nprint('ran')")
    assert (verdict["kind"], verdict["output"], verdict["walls"]) == ("unprotected", "", [])
    assert "nothing was run: this machine can't wall it in (" in verdict["summary"]


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110 - a look at other processes
            await asyncio.sleep(0.02)


async def test_a_process_that_can_not_be_started_is_a_verdict_too(outside: Outside) -> None:
    verdict = await runner.run("", TESTS, LIMITS, python="/nowhere/python")
    assert (verdict["kind"], "/nowhere/python" in verdict["summary"]) == ("unprotected", True)
    assert outside.untouched()


async def test_many_at_once_take_turns(outside: Outside) -> None:
    verdicts = await asyncio.gather(*(ended("x = 1") for _ in range(12)))
    assert {verdict["kind"] for verdict in verdicts} == {"passed"}
    assert outside.untouched()


async def test_a_killed_server_takes_its_jails_with_it(tmp_path: Path) -> None:
    script = (
        "import asyncio\nfrom agents.shared.sandbox.runner import run, Limits\n"
        "asyncio.run(run('import time\\ntime.sleep(600)', 'import solution', Limits(time_s=600)))"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    server = subprocess.Popen([sys.executable, "-c", script], env=environment)  # noqa: ASYNC220 - at once
    try:
        await until(psutil.Process(server.pid).children)
        jails = psutil.Process(server.pid).children()
    finally:
        server.kill()
        server.wait()
    await until(lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in jails))


SCRIPT = """
import asyncio, json, sys
from agents.shared.sandbox.runner import Limits, run

async def main():
    tests = "def test_it():\\n    import solution\\n"
    for name, code in json.load(sys.stdin):
        for namespaces in (True, False):
            verdict = await run(code, tests, Limits(4, 1, 256, 8), namespaces=namespaces)
            print(json.dumps([name, verdict]), flush=True)

asyncio.run(main())
"""


def ordinary_python() -> str | None:
    """An interpreter of at least 3.11 that every user may start."""
    found = which("python3", path="/usr/bin:/usr/local/bin")
    if found is None:
        return None
    done = subprocess.run([found, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"], check=False)
    return found if done.returncode == 0 else None


@pytest.mark.skipif(os.geteuid() != 0, reason="this is an ordinary user already")
def test_an_ordinary_user_is_walled_in_as_well(outside: Outside) -> None:
    python = ordinary_python()
    if python is None:
        pytest.skip("there is no interpreter that an ordinary user may start")
    names = [*NAMED, "a thread bomb", "changing a mode outside", "a program", "a disk full of files"]
    libraries = Path(psutil.__file__).parents[1]
    done = subprocess.run(
        [python, "-c", SCRIPT],
        input=json.dumps([(name, outside.filled(ABUSES[name][0])) for name in names]).encode(),
        env={
            "PYTHONPATH": f"{ROOT / 'src'}:{libraries}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": tempfile.gettempdir(),
        },
        user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(verdicts) == 2 * len(names), done.stderr.decode()
    for name, verdict in verdicts:
        assert verdict["kind"] in ABUSES[name][1], (name, verdict)
        assert "own user" not in verdict["walls"]
        assert SECRET not in json.dumps(verdict)
    assert outside.untouched()
