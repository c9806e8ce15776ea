"""Reads the code, runs its tests one by one, and tells how each went."""

import ast
import os
import sys
import traceback
import types
import unittest
from collections.abc import Callable
from functools import partial
from typing import Any

CODE, TESTS = "solution", "test_solution"
WATCHED = {
    "socket.__new__": "opening a socket",
    "socket.connect": "connecting",
    "socket.getaddrinfo": "looking up a host",
    "os.fork": "starting a process",
    "os.forkpty": "starting a process",
    "os.exec": "starting a program",
    "os.posix_spawn": "starting a program",
    "os.spawn": "starting a program",
    "os.system": "starting a program",
    "subprocess.Popen": "starting a program",
    "os.kill": "sending a signal",
    "os.chmod": "changing a file's mode",
    "os.chown": "changing a file's owner",
    "os.listdir": "listing a directory",
    "os.remove": "removing a file",
    "shutil.rmtree": "removing a directory",
    "open": "opening a file",
}
"""What the log says that code tried; the walls don't depend on it."""
LONGEST = 2_000
Tell = Callable[..., None]


def run(code: str, tests: str, tell: Tell) -> None:
    """Events: attempt, syntax, collected (names), test (name), passed, failed (name, kind, error), end."""
    trees: dict[str, ast.Module] = {}
    for name, text in ((CODE, code), (TESTS, tests)):
        try:
            trees[name] = ast.parse(text, f"{name}.py")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            where = f"line {error.lineno}: " if isinstance(error, SyntaxError) else ""
            tell(event="syntax", file=f"{name}.py", error=f"{where}{_said(error)}")
            return
    _watch(tell)
    for name in [name for name in sys.modules if name.partition(".")[0] == "agents"]:
        del sys.modules[name]
    sources = {f"{CODE}.py": code, f"{TESTS}.py": tests}
    modules = {}
    for name, tree in trees.items():
        tell(event="test", name=f"import of {name}")
        module = types.ModuleType(name)
        module.__file__ = f"{name}.py"
        sys.modules[name] = modules[name] = module
        if not _tried(f"import of {name}", lambda m=module, t=tree: _execute(m, t), sources, tell):
            return
    found = dict(_collected(modules[TESTS]))
    tell(event="collected", names=list(found))
    for name, test in found.items():
        tell(event="test", name=name)
        if _tried(name, test, sources, tell):
            tell(event="passed", name=name)
    tell(event="end")


def _execute(module: types.ModuleType, tree: ast.Module) -> None:
    exec(compile(tree, module.__file__ or "", "exec"), module.__dict__)  # noqa: S102 - behind the walls; what it is for


def _collected(module: types.ModuleType) -> list[tuple[str, Callable[[], Any]]]:
    """Functions called test..., and the methods of unittest's cases, in the order of their definition."""
    found: list[tuple[str, Callable[[], Any]]] = []
    for name, thing in list(vars(module).items()):
        if name.startswith("test") and isinstance(thing, types.FunctionType):
            found.append((name, thing))
        elif (
            isinstance(thing, type)
            and issubclass(thing, unittest.TestCase)
            and thing is not unittest.TestCase
        ):
            methods = unittest.defaultTestLoader.getTestCaseNames(thing)
            found += [(f"{name}.{method}", partial(_case, thing, method)) for method in methods]
    return found


def _case(kind: type[unittest.TestCase], method: str) -> None:
    result = unittest.TestResult()
    kind(method).run(result)
    for _, text in [*result.errors, *result.failures]:
        raise AssertionError(text.strip().splitlines()[-1])


def _tried(name: str, test: Callable[[], Any], sources: dict[str, str], tell: Tell) -> bool:
    try:
        test()
    except BaseException as error:  # noqa: BLE001 - SystemExit and whatever else code may raise are failures of it
        tell(event="failed", name=name, kind=type(error).__name__, error=_told(error, sources))
        return False
    return True


def _told(error: BaseException, sources: dict[str, str]) -> str:
    """Lines of the code on the way, the innermost last, and what was raised."""
    lines = []
    for frame, number in list(traceback.walk_tb(error.__traceback__))[
        -8:
    ]:  # not extract_tb, which reads files
        name = frame.f_code.co_filename
        text = sources.get(name, "").splitlines()
        if 0 < number <= len(text):
            lines.append(f"{name}:{number}: {text[number - 1].strip()}")
    return "\n".join([*lines, _said(error)])[-LONGEST:]


def _said(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - a __str__ of the code's own
        text = "(an error that can't be printed)"
    return f"{type(error).__name__}: {text}".rstrip(": ")[:LONGEST]


def _watch(tell: Tell) -> None:
    told: set[str] = set()
    own = (sys.base_prefix, sys.prefix, os.getcwd(), "/dev/")  # noqa: PTH109

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        what = WATCHED.get(event)
        if what is None or len(told) >= 20:
            return
        if event == "open":
            path = arguments[0] if arguments else None
            if not isinstance(path, str) or not path.startswith("/") or path.startswith(own):
                return
            what = f"{what}: {path[:120]}"
        if what not in told:
            told.add(what)
            tell(event="attempt", what=what)

    sys.addaudithook(hook)
