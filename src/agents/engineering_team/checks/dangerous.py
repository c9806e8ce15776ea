"""Calls that run, load or open what they should not: code from text, shells, pickles, connections without checks."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agents.engineering_team.checks.flowing import Flow, called
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


def calls(flow: Flow) -> Iterator["Hole"]:
    """The findings of all calls."""
    for node in flow.code.nodes:
        if isinstance(node, ast.Call):
            yield from _by_name(flow, node)
            yield from _by_arguments(flow, node)
        elif isinstance(node, ast.Assert) and _guards(flow, node.test):
            message = "a check by assert is gone under python -O: raise an error instead"
            yield "assert-guards", node.lineno, "medium", message


def _by_name(flow: Flow, node: ast.Call) -> Iterator["Hole"]:
    stands_for, line = flow.code.dotted(node.func), node.lineno
    if stands_for in _RUNS_CODE:
        yield (
            "runs-text",
            line,
            "high",
            f"{called(node)} runs text as code: parse it instead (json, ast.literal_eval)",
        )
    elif stands_for in _SHELLS:
        yield "shell", line, "high", "starts a shell: give a list of arguments to subprocess.run instead"
    elif stands_for in _UNPICKLES:
        yield "unsafe-loading", line, "high", f"{stands_for} runs what the data says: use json instead"
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


def _by_arguments(flow: Flow, node: ast.Call) -> Iterator["Hole"]:
    for name, value in _keywords(node):
        if name == "shell" and not _is(value, False, None, 0):
            yield (
                "shell",
                node.lineno,
                "high",
                "shell=True reads the text as a script: give a list of arguments instead",
            )
        elif name == "verify" and _is(value, False):
            yield (
                "no-certificate-check",
                node.lineno,
                "high",
                "verify=False trusts every certificate: leave it out",
            )
        elif name == "options" and isinstance(value, ast.Dict) and _unsigned(value):
            yield (
                "unsigned-token",
                node.lineno,
                "high",
                "the token's signature is not verified: leave the option out",
            )
        elif name == "algorithms" and any(
            isinstance(one, ast.Constant) and str(one.value).lower() == "none" for one in ast.walk(value)
        ):
            yield (
                "unsigned-token",
                node.lineno,
                "high",
                "'none' accepts tokens that nobody has signed: leave it out",
            )


def _keywords(node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Those that are named, and those in a dict that is written out behind `**`."""
    for keyword in node.keywords:
        if keyword.arg is not None:
            yield keyword.arg, keyword.value
        elif isinstance(keyword.value, ast.Dict):
            for key, value in zip(keyword.value.keys, keyword.value.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value


def _loads_safely(flow: Flow, node: ast.Call) -> bool:
    given = [*node.args[1:2], *(value for name, value in _keywords(node) if name == "Loader")]
    return any(flow.code.dotted(value) in _SAFE_YAML for value in given)


def _unsigned(options: ast.Dict) -> bool:
    return any(
        isinstance(key, ast.Constant) and key.value == "verify_signature" and _is(value, False)
        for key, value in zip(options.keys, options.values, strict=True)
    )


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


def _is(node: ast.expr, *values: object) -> bool:
    return isinstance(node, ast.Constant) and any(
        node.value is value or node.value == value for value in values
    )


def _mode(node: ast.expr) -> int:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else 0
