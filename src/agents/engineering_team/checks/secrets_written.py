"""Secrets that stand in the code itself: whoever reads it has them."""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agents.engineering_team.checks.flowing import Flow
from agents.engineering_team.checks.reading import named
from agents.engineering_team.checks.wording import is_secret_name, parts

if TYPE_CHECKING:
    from agents.engineering_team.checks.security import Hole

_SHAPES = re.compile(
    r"-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY-----|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,80}"
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,80}|\bsk-[A-Za-z0-9_-]{20,100}|\beyJ[\w-]{8,2000}\.eyJ[\w-]{8,2000}\.[\w-]{8,500}"
    r"|\b[a-z][a-z0-9+]{2,20}://[^\s/:@]{1,80}:[^\s/:@]{3,80}@"
)
_NO_SECRET = re.compile(
    r"(?i)^\s*$|^[<{$%]|\.\.\.|^(?:x+|\*+|your|example|dummy|placeholder|changeme|todo|none|null)\b"
)
_IDENTIFIER = re.compile(r"[A-Za-z]+(?:[_-][A-Za-z]+)+|https?://\S+")
_SHORTEST = 6
_KEYED = frozenset({"hmac.new", "hmac.digest"})
_MESSAGE = "a secret stands in the code: read it from the environment, and change it, since it was seen"


def literals(flow: Flow) -> Iterator["Hole"]:
    """The findings: literals of a secret's shape, and those that are given to a secret's name."""
    for node in flow.code.nodes:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str | bytes)
            and _SHAPES.search(_as_text(node))
        ):
            yield "secret-in-code", node.lineno, "high", _MESSAGE
        if isinstance(node, ast.Call) and flow.code.dotted(node.func) in _KEYED and _is_text(node.args[:1]):
            yield "secret-in-code", node.lineno, "high", _MESSAGE
        for name, value in _named(node):
            if is_secret_name(name) and _is_secret(value, name):
                yield "secret-in-code", value.lineno, "high", _MESSAGE


def _named(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from (pair for target in targets for pair in _pairs(target, value))
        case ast.NamedExpr(target=target, value=value):
            yield _name(target), value
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield _name(target), value
        case ast.keyword(arg=str(name), value=value):
            yield name, value
        case ast.Dict(keys=keys, values=values):
            yield from ((_name(key), value) for key, value in zip(keys, values, strict=True))
        case ast.arguments():
            yield from named(node)
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
            yield _name(left), right
            yield _name(right), left
        case ast.Call(
            func=ast.Attribute(attr="get" | "getenv" | "setdefault"),
            args=[ast.Constant(value=str(name)), value],
        ):
            yield name, value
        case _:
            pass


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        yield from ((_name(one), its) for one, its in zip(target.elts, value.elts, strict=True))
    else:
        yield _name(target), value


def _name(node: ast.AST | None) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str(name))) | ast.Constant(value=str(name)):
            return name
        case _:
            return ""


def _is_secret(node: ast.expr, name: str) -> bool:
    """Text that could be one: not a name of something, an address, or a word that says that there is none. Tokens of a
    language are words; those that open a door have a digit.
    """
    text = _as_text(node)
    a_word = parts(name)[-1:] == ["token"] and not any(char.isdigit() for char in text)
    return len(text) >= _SHORTEST and not (a_word or _NO_SECRET.search(text) or _IDENTIFIER.fullmatch(text))


def _is_text(args: list[ast.expr]) -> bool:
    return bool(args) and len(_as_text(args[0])) >= _SHORTEST


def _as_text(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Constant(value=bytes(raw)):
            return raw.decode("latin-1")
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="encode")):
            return text
        case ast.BinOp(left=ast.Constant() as left, op=ast.Add(), right=ast.Constant() as right):
            return _as_text(left) + _as_text(right)
        case _:
            return ""
