"""Comparisons that end at the first difference, of what nobody may guess: their time tells how much was right."""

import ast
from collections.abc import Iterator

from agents.engineering_team.checks.flowing import Flow, called
from agents.engineering_team.checks.wording import Weight

RULE = "unsafe-comparison"
_OPERATORS = frozenset(
    {"operator.eq", "operator.ne", "operator.__eq__", "operator.__ne__", "_operator.eq", "_operator.ne"}
)
_METHODS = frozenset({"__eq__", "__ne__"})
_LONGEST_WORD = 8
"""A literal below this, or of letters alone, is a keyword: `token == "while"`."""


def unsafe(flow: Flow) -> Iterator[tuple[int, Weight]]:
    """The lines of such comparisons, and what is compared there."""
    for node in flow.code.nodes:
        match node:
            case ast.Compare():
                yield from _compared(flow, node)
            case ast.Call():
                yield from _called(flow, node)
            case ast.Match(subject=subject, cases=cases):
                for case in cases:
                    for pattern in ast.walk(case.pattern):
                        if isinstance(pattern, ast.MatchValue):
                            yield from _pair(flow, subject, pattern.value)
            case _:
                pass


def _compared(flow: Flow, node: ast.Compare) -> Iterator[tuple[int, Weight]]:
    left = node.left
    for operator, right in zip(node.ops, node.comparators, strict=True):
        if isinstance(operator, ast.Eq | ast.NotEq):
            yield from _pair(flow, left, right)
        elif isinstance(operator, ast.In | ast.NotIn):
            for one in _members(right):
                yield from _pair(flow, left, one)
        left = right


def _members(node: ast.expr) -> list[ast.expr]:
    """What is written out to look in: compared one after the other, or where hashes meet."""
    match node:
        case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
            return elts
        case ast.Dict(keys=keys):
            return [key for key in keys if key is not None]
        case _:
            return []


def _pair(flow: Flow, left: ast.expr, right: ast.expr) -> Iterator[tuple[int, Weight]]:
    weight = max(flow.weight(left), flow.weight(right))
    harmless = _harmless(left) or _harmless(right) or _counts(flow, left, right) or _of_itself(left, right)
    if weight and not harmless:
        yield left.lineno, weight


def _called(flow: Flow, node: ast.Call) -> Iterator[tuple[int, Weight]]:
    """`operator.eq(a, b)`, `a.__eq__(b)`, `map(operator.eq, a, b)`, `a.startswith(b)`."""
    stands_for, name = flow.code.dotted(node.func), called(node)
    owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    if stands_for in _OPERATORS:
        sides = node.args
    elif name in _METHODS:
        sides = [*owner, *node.args]
    elif name in ("startswith", "endswith"):
        sides = [*owner, *node.args[:1]] if node.args and flow.weight(node.args[0]) else []
    elif isinstance(node.func, ast.Call) and _names_method(flow, node.func):
        sides = [*node.func.args[:1], *node.args]
    elif any(flow.code.dotted(arg) in _OPERATORS for arg in node.args):
        sides = [arg for arg in node.args if flow.code.dotted(arg) not in _OPERATORS]
    else:
        return
    weight = max((flow.weight(side) for side in sides), default=0)
    if weight and not any(_harmless(side) for side in sides):
        yield node.lineno, weight


def _names_method(flow: Flow, node: ast.Call) -> bool:
    """`getattr(a, "__eq__")`."""
    named = any(isinstance(arg, ast.Constant) and arg.value in _METHODS for arg in node.args[1:2])
    return named and flow.code.dotted(node.func) == "builtins.getattr"


def _harmless(node: ast.expr) -> bool:
    """What tells nothing when it is compared: nothing at all, a number, a keyword, a member of an enumeration."""
    match node:
        case ast.Constant(value=str() | bytes() as value):
            text = value if isinstance(value, str) else value.decode("latin-1")
            return len(text) < _LONGEST_WORD or text.replace("_", "").isalpha()
        case ast.Constant() | ast.Compare():
            return True
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.UnaryOp(operand=operand):
            return _harmless(operand)
        case ast.Attribute(value=ast.Name(id=owner), attr=attr):
            return owner[:1].isupper() and owner != owner.upper() and attr == attr.upper()
        case _:
            return False


def _counts(flow: Flow, *sides: ast.expr) -> bool:
    """`len(token) == len(other)` compares numbers."""
    return any(
        isinstance(side, ast.Call)
        and flow.code.dotted(side.func) in ("builtins.len", "builtins.type", "builtins.id")
        for side in sides
    )


def _of_itself(left: ast.expr, right: ast.expr) -> bool:
    """`password != password.lower()` asks something about the password alone."""
    names = [{one.id for one in ast.walk(side) if isinstance(one, ast.Name)} for side in (left, right)]
    return (
        len(names[0]) == 1
        and names[0] == names[1]
        and any(isinstance(side, ast.Name) for side in (left, right))
    )
