"""SQL that is put together from text and values: whoever sends a value writes a part of the statement."""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agents.engineering_team.checks.flowing import Flow, called

if TYPE_CHECKING:
    from agents.engineering_team.checks.security import Hole

_TABLE = r"(?:\?|[\w.\"`\[\]]++)(?:\s*\?)*\s*"
_SQL = re.compile(
    rf"(?is)^\s*(?:select\b.*\bfrom\s+{_TABLE}(?:$|[;,()]|(?:as\s+)?\w{{1,3}}\s|(?:where|join|inner|left|right|cross|order|group|"
    r"limit|union|having|for|natural)\b)|insert\s+into\b|update\b.+\bset\b.*=|delete\s+from\b|"
    r"drop\s+(?:table|view|index|schema|database|role|user)\b|alter\s+(?:table|role|user|database)\b|"
    r"create\s+(?:table|view|index|role|user|database|schema)\b|with\b.+\bselect\b|truncate\s+|merge\s+into\b)"
)
_BEGINS = re.compile(
    r"(?i)^\s*(?:select|insert\s+into|update|delete\s+from|drop|alter|truncate|merge\s+into)\s"
)
_RUNS = frozenset(
    {"execute", "executemany", "executescript", "raw", "read_sql", "read_sql_query", "fetch", "fetchrow"}
)
_MESSAGE = "builds SQL from text and values: write placeholders and pass the values beside it"


def built(flow: Flow) -> Iterator["Hole"]:
    """The findings: SQL text with values in it, wherever it is made, and anything put together that is executed."""
    loose = _loose_names(flow)
    for node in flow.code.nodes:
        if isinstance(node, ast.expr) and _is_sql(flow, node):
            yield "sql-injection", node.lineno, "high", _MESSAGE
        elif isinstance(node, ast.Call) and called(node) in _RUNS and node.args:
            first = node.args[0]
            named = isinstance(first, ast.Name) and first.id in loose
            if (named or _is_mixed(flow, first)) and not _is_sql(flow, first):
                yield "sql-injection", node.lineno, "high", _MESSAGE


def _loose_names(flow: Flow) -> set[str]:
    """Names of text that begins like SQL and gets values later: `query = "select ..."`, `query += name`."""
    begun: set[str] = set()
    grown: set[str] = set()
    for node in flow.code.nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _BEGINS.match(_text(value)):
                begun.add(name)
                if _is_mixed(flow, value):
                    grown.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp() as value) if _uses(value, name):
                grown.add(name)
            case ast.AugAssign(target=ast.Name(id=name), value=value) if not _is_fixed(flow, value):
                grown.add(name)
            case _:
                pass
    return begun & grown


def _uses(value: ast.expr, name: str) -> bool:
    """`query = query + name`."""
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(value))


def _is_sql(flow: Flow, node: ast.expr) -> bool:
    return bool(_SQL.match(_text(node))) and _is_mixed(flow, node)


def _is_mixed(flow: Flow, node: ast.expr) -> bool:
    """Text with something in it that is not text: by f-string, +, % or format."""
    match node:
        case ast.JoinedStr(values=values):
            return not all(_is_fixed(flow, value) for value in values)
        case ast.BinOp(op=ast.Add()):
            return not _is_fixed(flow, node) and bool(_text(node))
        case ast.BinOp(op=ast.Mod(), left=left, right=right):
            return bool(_text(left)) and not _is_fixed(flow, right)
        case ast.Call(
            func=ast.Attribute(value=value, attr="format" | "format_map" | "replace"),
            args=args,
            keywords=keywords,
        ):
            given = [*args, *(keyword.value for keyword in keywords)]
            return bool(_text(value)) and not all(_is_fixed(flow, one) for one in given)
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str()), attr="join"), args=[ast.List(elts=elts)]
        ):
            return any(_text(one) for one in elts) and not all(_is_fixed(flow, one) for one in elts)
        case _:
            return False


def _is_fixed(flow: Flow, node: ast.expr) -> bool:
    """What no value of a caller's can change into SQL: text, numbers, and sums of them."""
    match node:
        case ast.Constant():
            return True
        case ast.FormattedValue(value=value):
            return _is_fixed(flow, value)
        case ast.BinOp(left=left, right=right):
            return _is_fixed(flow, left) and _is_fixed(flow, right)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return all(_is_fixed(flow, one) for one in elts)
        case ast.Call(func=func):
            return flow.code.dotted(func) in ("builtins.int", "builtins.len", "builtins.float")
        case ast.Name(id=name):
            return name.isupper()  # a constant of the module
        case _:
            return False


def _text(node: ast.AST) -> str:
    """The text at the start of what is put together, with a mark where values stand."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_text(value) or " ? " for value in values)
        case ast.BinOp(left=left, right=right, op=ast.Add()):
            start = _text(left)
            return start + (_text(right) or " ? ") if start else ""
        case ast.BinOp(left=left, op=ast.Mod()):
            return _text(left)
        case ast.Call(func=ast.Attribute(value=value, attr="format" | "format_map" | "replace")):
            return _text(value)
        case ast.Call(func=ast.Attribute(attr="join"), args=[ast.List(elts=elts)]):
            return " ".join(_text(one) or "?" for one in elts)
        case _:
            return ""
