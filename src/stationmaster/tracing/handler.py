"""LangChain's callbacks, each told to the tree: graphs, nodes, model calls and tool calls become spans."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage, ToolMessage
from langchain_core.outputs import LLMResult
from langgraph.graph import START
from opentelemetry.trace import SpanKind, Tracer

from stationmaster.tracing import facts
from stationmaster.tracing.ids import RunIds
from stationmaster.tracing.tree import Tree

_NODE_TAG = "graph:step:"
_HIDDEN_TAG = "langsmith:hidden"
_CALL = "__pregel_push"
Told = dict[str, Any] | None


class Spans(BaseCallbackHandler):
    """Given to every run. `content`: prompts, answers, arguments and the words of errors are told too."""

    run_inline = True  # in the loop, in order: from a thread an end could overtake its beginning

    def __init__(
        self, tracer: Tracer, ids: RunIds, *, content: bool = False, price: facts.Price | None = None
    ) -> None:
        self.tree = Tree(tracer, ids, content=content)
        self.content = content
        self.price = price

    def on_chain_start(
        self, serialized: Told, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None,
        tags: list[str] | None = None, metadata: Told = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        name = str(kwargs.get("name") or (serialized or {}).get("name") or "run")
        if parent_run_id is None or not self.tree.knows(parent_run_id):
            graph_id = (metadata or {}).get("graph_id")  # callers may name their runs as they like
            self.tree.graph(run_id, graph_id if isinstance(graph_id, str) else name, metadata)
        elif _is_node(name, tags or (), metadata or {}):
            self.tree.node(run_id, parent_run_id, name, metadata, updates=_updates(metadata or {}))
        else:
            self.tree.step(run_id, parent_run_id, name)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self.tree.end(run_id, facts.changes(outputs) if self.tree.updates(run_id) else {})

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self.tree.fail(run_id, error)

    def on_chat_model_start(
        self, serialized: Told, messages: list[list[BaseMessage]], *, run_id: UUID,
        parent_run_id: UUID | None = None, metadata: Told = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        said = facts.messages_said(messages[0]) if self.content and messages else None
        self._ask_model(serialized, said, run_id, parent_run_id, metadata)

    def on_llm_start(
        self, serialized: Told, prompts: list[str], *, run_id: UUID,
        parent_run_id: UUID | None = None, metadata: Told = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        said = facts.in_full(prompts) if self.content else None
        self._ask_model(serialized, said, run_id, parent_run_id, metadata)

    def _ask_model(
        self, serialized: Told, said: str | None, run_id: UUID, parent_run_id: UUID | None, metadata: Told
    ) -> None:
        name, told = facts.model_call(metadata, str((serialized or {}).get("name") or "model"))
        if said is not None:
            told["gen_ai.input.messages"] = said
        self.tree.call(run_id, parent_run_id, name, told, metadata, span_kind=SpanKind.CLIENT)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        told = facts.answer(response, self.tree.told(run_id), self.price)
        message = facts.first_message(response) if self.content else None
        if message is not None:
            told["gen_ai.output.messages"] = facts.messages_said([message])
        self.tree.end(run_id, told)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self.tree.fail(run_id, error)

    def on_tool_start(
        self, serialized: Told, input_str: str, *, run_id: UUID,
        parent_run_id: UUID | None = None, metadata: Told = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        tool = str((serialized or {}).get("name") or kwargs.get("name") or "tool")
        name, told = facts.tool_call(tool, kwargs.get("tool_call_id"))
        if self.content:
            told["gen_ai.tool.call.arguments"] = facts.in_full(kwargs.get("inputs") or input_str)
        self.tree.call(run_id, parent_run_id, name, told, metadata)

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        told = facts.changes(output) if facts.hands_over(output) else {}
        if isinstance(output, ToolMessage):
            told["gen_ai.tool.call.status"] = output.status
        if self.content:
            told["gen_ai.tool.call.result"] = facts.in_full(getattr(output, "content", output))
        self.tree.end(run_id, told)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self.tree.fail(run_id, error)


def _updates(metadata: Mapping[str, Any]) -> bool:
    """Whether what it gives back are keys of a state: what a `@task` or an `@entrypoint` does is a value like any."""
    path = metadata.get("langgraph_path") or ("",)
    return path[0] != _CALL and tuple(metadata.get("langgraph_triggers") or ()) != (START,)


def _is_node(name: str, tags: Sequence[str], metadata: Mapping[str, Any]) -> bool:
    """A node of a graph, or a `@task` of the functional API, which has no tag but the path of a call."""
    if _HIDDEN_TAG in tags:
        return False
    path = metadata.get("langgraph_path") or ("",)
    is_task = path[0] == _CALL and path[-1] is True and metadata.get("langgraph_node") == name
    return is_task or any(tag.startswith(_NODE_TAG) for tag in tags)
