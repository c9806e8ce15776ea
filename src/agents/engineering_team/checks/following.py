"""Where what nobody may guess flows in a module: through variables, attributes, calls and returns."""

import ast
from collections.abc import Iterator

from agents.engineering_team.checks.flowing import Flow, called, keywords, text_of
from agents.engineering_team.checks.reading import Code, Function, named
from agents.engineering_team.checks.wording import Weight

ROUNDS = 12
"""A value goes through at most so many functions and names; longer ways are not followed."""
MOST_FOLLOWED = 30_000
"""Pairs of a call and a function of that name, over all rounds; a module of one page has a few hundred."""


def follow(code: Code) -> Flow:
    """The flow in a module: assignments, loops, calls and returns are followed until nothing is new.

    Raises ValueError for a module with more ways than anybody follows.
    """
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
            for scope in flow.code.binding(target, name):
                flow.held[(scope, name)] = max(flow.held.get((scope, name), 0), weight)
        case ast.Attribute(attr=attr), _ if weight := flow.weight(value):
            flow.attributes[attr] = max(flow.attributes.get(attr, 0), weight)
        case _:
            pass


def _through_functions(flow: Flow, node: ast.AST) -> None:
    """What a function returns, and what its parameters are given."""
    match node:
        case ast.Return(value=ast.expr() as value) | ast.Yield(value=ast.expr() as value):
            scope = flow.code.scope_of(node)
            if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
                _returns(flow, scope.name, flow.weight(value))
        case ast.Call(func=ast.Lambda() as function):
            _give(flow, function, node)
        case ast.Call():
            for function in _functions(flow, called(node)):
                _give(flow, function, node)
            _pass_on(flow, node)
        case _:
            pass
    for name, value in named(node):
        if isinstance(value, ast.Lambda):
            _returns(flow, name, flow.weight(value.body))


def _functions(flow: Flow, name: str) -> list[Function]:
    """The functions of a name; each is gone through for each call."""
    found = flow.code.functions.get(name, [])
    flow.followed += len(found)
    if flow.followed > MOST_FOLLOWED:
        raise ValueError("too many functions of one name, too often called: give each a name of its own")
    return found


def _pass_on(flow: Flow, call: ast.Call) -> None:
    """`map(same, a, b)` gives both to `same`; `setattr(x, "name", value)` gives an attribute."""
    weight = max((flow.weight(arg) for arg in call.args), default=0)
    if not weight:
        return
    if flow.code.dotted(call.func) == "builtins.setattr" and len(call.args) == 3:
        name = text_of(call.args[1])
        flow.attributes[name] = max(flow.attributes.get(name, 0), flow.weight(call.args[2]))
    for arg in call.args:
        functions = [arg] if isinstance(arg, ast.Lambda) else []
        if isinstance(arg, ast.Name):
            functions = _functions(flow, arg.id)
        for function in functions:
            for taken in function.args.args:
                _give_one(flow, function, taken.arg, weight)


def _returns(flow: Flow, name: str, weight: Weight) -> None:
    if weight > flow.returned.get(name, 0):
        flow.returned[name] = weight


def _give(flow: Flow, function: Function, call: ast.Call) -> None:
    takes = [one.arg for one in [*function.args.posonlyargs, *function.args.args]]
    if takes[:1] in (["self"], ["cls"]):
        takes = takes[1:]
    known = {*takes, *(one.arg for one in function.args.kwonlyargs)}
    for name, value in zip(takes, call.args, strict=False):
        _give_one(flow, function, name, flow.weight(value))
    for name, value in keywords(call):
        if name in known:
            _give_one(flow, function, name, flow.weight(value))
    if function.args.vararg:
        rest = (flow.weight(value) for value in call.args[len(takes) :])
        _give_one(flow, function, function.args.vararg.arg, max(rest, default=0))


def _give_one(flow: Flow, function: Function, name: str, weight: Weight) -> None:
    if weight > flow.held.get((function, name), 0):
        flow.held[(function, name)] = weight
