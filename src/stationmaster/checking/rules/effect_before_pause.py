"""Effects that stand before a pause in the same node."""

from collections.abc import Iterator
from types import CodeType

from stationmaster.checking.audit import Whole
from stationmaster.checking.compiled import Graph, Node
from stationmaster.checking.finding import Found, Rule
from stationmaster.checking.reading.flow import flow_of

ASKED_AGAIN = (
    "The node runs again from its start when it is answered: the model is asked and paid again, and may by then ask "
    "something else than what was answered."
)


def _find(whole: Whole) -> Iterator[Found]:
    for graph in whole.graphs:
        for node in graph.nodes.values():
            if hasattr(node.runnable, "tools_by_name"):
                yield from _among_tools(graph, node)
            yield from _in_order(graph, node)


def _in_order(graph: Graph, node: Node) -> Iterator[Found]:
    found: dict[object, Found] = {}
    for pause in sorted(node.flow.pauses, key=lambda pause: pause.place):
        for done in sorted(pause.before, key=lambda done: done.place):
            at = f"line {pause.place.line}" + (
                "" if pause.place.file == done.place.file else f" of {pause.place.file.name}"
            )
            said = f"{node.name}: `{done.effect.what}` stands before the interrupt() of {at}"
            why = ASKED_AGAIN if done.effect.kind == "model" else None
            found.setdefault(done, Found(graph.name, done.place, said, why))
    yield from found.values()
    writes = any(done.effect.kind == "write" for done in node.flow.effects)
    if node.effect and node.flow.pauses and not writes and node.is_ours:
        said = f'{node.name} says that it "{node.effect}", and pauses: where the effect is could not be seen'
        yield Found(graph.name, node.place, said)


def _among_tools(graph: Graph, node: Node) -> Iterator[Found]:
    """A node of several tools runs all of a step's calls again when one of them was answered, unless each is sent."""
    if any(_sends(router.runnable) for router in graph.routers if node.name in (router.ends or {}).values()):
        return
    flows = {function.name: flow_of([function], graph.roots) for function in node.functions}
    asking = sorted(name for name, flow in flows.items() if flow.pauses)
    for name, flow in sorted(flows.items()):
        done = next(
            (done for done in sorted(flow.effects, key=lambda d: d.place) if done.effect.kind == "write"),
            None,
        )
        others = [each for each in asking if each != name]
        if done and others:
            said = f"{node.name}: the tool {name} does `{done.effect.what}`, and {others[0]} beside it pauses"
            yield Found(
                graph.name, done.place, said,
                "A tool node runs all calls of a step again when one of them was answered.",
                "a task for each call: `[Send('tools', call) for call in calls]`, as create_agent does",
            )  # fmt: skip


def _sends(router: object) -> bool:
    """Whether a router names `Send`, itself or in a part of it: a library's is not read any closer."""
    codes = [getattr(getattr(router, name, None), "__code__", None) for name in ("afunc", "func")]
    while codes:
        code = codes.pop()
        if code is not None and "Send" in code.co_names:
            return True
        codes += [part for part in getattr(code, "co_consts", ()) if isinstance(part, CodeType)]
    return False


RULE = Rule(
    name="effect-before-pause",
    looks_for="an effect (mail, HTTP, SQL that writes, a file, a process, a model) before interrupt() in one node",
    why="The node runs again from its start when it is answered: what stands before interrupt() happens twice.",
    write="a node of its own for the effect, before this one or behind it; or a key of stable state by which the "
    "second time does nothing, and a comment that says so",
    find=_find,
)
