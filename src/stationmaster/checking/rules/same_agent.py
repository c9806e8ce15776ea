"""Agents that are one agent under several names."""

import ast
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableBinding, RunnableSequence
from langgraph.pregel import Pregel

from stationmaster.checking.audit import Whole
from stationmaster.checking.compiled import Graph
from stationmaster.checking.finding import Found, Place, Rule
from stationmaster.checking.reading.resolving import scope_of, walk_own
from stationmaster.checking.reading.standing import Live

Signature = tuple[str, tuple[str, ...], str, tuple[str, ...]]
OF_MODEL = ("model_name", "model", "model_id", "temperature", "base_url")


def _find(whole: Whole) -> Iterator[Found]:
    known: dict[Signature, tuple[str, int]] = {}
    for graph in whole.graphs:
        for name, place, agent in _agents(graph):
            signature = signature_of(agent)
            if signature is None:
                continue
            first = known.setdefault(signature, (name, id(agent)))
            if first[1] != id(agent):
                tools = ", ".join(signature[1]) or "none"
                yield Found(
                    graph.name,
                    place,
                    f"{name} is {first[0]} again: the same prompt, model and tools ({tools})",
                )


def _agents(graph: Graph) -> Iterator[tuple[str, Place, Pregel]]:
    """The graph itself and what nodes run by a name of their module; subgraphs are graphs of their own."""
    yield graph.name, graph.place, graph.pregel
    for node in graph.nodes.values():
        for function in node.flow.functions.values():
            scope = scope_of(function)
            for part in walk_own(function):
                stands = scope.resolve(part) if isinstance(part, ast.Name) else None
                if isinstance(stands, Live) and isinstance(stands.thing, Pregel):
                    yield f"{graph.name}/{node.name}", node.place, stands.thing


def signature_of(agent: Pregel) -> Signature | None:
    """Prompt, tools, model and middleware of a `create_agent` or `create_react_agent`; None for any other graph, and
    where the prompt is made when it runs.
    """
    nodes = getattr(getattr(agent, "builder", None), "nodes", {})
    for name in ("model", "agent"):
        if name in nodes:
            held = _held(nodes[name].runnable)
            model, prompt = held.get("model", held.get("static_model")), held.get("system_message")
            if isinstance(model, RunnableSequence):
                prompt, model = _prompt(model.steps[0]), model.steps[-1]
            text = prompt.text if isinstance(prompt, BaseMessage) else prompt
            if isinstance(text, str) and text and model is not None:
                tools = getattr(nodes["tools"].runnable, "tools_by_name", {}) if "tools" in nodes else {}
                return text, tuple(sorted(tools)), _model(model), tuple(sorted(nodes))
    return None


def _held(runnable: Any) -> dict[str, Any]:
    """What the function of a node was made with."""
    function = getattr(runnable, "afunc", None) or getattr(runnable, "func", None)
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None) or ()
    return {name: _content(cell) for name, cell in zip(getattr(code, "co_freevars", ()), cells, strict=False)}


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _prompt(step: Any) -> Any:
    return next((each for each in _held(step).values() if isinstance(each, str | BaseMessage)), None)


def _model(model: Any) -> str:
    model = model.bound if isinstance(model, RunnableBinding) else model
    said = [f"{name}={value}" for name in OF_MODEL if (value := getattr(model, name, None)) is not None]
    return " ".join([f"{type(model).__module__}.{type(model).__qualname__}", *said])


RULE = Rule(
    name="same-agent",
    looks_for="two agents with the same prompt, tools and model",
    why="They answer alike: what differs is the number of hand-offs, and where to look when one of them is wrong.",
    write="one agent; as different names of one graph, assistants with contexts of their own",
    find=_find,
)
