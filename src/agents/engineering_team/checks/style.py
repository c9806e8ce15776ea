"""The reviewer's eyes: what can be read off a module without knowing what it is for. Reads code, runs nothing."""

import ast
from collections.abc import Callable, Iterator

from agents.engineering_team.checks import statements, unused
from agents.engineering_team.checks.finding import Finding, Severity
from agents.engineering_team.checks.reading import UNREADABLE, Code, read

Remark = tuple[str, int, Severity, str]
LONGEST_FUNCTION = 40
MOST_BRANCHES = 12
_BROAD = frozenset({"builtins.Exception", "builtins.BaseException"})
_MADE_ONCE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_BRANCHES = (
    ast.If,
    ast.For,
    ast.While,
    ast.AsyncFor,
    ast.ExceptHandler,
    ast.BoolOp,
    ast.IfExp,
    ast.match_case,
)


def look(source: str, tests: str = "") -> list[Finding]:
    """The findings on a module and, where they are given, on what its tests leave out, by line."""
    found: set[Remark]
    try:
        code = read(source)
        found = {remark for check in _CHECKS for remark in check(code)}
        found.update(_untested(code, tests))
    except UNREADABLE as error:
        found = {
            ("unreadable", 0, "high", f"can't be read as Python: {str(error).partition(chr(10))[0][:200]}")
        }
    return [
        Finding(area="style", rule=rule, line=line, severity=severity, message=message, by="check")
        for rule, line, severity, message in sorted(found, key=lambda remark: (remark[1], remark[0]))
    ]


def _excepts(code: Code) -> Iterator[Remark]:
    for node in code.nodes:
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        broad = node.type is None or any(code.dotted(one) in _BROAD for one in caught)
        if broad and not any(isinstance(one, ast.Raise) for one in ast.walk(node)):
            yield "broad-except", node.lineno, "medium", "catches everything, bugs among it: name the errors"
        elif all(isinstance(one, ast.Pass) for one in node.body):
            yield (
                "swallowed",
                node.lineno,
                "low",
                "an error passes without a word: say why, or use contextlib.suppress",
            )


def _functions(code: Code) -> Iterator[Remark]:
    for node in code.nodes:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        defaults = [*node.args.defaults, *(one for one in node.args.kw_defaults if one)]
        if any(_is_made_once(code, one) for one in defaults):
            yield (
                "mutable-default",
                node.lineno,
                "medium",
                f"a default of {node.name} is made once: use None",
            )
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > LONGEST_FUNCTION:
            yield "too-long", node.lineno, "low", f"{node.name} has {lines} lines: split it"
        if sum(isinstance(one, _BRANCHES) for one in ast.walk(node)) > MOST_BRANCHES:
            yield (
                "too-many-branches",
                node.lineno,
                "low",
                f"{node.name} has over {MOST_BRANCHES} branches: split it",
            )
        if _is_public(code, node) and not ast.get_docstring(node):
            yield (
                "no-docstring",
                node.lineno,
                "low",
                f"{node.name} says nothing about itself: add a docstring",
            )


def _is_made_once(code: Code, node: ast.expr) -> bool:
    made = ("builtins.list", "builtins.dict", "builtins.set", "collections.defaultdict", "collections.deque")
    return isinstance(node, _MADE_ONCE) or (isinstance(node, ast.Call) and code.dotted(node.func) in made)


def _is_public(code: Code, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return not node.name.startswith("_") and isinstance(code.parents[node], ast.Module)


def _untested(code: Code, tests: str) -> Iterator[Remark]:
    if not tests.strip():
        return
    nodes = [*read(tests).nodes, *code.nodes]
    used = {getattr(one, "id", None) or getattr(one, "attr", None) for one in nodes}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for node in code.tree.body:
        if isinstance(node, kinds) and not node.name.startswith("_") and node.name not in used:
            yield "untested", node.lineno, "medium", f"no test uses {node.name}: add one"


_CHECKS: tuple[Callable[[Code], Iterator[Remark]], ...] = (_excepts, unused.names, _functions, statements.odd)
