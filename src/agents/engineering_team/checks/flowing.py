"""What an expression holds: nothing to hide, a digest, or what nobody may guess."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from agents.engineering_team.checks.reading import Code, Scope
from agents.engineering_team.checks.wording import Weight, listed, weight_of

CONSTANT_TIME = frozenset({"hmac.compare_digest", "secrets.compare_digest", "_operator._compare_digest"})
_MADE = frozenset({"hmac.new", "hmac.digest", "hmac.HMAC"})
_PASSED_ON = listed(
    "builtins.str builtins.bytes builtins.bytearray builtins.memoryview builtins.list builtins.tuple builtins.sorted "
    "builtins.reversed builtins.zip builtins.enumerate builtins.iter builtins.map builtins.filter builtins.next "
    "builtins.repr builtins.ascii builtins.int builtins.set builtins.frozenset builtins.hash builtins.format copy.copy "
    "copy.deepcopy typing.cast"
)
_MODULES_PASSED_ON = ("base64.", "binascii.", "codecs.", "urllib.parse.", "hashlib.", "zlib.", "html.")
_METHODS_PASSED_ON = listed(
    "hex decode encode strip lstrip rstrip lower upper casefold removeprefix removesuffix replace split rsplit "
    "partition rpartition join format title swapcase tobytes zfill ljust rjust center copy expandtabs translate group"
)
_LOOKED_UP = frozenset(
    {"get", "getheader", "pop", "getenv", "setdefault", "getattr", "getlist", "get_header"}
)


@dataclass
class Flow:
    """What is held where: weights by (scope, name), by attribute, and by function that returns it."""

    code: Code
    held: dict[tuple[Scope, str], Weight] = field(default_factory=dict)
    attributes: dict[str, Weight] = field(default_factory=dict)
    returned: dict[str, Weight] = field(default_factory=dict)
    followed: int = 0
    """Pairs of a call and a function of its name that were gone through."""

    def weight(self, node: ast.AST | None) -> Weight:
        """What an expression holds."""
        match node:
            case ast.Name(id=name):
                held = (self.held.get((scope, name), 0) for scope in self.code.scopes_of(node))
                return max(weight_of(name), *held)
            case ast.Attribute(attr=attr):
                return max(weight_of(attr), self.attributes.get(attr, 0))
            case ast.Subscript(value=value, slice=ast.Constant(value=str(key))):
                return max(weight_of(key), self.weight(value) if not isinstance(value, ast.Attribute) else 0)
            case ast.Call():
                return self._of_call(node)
            case ast.Lambda() | ast.Compare() | ast.Constant() | None:
                return 0
            case ast.ListComp(elt=elt) | ast.GeneratorExp(elt=elt) | ast.SetComp(elt=elt):
                return self.weight(elt)
            case ast.UnaryOp(op=ast.Not()):
                return 0
            case _:
                return self._of_parts(node)

    def _of_parts(self, node: ast.AST) -> Weight:
        match node:
            case ast.BinOp(left=left, right=right):
                found = [left, right]
            case (
                ast.BoolOp(values=found) | ast.Tuple(elts=found) | ast.List(elts=found) | ast.Set(elts=found)
            ):
                pass
            case ast.JoinedStr(values=found):
                pass
            case ast.IfExp(body=body, orelse=orelse):
                found = [body, orelse]
            case (
                ast.NamedExpr(value=value) | ast.Await(value=value) | ast.Starred(value=value)
                | ast.FormattedValue(value=value) | ast.Subscript(value=value) | ast.UnaryOp(operand=value)
            ):  # fmt: skip
                found = [value]
            case _:
                found = []
        return max((self.weight(one) for one in found), default=0)

    def _of_call(self, node: ast.Call) -> Weight:
        stands_for = self.code.dotted(node.func)
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        if stands_for in CONSTANT_TIME:
            return 0
        if stands_for in _MADE:
            return 2
        if stands_for in _PASSED_ON or stands_for.startswith(_MODULES_PASSED_ON):
            return max((self.weight(value) for value in values), default=0)
        name = called(node)
        found: list[Weight] = [weight_of(name), self.returned.get(name, 0)]
        if name in _LOOKED_UP:
            found += [weight_of(text) for text in map(text_of, values)]
        if isinstance(node.func, ast.Attribute):
            receiver = self.weight(node.func.value)
            if name in ("digest", "hexdigest"):
                found += [receiver, 1]
            if name in _METHODS_PASSED_ON:
                found += [receiver, *(self.weight(value) for value in values)]
        return max(found)


def called(node: ast.Call) -> str:
    """The last part of the name that is called; empty for what has none."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def text_of(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def keywords(node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Arguments that are named, and those in a dict that is written out behind `**`."""
    for keyword in node.keywords:
        if keyword.arg is not None:
            yield keyword.arg, keyword.value
        elif isinstance(keyword.value, ast.Dict):
            for key, value in zip(keyword.value.keys, keyword.value.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value
