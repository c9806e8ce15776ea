"""The coder, built by hand: a node that asks the model, a `ToolNode`, and `tools_condition` between them.

It is shown its brief, the files, the findings and the tests' log; what others said on the way it never sees.
"""

import operator
from typing import Annotated, Any, Literal, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.prebuilt.tool_node import ToolInvocationError
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from agents.engineering_team import tools
from agents.engineering_team.context import WORKER_RECURSION_LIMIT, Context
from agents.engineering_team.ledger import digest
from agents.engineering_team.prompts import prompt
from agents.engineering_team.rules import answer as written_rules
from agents.engineering_team.state import Build, Files, Update
from agents.engineering_team.workers.framing import calls_made
from agents.engineering_team.workers.writing import ToolRefused, run_tests, write_file
from agents.shared import models
from agents.shared.limits import Usage, add_usage


def written(left: Files | None, right: Files | None) -> Files:
    """All files, each as it was written last: several may be written in one step."""
    return {**(left or {}), **(right or {})}


def newest(left: Build | None, right: Build | None) -> Build | None:
    """What the tests said last."""
    return right


class CoderState(TypedDict):
    """What the coder works on. `given` are the caller's files, `kept_tests` tests that have passed before."""

    messages: Annotated[list[AnyMessage], add_messages]
    files: Annotated[Files, written]
    given: NotRequired[Files]
    kept_tests: NotRequired[str]
    build: NotRequired[Annotated[Build | None, newest]]
    problem: NotRequired[str | None]
    usage: Annotated[Usage, add_usage]
    degraded: Annotated[list[str], operator.add]


TOOLS = [write_file, run_tests]


def told(error: ToolRefused | ToolInvocationError) -> str:
    """The words for the model; anything else is a bug, and fails the run."""
    return str(error)


async def write(state: CoderState, runtime: Runtime[Context]) -> Update:
    """The model's next step: calls of tools, or the sentence that ends it."""
    context = Context.of(runtime)
    last = calls_made(state["messages"]) + 1 >= context.max_worker_calls
    reply = await models.ask(
        [prompt("code", context.coder_prompt, last=last), *state["messages"]],
        node="coder",
        models=context.models(),
        rules=written_rules,
        tools=TOOLS,
        temperature=context.temperature,
    )
    update: Update = {"usage": reply.usage, "degraded": list(reply.degraded), "problem": reply.problem}
    return update if reply.problem else {**update, "messages": [reply.message]}


async def prove(state: CoderState, runtime: Runtime[Context]) -> Update:
    """The tests' word on the files as they are left, whatever the model says of them."""
    build = state.get("build")
    if not state["files"] or (build and build["of"] == digest(state["files"])):
        return {}
    return {"build": await tools.tried(state["files"], Context.of(runtime))}


def after_tools(state: CoderState, runtime: Runtime[Context]) -> Literal["write", "prove"]:
    """Back to the model, while it has calls left."""
    return "write" if calls_made(state["messages"]) < Context.of(runtime).max_worker_calls else "prove"


builder: StateGraph[Any, Any, Any, Any] = StateGraph(CoderState, context_schema=Context)

builder.add_node("write", write)
builder.add_node("tools", ToolNode(TOOLS, handle_tool_errors=told))
builder.add_node("prove", prove)

builder.add_edge(START, "write")
builder.add_conditional_edges("write", tools_condition, {"tools": "tools", END: "prove"})
builder.add_conditional_edges("tools", after_tools)
builder.add_edge("prove", END)

graph = builder.compile(name="coder").with_config(recursion_limit=WORKER_RECURSION_LIMIT)
