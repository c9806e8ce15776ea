"""What a function does in which order: its effects, and where it pauses, with what stands before and around a pause.

Calls of the project's own functions are followed. Branches are joined: what happened in one of them may have happened.
"""

import ast
import inspect
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import Any

from langgraph.pregel import Pregel

from stationmaster.checking.finding import Place
from stationmaster.checking.reading import functions, guards
from stationmaster.checking.reading.functions import Function
from stationmaster.checking.reading.happening import Around, Done, Flow, Pause
from stationmaster.checking.reading.knowing import effect_of, is_interrupt
from stationmaster.checking.reading.loops import unstable
from stationmaster.checking.reading.resolving import Scope, handed, scope_of
from stationmaster.checking.reading.standing import Inner, Live, Method, Stands

DEEPEST = 12
MOST_BEFORE = 4


Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
State = frozenset[Done] | None  # None: no way leads here


def flow_of(start: Iterable[Function], roots: tuple[Path, ...]) -> Flow:
    """The flow of the functions of a node, each run by itself."""
    walker = _Walker(roots)
    for function in start:
        walker.function(function, frozenset(), Around(), 0)
    return walker.flow


class _Walker:
    def __init__(self, roots: tuple[Path, ...]) -> None:
        self.roots, self.flow = roots, Flow()
        self.seen: dict[Any, State] = {}

    def function(self, function: Function, before: State, around: Around, depth: int) -> State:
        key = (function.key, before, around)
        if key in self.seen or depth > DEEPEST:
            return self.seen.get(key, before)
        self.seen[key] = before
        self.flow.functions[id(function.node)] = function
        scope = scope_of(function)
        body = _Body(self, scope, depth)
        ended = body.block(function.body, before, around)
        after = _joined(ended, *body.returned)
        self.seen[key] = after
        return after


class _Body:
    """One function being walked. `returned` are the states at its returns, `left` those at a loop's break."""

    def __init__(self, walker: _Walker, scope: Scope, depth: int) -> None:
        self.walker, self.scope, self.depth = walker, scope, depth
        self.busy = scope.function.file.calling
        self.returned: list[State] = []
        self.left: list[State] = []

    def block(self, statements: list[ast.stmt], before: State, around: Around) -> State:
        for statement in statements:
            if before is None:
                return None
            before = self.statement(statement, before, around)
        return before

    def statement(self, node: ast.stmt, before: State, around: Around) -> State:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return before
            case ast.Return(value=value):
                self.returned.append(self.parts(value, before, around) if value is not None else before)
                return None
            case ast.Raise() | ast.Break() | ast.Continue():
                self.left += [before] if not isinstance(node, ast.Raise) else []
                return self.parts(node, before, around) and None
            case ast.If():
                tested, around = self.parts(node.test, before, around), replace(around, branched=True)
                return _joined(self.block(node.body, tested, around), self.block(node.orelse, tested, around))
            case ast.Match():
                tested, around = self.parts(node.subject, before, around), replace(around, branched=True)
                return _joined(tested, *(self.block(case.body, tested, around) for case in node.cases))
            case ast.For() | ast.AsyncFor():
                after = self.parts(node.iter, before, around)
                return self.loop(node.body, node.orelse, after, self.looped(node, node.iter, around))
            case ast.While():
                tested = self.parts(node.test, before, around)
                return self.loop(node.body, node.orelse, tested, replace(around, looped=True))
            case ast.Try() | ast.TryStar():
                return self.tried(node, before, around)
            case ast.With() | ast.AsyncWith():
                return self.within(node, before, around)
        return self.parts(node, before, around)

    def loop(self, body: list[ast.stmt], orelse: list[ast.stmt], before: State, around: Around) -> State:
        """Twice: what is done in one round stands before a pause in the next."""
        outer, self.left = self.left, []
        after = before
        for _ in range(2):
            after = _joined(after, self.block(body, after, around), *self.left)
        self.left = outer
        return _joined(after, self.block(orelse, after, around))

    def looped(self, node: ast.AST, over: ast.expr, around: Around) -> Around:
        why = unstable(over, self.scope)
        loops = (*around.loops, (self.scope.function.at(node), why)) if why else around.loops
        return replace(around, loops=loops, looped=True)

    def tried(self, node: ast.Try | ast.TryStar, before: State, around: Around) -> State:
        swallowing = guards.swallowing(node, self.scope)
        inner = around
        if swallowing is not None:
            line = swallowing.lineno
            guard = (
                Place(self.scope.function.file.path, line, line),
                f"`except {guards.caught(swallowing)}`",
            )
            inner = replace(around, guards=(*around.guards, guard))
        if ends := next((each for each in node.finalbody if isinstance(each, ast.Return)), None):
            inner = replace(
                inner, guards=(*inner.guards, (self.scope.function.at(ends), "a return in `finally`"))
            )
        after = self.block(node.body, before, inner)
        failed = _joined(before, after, frozenset(self._inside(node.body)))
        ends = [self.block(node.orelse, after, around)]
        rescued = replace(around, branched=True)
        ends += [self.block(handler.body, failed, rescued) for handler in node.handlers]
        return self.block(node.finalbody, _joined(*ends), around) if node.finalbody else _joined(*ends)

    def _inside(self, body: list[ast.stmt]) -> Iterable[Done]:
        """What of the effects so far stands in these lines: it may be done when a handler begins."""
        file, first, last = self.scope.function.file.path, body[0].lineno, body[-1].end_lineno or 0
        return (
            done
            for done in self.walker.flow.effects
            if done.place.file == file and first <= done.place.line <= last
        )

    def within(self, node: ast.With | ast.AsyncWith, before: State, around: Around) -> State:
        for item in node.items:
            before = self.parts(item.context_expr, before, around)
            said = guards.manager(item.context_expr, self.scope)
            if said:
                around = replace(
                    around, guards=(*around.guards, (self.scope.function.at(item.context_expr), said))
                )
        return self.block(node.body, before, around)

    def parts(self, node: ast.AST, before: State, around: Around) -> State:
        """The expressions of a statement, inner ones first; of two branches of one, both."""
        if id(node) not in self.busy:
            return before
        match node:
            case ast.Lambda() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return before
            case ast.IfExp():
                tested, around = self.parts(node.test, before, around), replace(around, branched=True)
                return _joined(self.parts(node.body, tested, around), self.parts(node.orelse, tested, around))
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self.comprehension(node, before, around)
            case ast.Call():
                return self.called(node, before, around)
        for child in ast.iter_child_nodes(node):
            before = self.parts(child, before, around)
        return before

    def comprehension(self, node: Comprehension, before: State, around: Around) -> State:
        first = node.generators[0]
        before = self.parts(first.iter, before, around)
        around = self.looped(node, first.iter, around)
        children = [each for each in ast.iter_child_nodes(node) if each is not first]
        for _ in range(2):
            for child in children:
                before = self.parts(child, before, around)
        return before

    def called(self, node: ast.Call, before: State, around: Around) -> State:
        """The arguments, then the call."""
        node, called = self.passed_on(node)
        if _is_gather(called):
            place = (self.scope.function.at(node), "what runs side by side asks in no order")
            around = replace(around, loops=(*around.loops, place))
            if any(each.arg == "return_exceptions" for each in node.keywords):
                guard = (self.scope.function.at(node), "`return_exceptions`")
                around = replace(around, guards=(*around.guards, guard))
        for child in ast.iter_child_nodes(node):
            before = self.parts(child, before, around)
        return self.call(node, called, before, around)

    def passed_on(self, node: ast.Call) -> tuple[ast.Call, Stands | None]:
        """The call itself; of `to_thread(function, ...)` and its like that of the function."""
        called = self.scope.resolve(node.func)
        thing, name = (
            (called.thing if isinstance(called, Live) else None),
            ast.unparse(node.func).rpartition(".")[2],
        )
        first = {"to_thread": 0, "run_sync": 0, "run_in_executor": 1}.get(name)
        ours = isinstance(thing, FunctionType) and not thing.__module__.startswith(("asyncio", "anyio"))
        if first is None or len(node.args) <= first or ours:
            return node, called
        inner = ast.copy_location(ast.Call(node.args[first], node.args[first + 1 :], node.keywords), node)
        return inner, self.scope.resolve(inner.func)

    def call(self, node: ast.Call, called: Stands | None, before: State, around: Around) -> State:
        if before is None:
            return None
        place, flow = self.scope.function.at(node), self.walker.flow
        if is_interrupt(called):
            flow.pauses.add(Pause(place, before, around, node, self.scope))
            return before
        effect = effect_of(node, called, self.scope)
        followed = self.followed(called)
        if effect is not None and (followed is None or effect.kind != "read"):
            done = Done(effect, place)
            flow.effects.add(done)
            if isinstance(called, Live) and isinstance(getattr(called.thing, "__self__", None), Pregel):
                self.graph(called.thing.__self__, place, before, around)
            return before if effect.kind == "read" or len(before) >= MOST_BEFORE else before | {done}
        if followed is not None:
            return self.walker.function(handed(node, followed, self.scope), before, around, self.depth + 1)
        if isinstance(called, Live | Method) and pauses_inside(called):
            flow.pauses.add(Pause(place, before, around))
        return before

    def followed(self, called: Stands | None) -> Function | None:
        """The function that is called, if it is the project's own. What makes a class's objects is not followed."""
        match called:
            case Inner(function=function):
                return function
            case Live(thing=thing) if not inspect.isclass(thing):
                return functions.ours(thing, self.walker.roots)
            case Method(kind=kind, name=name):
                return functions.ours(inspect.getattr_static(kind, name, None), self.walker.roots)
        return None

    def graph(self, graph: Pregel, place: Place, before: frozenset[Done], around: Around) -> None:
        """A graph that is run in a node pauses it where a node of its own would."""
        for node in graph.nodes.values():
            if any(pauses_inside(Live(part)) for part in (node.bound, getattr(node.bound, "afunc", None))):
                self.walker.flow.pauses.add(Pause(place, before, around))
                return


def pauses_inside(called: Live | Method) -> bool:
    """Whether a function of a library calls `interrupt` itself, as LangChain's human-in-the-loop middleware does."""
    thing = (
        called.thing if isinstance(called, Live) else inspect.getattr_static(called.kind, called.name, None)
    )
    live, _ = functions.plain(thing)
    if live is None or "interrupt" not in live.__code__.co_names:
        return False
    return is_interrupt(Live(live.__globals__.get("interrupt")))


def _is_gather(called: Stands | None) -> bool:
    names = ("gather", "as_completed", "wait", "create_task", "ensure_future")
    thing = called.thing if isinstance(called, Live) else None
    module = str(getattr(thing, "__module__", ""))
    named = getattr(thing, "__name__", "") or (called.name if isinstance(called, Method) else "")
    kind = called.kind.__module__ if isinstance(called, Method) else ""
    return named in names and (module.startswith("asyncio") or kind.startswith("asyncio"))


def _joined(*states: State) -> State:
    there = [state for state in states if state is not None]
    if not there:
        return None
    joined = frozenset[Done]().union(*there)
    return (
        joined
        if len(joined) <= MOST_BEFORE
        else frozenset(sorted(joined, key=lambda done: done.place)[:MOST_BEFORE])
    )
