"""Starts the jail, waits for it no longer than its time, and judges what came of it.

The process is a new one with an environment of its own making, no open file of ours, a session and a directory of
its own; it is killed whole, since it can start nothing. Started and waited for in threads: the event loop goes on.
"""

import asyncio
import json
import secrets
import shutil
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from agents.shared.sandbox.process import Jailed
from agents.shared.sandbox.verdicts import Ending, Told, Verdict, judge, read

AT_ONCE = 4
"""Jails of one process of ours at the same time; the others wait."""


@dataclass(frozen=True)
class Limits:
    """What code may take: wall time, computing, address space, and the size of a file."""

    time_s: float = 10.0
    cpu_s: int = 5
    memory_mb: int = 512
    file_mb: int = 8


LIMITS = Limits()


async def run(
    code: str,
    tests: str,
    limits: Limits = LIMITS,
    *,
    python: str = sys.executable,
    namespaces: bool = True,
) -> Verdict:
    """Run the tests of the code; whatever it does, there is a verdict.

    `python` is the interpreter; `namespaces=False` does without the walls behind the walls, as a kernel that refuses
    them would. Cancelled, it kills the process before it gives way.
    """
    verdict = await _watched(code, tests, limits, python, namespaces)
    if namespaces and verdict["kind"] == "unprotected":  # perhaps for a namespace that was given by half
        return await _watched(code, tests, limits, python, namespaces=False)
    return verdict


async def _watched(code: str, tests: str, limits: Limits, python: str, namespaces: bool) -> Verdict:
    stop = threading.Event()
    running = asyncio.get_running_loop().run_in_executor(
        _threads(), _run, code, tests, limits, python, namespaces, stop
    )
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([running])
        raise


@cache
def _threads() -> ThreadPoolExecutor:
    """Not the loop's own threads, which others need in the meantime."""
    return ThreadPoolExecutor(AT_ONCE, thread_name_prefix="jail")


def _run(
    code: str, tests: str, limits: Limits, python: str, namespaces: bool, stop: threading.Event
) -> Verdict:
    nonce = secrets.token_hex(16)
    place = Path(tempfile.mkdtemp(prefix="jail-"))
    spec = {
        "nonce": nonce,
        "code": code,
        "tests": tests,
        "place": str(place),
        "limits": asdict(limits),
        "namespaces": namespaces,
    }
    try:
        jailed = Jailed.start(python, place, json.dumps(spec).encode())
        ending = jailed.watch(limits.time_s, stop)
    except OSError as error:  # the machine is out of processes, files or room: nothing was run
        return judge(Told(unprotected=str(error)), Ending(1, 0.0), cpu_limit_s=0, time_limit_s=0)
    finally:
        _remove(place)
    return judge(
        read(jailed.report.decode(errors="replace").splitlines(), nonce),
        ending,
        cpu_limit_s=limits.cpu_s,
        time_limit_s=limits.time_s,
    )


def _remove(place: Path) -> None:
    """Directories that code has made unreadable among the rest."""
    for directory in (
        place,
        *(entry for entry in place.rglob("*") if entry.is_dir() and not entry.is_symlink()),
    ):
        directory.chmod(0o700)
    shutil.rmtree(place, ignore_errors=True)
