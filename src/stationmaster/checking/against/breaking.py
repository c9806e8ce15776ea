"""Why a paused thread would break: what of this code it waits at, what it lacks, what it is asked by now."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from stationmaster.checking import schemas
from stationmaster.checking.against import asked
from stationmaster.checking.against.reasons import Reason, by_name
from stationmaster.checking.against.waiting import Question, Waiting
from stationmaster.checking.compiled import Graph
from stationmaster.checking.reading import reads, writes


@dataclass(frozen=True)
class Break:
    """One thread, or an assistant, that would break. `said` is the same for all that break alike."""

    reason: Reason
    graph: str | None
    node: str | None
    said: str
    thread_id: str | None = None
    assistant_id: str | None = None
    interrupts: tuple[str, ...] = ()


class Judge:
    """What this code says of threads of one graph. `graphs` are the graph and its subgraphs, by their path."""

    def __init__(self, name: str, graphs: Mapping[str, Graph]) -> None:
        self.name, self.graphs, self.top = name, graphs, graphs[name]
        self._adapters: dict[int, TypeAdapter[Any]] = {}
        self._needed: dict[tuple[str, str], dict[str, reads.Read]] = {}

    def breaks(self, thread: Waiting) -> Iterator[Break]:
        """Every reason why it would break."""
        places = {question.node for question in thread.questions if question.node}
        asking = {place.partition("/")[0] for place in places}
        places |= {name for name in thread.next or () if name not in asking}
        gone = {place: missing for place in sorted(places) if (missing := self._missing(place))}
        for place, missing in gone.items():
            yield self._of(thread, "node-gone", place, f"it waits in {place}, and there is no {missing}")
        left = {place for place in places if place not in gone}
        if self.top.builder is not None:
            outer = {place.partition("/")[0] for place in left}
            yield from self._lacking(thread, self.top, thread.values, "", outer)
        for path, values in sorted(thread.inner.items()):
            graph = self.graphs.get(f"{self.name}/{path}")
            inside = {
                place.removeprefix(f"{path}/").partition("/")[0]
                for place in left
                if place.startswith(f"{path}/")
            }
            if graph is not None and inside:
                yield from self._lacking(thread, graph, values, f"{path}/", inside)
        for question in thread.questions:
            if question.node and question.node not in gone:
                yield from self._asked(thread, question)

    def might_lack(self, thread: Waiting) -> bool:
        """Whether a thread lacks a key that is read somewhere: then it matters where it waits."""
        if self.top.builder is None or schemas.is_checked(self.top.schema):
            return False
        return any(key not in thread.values for key in self.top.reads)

    def context(self, assistant_id: str, name: str, context: Any) -> Break | None:
        """Whether an assistant's context is none that this code takes."""
        schema = self.top.builder.context_schema if self.top.builder else None
        if not context or schema is None or not schemas.is_checked(schema):
            return None
        try:
            TypeAdapter(schema).validate_python(context)
        except ValidationError as error:
            said = f"the context of {name}: {_first(error)}"
            return Break(by_name("context"), self.name, None, said, assistant_id=assistant_id)
        return None

    def _missing(self, place: str) -> str | None:
        """The first node of a path that this code has not. What runs inside a plain function is not known here."""
        graph, walked = self.top, self.name
        for name in place.split("/"):
            if name not in graph.nodes:
                return f"{name} in {walked}" if walked != self.name else name
            walked = f"{walked}/{name}"
            if walked not in self.graphs:
                return None
            graph = self.graphs[walked]
        return None

    def _lacking(
        self, thread: Waiting, graph: Graph, values: Mapping[str, Any], above: str, places: set[str]
    ) -> Iterator[Break]:
        """What the state of a graph lacks, whose `places` wait; `above` is the path of a subgraph."""
        if schemas.is_checked(graph.schema):
            yield from self._unfit(thread, graph.schema, values)
            return
        for place in sorted(places):
            own = graph.nodes[place].schema
            if own is not graph.schema and schemas.is_checked(own):
                yield from self._unfit(thread, own, values)
            for key, read in sorted(self._reads_from(graph, place).items()):
                if key not in values:
                    where = f"{read.place.file.name}:{read.place.line}"
                    said = f"it has no {key!r}, which {read.who} reads without a default ({where})"
                    yield self._of(thread, "required-key", f"{above}{place}", said)

    def _unfit(self, thread: Waiting, schema: Any, values: Mapping[str, Any]) -> Iterator[Break]:
        """By making the state that LangGraph makes when the thread goes on."""
        keys = set(writes.keys_of(schema))
        known = {key: value for key, value in values.items() if key in keys}
        try:
            self._adapter(schema).validate_json(json.dumps(known))
        except ValidationError as error:
            for each in error.errors()[:3]:
                key = ".".join(map(str, each["loc"])) or "the state"
                lacks = each["type"] == "missing"
                said = f"it has no {key!r}, and that has no default" if lacks else f"{key!r}: {each['msg']}"
                yield self._of(thread, "required-key" if lacks else "value", self._where(thread), said)

    def _adapter(self, schema: Any) -> TypeAdapter[Any]:
        if id(schema) not in self._adapters:
            self._adapters[id(schema)] = TypeAdapter(schema)
        return self._adapters[id(schema)]

    def _reads_from(self, graph: Graph, start: str) -> dict[str, reads.Read]:
        key = (graph.name, start)
        if key not in self._needed:
            self._needed[key] = reads.unwritten(graph, start)
        return self._needed[key]

    def _asked(self, thread: Waiting, question: Question) -> Iterator[Break]:
        path = (question.node or "").split("/")
        graph = self.graphs.get("/".join([self.name, *path[:-1]]))
        node = graph.nodes.get(path[-1]) if graph else None
        if node is not None and node.functions and (changed := asked.changed(question, node)):
            yield self._of(thread, changed[0], question.node, changed[1], question.id)

    def _where(self, thread: Waiting) -> str | None:
        return next((question.node for question in thread.questions), next(iter(thread.next or ()), None))

    def _of(self, thread: Waiting, reason: str, node: str | None, said: str, *interrupts: str) -> Break:
        ids = interrupts or tuple(question.id for question in thread.questions)
        return Break(by_name(reason), self.name, node, said, thread.thread_id, thread.assistant_id, ids)


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}"
