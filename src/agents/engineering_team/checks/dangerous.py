"""Calls that run, load or open what they should not: code from text, shells, pickles."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agents.engineering_team.checks.flowing import Flow, called, keywords
from agents.engineering_team.checks.wording import listed

if TYPE_CHECKING:
    from agents.engineering_team.checks.security import Hole

_RUNS_CODE = frozenset(
    {"builtins.eval", "builtins.exec", "builtins.compile", "code.InteractiveInterpreter", "timeit.timeit"}
)
_SHELLS = frozenset(
    {
        "os.system",
        "os.popen",
        "subprocess.getoutput",
        "subprocess.getstatusoutput",
        "asyncio.create_subprocess_shell",
    }
)
_UNPICKLES = listed(
    "pickle.load pickle.loads pickle.Unpickler _pickle.load _pickle.loads cPickle.load cPickle.loads dill.load "
    "dill.loads cloudpickle.load cloudpickle.loads marshal.load marshal.loads shelve.open pandas.read_pickle "
    "joblib.load jsonpickle.decode"
)
_YAML = frozenset({"yaml.load", "yaml.load_all", "yaml.unsafe_load", "yaml.full_load"})
_SAFE_YAML = frozenset({"yaml.SafeLoader", "yaml.CSafeLoader", "yaml.BaseLoader"})
_CONTEXTS = frozenset({"ssl._create_unverified_context", "ssl._create_stdlib_context"})
_UNSAFE_MODES = 0o022
_PROGRAMS = listed("sh bash dash zsh ksh cmd cmd.exe powershell")


def calls(flow: Flow) -> Iterator["Hole"]:
    """The findings of all calls."""
    for node in flow.code.nodes:
        match node:
            case ast.Call():
                for named in (node.func, *node.args):  # called, or handed on: map(eval, texts)
                    yield from _by_name(flow, node, flow.code.dotted(named))
            case ast.ClassDef(bases=bases):
                for base in bases:
                    if flow.code.dotted(base) in _UNPICKLES:
                        yield _unpickles(node.lineno, flow.code.dotted(base))
            case ast.Assert(test=test) if _guards(flow, test):
                message = "a check by assert is gone under python -O: raise an error instead"
                yield "assert-guards", node.lineno, "medium", message
            case _:
                pass


def _unpickles(line: int, name: str) -> "Hole":
    return "unsafe-loading", line, "high", f"{name} runs what the data says: use json instead"


def _by_name(flow: Flow, node: ast.Call, stands_for: str) -> Iterator["Hole"]:
    line = node.lineno
    if stands_for in _RUNS_CODE:
        name = stands_for.rpartition(".")[2]
        yield (
            "runs-text",
            line,
            "high",
            f"{name} runs text as code: parse it instead (json, ast.literal_eval)",
        )
    elif stands_for in _SHELLS or (stands_for.startswith("subprocess.") and _starts_shell(node)):
        yield "shell", line, "high", "starts a shell: give a list of arguments to subprocess.run instead"
    elif stands_for in _UNPICKLES:
        yield _unpickles(line, stands_for)
    elif stands_for in _YAML and not _loads_safely(flow, node):
        yield "unsafe-loading", line, "high", "yaml.load may build any object: use yaml.safe_load"
    elif stands_for in _CONTEXTS:
        yield "no-certificate-check", line, "high", "trusts every certificate: use ssl.create_default_context"
    elif stands_for == "tempfile.mktemp":
        yield (
            "guessable-file",
            line,
            "medium",
            "another process may make the file first: use tempfile.mkstemp",
        )
    elif stands_for == "os.chmod" and any(_mode(arg) & _UNSAFE_MODES for arg in node.args[1:]):
        yield "open-to-all", line, "medium", "lets others write to the file: use a mode such as 0o600"


def _starts_shell(node: ast.Call) -> bool:
    """`subprocess.run(["sh", "-c", text])`."""
    match node.args[:1]:
        case [
            ast.List(
                elts=[
                    ast.Constant(value=str(program)),
                    ast.Constant(value="-c" | "/c"),
                    ast.expr() as text,
                    *_,
                ]
            )
        ]:
            return program.rpartition("/")[2] in _PROGRAMS and not isinstance(text, ast.Constant)
        case _:
            return False


def _loads_safely(flow: Flow, node: ast.Call) -> bool:
    given = [*node.args[1:2], *(value for name, value in keywords(node) if name == "Loader")]
    return any(flow.code.dotted(value) in _SAFE_YAML for value in given)


def _guards(flow: Flow, test: ast.expr) -> bool:
    """An assertion over a secret, or over the constant-time comparison of one."""
    return any(
        (isinstance(one, ast.Call) and called(one) == "compare_digest")
        or (
            isinstance(one, ast.Compare)
            and any(flow.weight(side) == 2 for side in (one.left, *one.comparators))
        )
        for one in ast.walk(test)
    )


def _mode(node: ast.expr) -> int:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else 0
