"""Secrets that can be worked out: made by a generator for dice, or kept by a hash that is too fast."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agents.engineering_team.checks.flowing import Flow, called
from agents.engineering_team.checks.wording import listed, parts, weight_of

if TYPE_CHECKING:
    from agents.engineering_team.checks.security import Hole

_DICE = listed("choice choices randint random randrange sample shuffle getrandbits randbytes uniform")
_CLOCKS = frozenset({"uuid.uuid1"})
_WEAK = frozenset({"hashlib.md5", "hashlib.sha1"})
_FAST = _WEAK | {"hashlib.sha224", "hashlib.sha256", "hashlib.sha384", "hashlib.sha512", "hashlib.blake2b"}
_PASSWORDS = frozenset({"password", "passwd", "pwd", "passphrase"})


def weak(flow: Flow) -> Iterator["Hole"]:
    """The findings."""
    throw = _functions_with_dice(flow)
    for node in flow.code.nodes:
        if not isinstance(node, ast.Call):
            continue
        stands_for = flow.code.dotted(node.func)
        if (_is_dice(stands_for) or called(node) in throw) and _makes_secret(flow, node):
            yield (
                "guessable",
                node.lineno,
                "high",
                "random is for dice, its next values can be worked out: use secrets",
            )
        elif stands_for in _FAST and any(_is_password(arg) for arg in node.args):
            message = "a password under a fast hash is found by trying: use hashlib.scrypt or argon2"
            yield "fast-password-hash", node.lineno, "high", message
        elif (stands_for in _WEAK or _names_weak(flow, node)) and not _for_other_use(node):
            message = f"{called(node)} is broken: use sha256, or say usedforsecurity=False"
            yield "weak-hash", node.lineno, "medium", message
        elif stands_for in ("hmac.new", "hmac.digest") and _weak_hmac(flow, node):
            yield "weak-hash", node.lineno, "medium", "an HMAC over a broken hash: use sha256"


def _is_dice(stands_for: str) -> bool:
    module, _, name = stands_for.rpartition(".")
    return stands_for in _CLOCKS or (module == "random" and name in _DICE)


def _functions_with_dice(flow: Flow) -> set[str]:
    """The functions of the module that throw dice themselves."""
    dice = (
        node
        for node in flow.code.nodes
        if isinstance(node, ast.Call) and _is_dice(flow.code.dotted(node.func))
    )
    scopes = (flow.code.scope_of(node) for node in dice)
    return {scope.name for scope in scopes if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef)}


def _names_weak(flow: Flow, node: ast.Call) -> bool:
    """`hashlib.new("md5")`."""
    first = node.args[0] if node.args else None
    named = isinstance(first, ast.Constant) and str(first.value).lower() in ("md5", "sha1")
    return named and flow.code.dotted(node.func) == "hashlib.new"


def _makes_secret(flow: Flow, node: ast.AST) -> bool:
    """Whether a name around the call says so: of the variable, the argument, or the function that it stands in."""
    while (outer := flow.code.parents.get(node)) is not None:
        match outer:
            case ast.Assign(targets=targets) if any(flow.weight(target) == 2 for target in targets):
                return True
            case (
                ast.AnnAssign(target=target) | ast.NamedExpr(target=target) | ast.AugAssign(target=target)
            ) if flow.weight(target) == 2:
                return True
            case ast.keyword(arg=str(name)) if weight_of(name) == 2:
                return True
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                return weight_of(name) == 2 or flow.returned.get(name, 0) == 2
            case _:
                node = outer
    return False


def _is_password(node: ast.AST) -> bool:
    named = (
        one.id if isinstance(one, ast.Name) else one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Name | ast.Attribute)
    )
    return any(_PASSWORDS & set(parts(name)) for name in named)


def _for_other_use(node: ast.Call) -> bool:
    return any(
        keyword.arg == "usedforsecurity"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is False
        for keyword in node.keywords
    )


def _weak_hmac(flow: Flow, node: ast.Call) -> bool:
    given = [
        *node.args[2:3],
        *(keyword.value for keyword in node.keywords if keyword.arg in ("digestmod", "digest")),
    ]
    return any(
        flow.code.dotted(value) in _WEAK
        or (isinstance(value, ast.Constant) and str(value.value).lower() in ("md5", "sha1"))
        for value in given
    )
