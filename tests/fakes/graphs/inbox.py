"""A graph that asks in the Agent Inbox shape and reads the answer as its documentation says: the first of a list.

Input: {"key": str, "request": the HumanInterrupt, "listed": bool (ask with [request] rather than request)}, or
{"key", "requests": several HumanInterrupts, asked in one interrupt; each is done as its own response says}.
"""

from typing import Any, NotRequired

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger

ALLOWED = {
    "accept": "allow_accept",
    "edit": "allow_edit",
    "response": "allow_respond",
    "ignore": "allow_ignore",
}


class State(TypedDict):
    key: str
    request: NotRequired[dict[str, Any]]
    requests: NotRequired[list[dict[str, Any]]]
    listed: NotRequired[bool]
    responses: NotRequired[list[dict[str, Any]]]


async def ask(state: State) -> dict[str, Any]:
    if several := state.get("requests"):
        return {"responses": interrupt(several)}
    request = state.get("request")
    return {"responses": interrupt([request] if state.get("listed") else request)[:1]}


async def act(state: State) -> dict[str, Any]:
    """One effect for each answer; one too few, one that was not allowed, or of another shape, fails the run."""
    asked = state.get("requests") or [state.get("request", {})]
    for request, response in zip(asked, state.get("responses", []), strict=True):
        await _do(state, request, response)
    return {}


async def _do(state: State, request: dict[str, Any], response: dict[str, Any]) -> None:
    kind = response["type"]
    if not request["config"][ALLOWED[kind]]:
        raise ValueError(f"{kind} was not allowed")
    action = request["action_request"]
    match kind:
        case "accept":
            await ledger.write(state["key"], action["action"], action["args"])
        case "edit":
            edited = response["args"]
            await ledger.write(state["key"], edited["action"], edited["args"])
        case "response":
            await ledger.write(state["key"], "response", response["args"].strip())
        case _:
            await ledger.write(state["key"], "ignored")


builder = StateGraph(State)
builder.add_node("ask", ask)
builder.add_node("act", act)
builder.add_edge(START, "ask")
builder.add_edge("ask", "act")
builder.add_edge("act", END)
graph = builder.compile(name="inbox")
