"""Where what nobody may guess flows in a module: through variables, attributes, calls and returns."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from agents.engineering_team.checks.reading import Code, Function, Scope
from agents.engineering_team.checks.wording import Weight, listed, weight_of

ROUNDS = 12
"""A value goes through at most so many functions and names; longer ways are not followed."""
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
            found += [weight_of(text) for text in map(_text, values)]
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


def follow(code: Code) -> Flow:
    """The flow in a module: assignments, loops, calls and returns are followed until nothing is new."""
    flow = Flow(code)
    for _ in range(ROUNDS):
        before = (len(flow.held), len(flow.attributes), len(flow.returned), _sum(flow))
        for node in code.nodes:
            for target, value in _bound(node):
                _hold(flow, target, value)
            _through_functions(flow, node)
        if before == (len(flow.held), len(flow.attributes), len(flow.returned), _sum(flow)):
            break
    return flow


def _sum(flow: Flow) -> int:
    return sum(flow.held.values()) + sum(flow.attributes.values()) + sum(flow.returned.values())


def _text(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _bound(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case (
            ast.AnnAssign(target=target, value=ast.expr() as value)
            | ast.AugAssign(target=target, value=value)
        ):
            yield target, value
        case ast.NamedExpr(target=target, value=value):
            yield target, value
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            yield target, value
        case ast.comprehension(target=target, iter=value):
            yield target, value
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            yield target, value
        case _:
            pass


def _hold(flow: Flow, target: ast.AST, value: ast.AST) -> None:
    match target, value:
        case (
            (ast.Tuple(elts=targets) | ast.List(elts=targets)),
            (ast.Tuple(elts=values) | ast.List(elts=values)),
        ) if len(targets) == len(values):
            for one, its in zip(targets, values, strict=True):
                _hold(flow, one, its)
        case ((ast.Tuple(elts=targets) | ast.List(elts=targets)), _):
            for one in targets:
                _hold(flow, one, value)
        case ast.Starred(value=inner), _:
            _hold(flow, inner, value)
        case ast.Name(id=name), _ if weight := flow.weight(value):
            place = (flow.code.scope_of(target), name)
            flow.held[place] = max(flow.held.get(place, 0), weight)
        case ast.Attribute(attr=attr), _ if weight := flow.weight(value):
            flow.attributes[attr] = max(flow.attributes.get(attr, 0), weight)
        case _:
            pass


def _through_functions(flow: Flow, node: ast.AST) -> None:
    """What a function returns, and what its parameters are given."""
    match node:
        case ast.Return(value=ast.expr() as value):
            scope = flow.code.scope_of(node)
            if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
                _returns(flow, scope.name, flow.weight(value))
        case ast.Call():
            for function in flow.code.functions.get(called(node), []):
                _give(flow, function, node)
        case _:
            pass
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
        for target in node.targets:
            if isinstance(target, ast.Name):
                _returns(flow, target.id, flow.weight(node.value.body))


def _returns(flow: Flow, name: str, weight: Weight) -> None:
    if weight > flow.returned.get(name, 0):
        flow.returned[name] = weight


def _give(flow: Flow, function: Function, call: ast.Call) -> None:
    takes = [one.arg for one in [*function.args.posonlyargs, *function.args.args]]
    if takes[:1] in (["self"], ["cls"]):
        takes = takes[1:]
    named = {*takes, *(one.arg for one in function.args.kwonlyargs)}
    given = [*zip(takes, call.args, strict=False)]
    given += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg in named]
    for name, value in given:
        weight = flow.weight(value)
        if weight > flow.held.get((function, name), 0):
            flow.held[(function, name)] = weight
