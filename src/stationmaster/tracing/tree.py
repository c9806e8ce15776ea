"""Spans by run id: each under the one that began it, and none left open when its tree ends.

The tree is read from run ids. The context of the caller would not do: callbacks of one run come in several contexts,
and one that is entered here and left there is OpenTelemetry's "Failed to detach context".
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, SpanKind, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from stationmaster.tracing import ending, facts
from stationmaster.tracing.caller import TRACEPARENT
from stationmaster.tracing.ids import RunIds, run_id_in
from stationmaster.tracing.last_runs import LastRuns
from stationmaster.tracing.open_runs import Open, OpenRuns

GRAPH, NODE, TASK, CALL = "graph", "node", "task", "call"
_W3C = TraceContextTextMapPropagator()


class Tree:
    """What is begun and ended here is a span; `content` lets the words of errors and questions in."""

    def __init__(self, tracer: Tracer, ids: RunIds, *, content: bool) -> None:
        self.open = OpenRuns()
        self._tracer = tracer
        self._ids = ids
        self._content = content
        self._last = LastRuns()

    def knows(self, run_id: UUID | None) -> bool:
        return self.open.get(run_id) is not None

    def graph(self, run_id: UUID, name: str, metadata: Mapping[str, Any] | None) -> None:
        """A run that nothing here began: a whole graph, with whose run it is."""
        run = self._root(run_id, name, metadata, GRAPH)
        self._begin(run, *_agent(run))
        self._add(run_id, run)

    def node(
        self,
        run_id: UUID,
        parent_id: UUID | None,
        name: str,
        metadata: Mapping[str, Any] | None,
        *,
        updates: bool,
    ) -> None:
        """A node; what it stands under is thereby a graph. `updates`: what it gives back are keys of the state."""
        parent = self.open.get(parent_id)
        if parent is not None and parent.span is None:
            parent.kind = GRAPH
            self._begin(parent, *_agent(parent))
        kind = NODE if updates else TASK
        self.call(run_id, parent_id, name, facts.node(name, metadata), metadata, kind=kind)

    def step(self, run_id: UUID, parent_id: UUID, name: str) -> None:
        """A step in between, without a span as long as no node shows that it is a graph."""
        parent = self.open.get(parent_id)
        if parent is not None:
            self._add(run_id, Open(name, parent.root, parent.facts, parent.context, parent))

    def call(
        self,
        run_id: UUID,
        parent_id: UUID | None,
        name: str,
        told: facts.Facts,
        metadata: Mapping[str, Any] | None,
        *,
        kind: str = CALL,
        span_kind: SpanKind = SpanKind.INTERNAL,
    ) -> None:
        """A node, or a call of a model or a tool: one outside of any graph is a tree of its own."""
        parent = self.open.get(parent_id)
        if parent is None:
            run = self._root(run_id, name, metadata, kind)
        else:
            run = Open(name, parent.root, parent.facts, parent.context, parent, kind)
            parent.failed_with = None  # its id may be another error's by now
        self._begin(run, name, told, span_kind)
        self._add(run_id, run)

    def told(self, run_id: UUID) -> facts.Facts:
        """What its span was told at the beginning."""
        run = self.open.get(run_id)
        return run.told if run else {}

    def updates(self, run_id: UUID) -> bool:
        """Whether it is a node whose answer is an update of the state."""
        run = self.open.get(run_id)
        return run is not None and run.kind == NODE

    def end(self, run_id: UUID, told: facts.Facts) -> None:
        """It ended by itself. A graph below which somebody is asked is interrupted."""
        run, left = self.open.pop(run_id)
        self._cut_off(left)
        if run is not None:
            self._finish(run, ending.INTERRUPTED if run.interrupted else ending.DONE, told)

    def fail(self, run_id: UUID, error: BaseException) -> None:
        """It ended by an exception, which may be LangGraph's way to wait or to hand over."""
        run, left = self.open.pop(run_id)
        self._cut_off(left)
        if run is None:
            return
        meant = ending.control_flow(error, content=self._content)
        if meant is not None:
            outcome, told = meant
            if run.parent is not None and outcome == ending.INTERRUPTED:
                run.parent.interrupted = True
            self._finish(run, outcome, told)
            return
        if run.span is not None:
            began_here = run.failed_with != id(error)
            ending.tell_error(run.span, error, content=self._content, began_here=began_here)
            run.span.end()
        if run.parent is not None:
            run.parent.failed_with = id(error)

    def _root(self, run_id: UUID, name: str, metadata: Mapping[str, Any] | None, kind: str) -> Open:
        caller = (metadata or {}).get(TRACEPARENT)
        context = _W3C.extract({TRACEPARENT: caller}, Context()) if isinstance(caller, str) else None
        known = facts.identity(metadata, run_id)
        return Open(name, run_id, known, context or contexts.get_current(), kind=kind)

    def _begin(
        self, run: Open, name: str, told: facts.Facts, span_kind: SpanKind = SpanKind.INTERNAL
    ) -> None:
        whole = run.parent is None
        thread_id = run.facts.get(facts.THREAD) if whole and run.kind == GRAPH else None
        links: Sequence[Link] = self._last.links(thread_id)
        with self._ids.of(run_id_in(run.facts[facts.RUN]) if whole else None):
            run.span = self._tracer.start_span(
                facts.clean_text(name), run.context, span_kind, facts.clean({**run.facts, **told}), links,
                run.started_ns,
            )  # fmt: skip
        run.told = told
        run.context = trace.set_span_in_context(run.span, run.context)
        self._last.note(thread_id, run.span.get_span_context())

    def _add(self, run_id: UUID, run: Open) -> None:
        self._cut_off(self.open.add(run_id, run))

    def _cut_off(self, runs: Sequence[Open]) -> None:
        for run in runs:
            self._finish(run, ending.CUT_OFF, {})

    def _finish(self, run: Open, outcome: str, told: facts.Facts) -> None:
        if run.span is None:
            if run.parent is not None:
                run.parent.interrupted |= run.interrupted or outcome == ending.INTERRUPTED
            return
        said = facts.clean(told)
        run.span.set_attributes({**said, facts.OUTCOME: outcome})
        if outcome == ending.INTERRUPTED:
            run.span.add_event("interrupt", said)
        run.span.end()


def _agent(run: Open) -> tuple[str, facts.Facts]:
    return f"invoke_agent {run.name}", facts.agent(run.name, run.facts)
