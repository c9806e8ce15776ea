"""What stands around a peer's model: it is counted, framed with the facts, and leaves by one tool called alone."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse, hook_config
from langchain_core.messages import AIMessage, AnyMessage, InvalidToolCall, ToolCall, ToolMessage
from langgraph.runtime import Runtime

from agents.shared.window import window
from agents.travel import trips
from agents.travel.context import WINDOW_TOKENS, Context
from agents.travel.leaving import HAND_TO
from agents.travel.prompts import prompt
from agents.travel.state import Peer, Shared, Update

NOTES, COUNTED = "note_trip", "try_other_dates"
LOOKS_UP = ("search_flights", COUNTED, "search_hotels", "check_visa")
LEAVES = ("propose_trip", "release_hold")
ALONE = "Not done: call this by itself, once the results of the other calls are there."
UNREADABLE = "Not done: the arguments are not JSON. Call it again."
ONE_TRY = "Not done: one pair of dates at a time; look at what the first comes to."
TOO_EARLY = "Not done: it would look for the trip as it was before this step's note_trip. Call it again."
ONCE = "Not done: the conversation goes to one place at a time."


class Counting(AgentMiddleware[Shared, Context]):
    """At most `max_model_calls` for a request, all peers together; calls that leave the peer are made alone."""

    state_schema = Shared

    @hook_config(can_jump_to=["end"])
    async def abefore_model(self, state: Shared, runtime: Runtime[Context]) -> Update | None:
        """No model call is left: the request ends with what was found."""
        most = Context.of(runtime).max_model_calls
        if state.get("model_calls", 0) < most:
            return None
        return {"stopped": f"there was no answer after {most} model calls", "jump_to": "end"}

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: Shared, runtime: Runtime[Context]) -> Update:
        """Count the call; answer calls that nobody can read, and those that would leave the peer beside others."""
        update: Update = {"model_calls": state.get("model_calls", 0) + 1}
        newest = state["messages"][-1]
        if not isinstance(newest, AIMessage):
            return update
        broken = [not_read(call) for call in newest.invalid_tool_calls]
        refused = [*broken, *not_alone(newest.tool_calls), *not_beside(newest.tool_calls)]
        if broken and not newest.tool_calls:
            update["jump_to"] = "model"
        return {**update, "messages": refused} if refused else update


class Framing(AgentMiddleware[Shared, Context]):
    """Each model call sees the peer's prompt, the facts, and the newest messages that fit; the last one no tools."""

    state_schema = Shared

    def __init__(self, peer: Peer) -> None:
        super().__init__()
        self._peer: Peer = peer

    async def awrap_model_call(
        self,
        request: ModelRequest[Context],
        handler: Callable[[ModelRequest[Context]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Ask with the assistant's prompt."""
        context = Context.of(request.runtime)
        last = request.state.get("model_calls", 0) + 1 >= context.max_model_calls
        known = trips.facts(request.state, date_tries=context.max_date_tries)
        framed = request.override(
            system_message=prompt(self._peer, context.system_prompt, known, last=last),
            messages=window(request.messages, WINDOW_TOKENS),
            tools=[] if last else request.tools,
        )
        return await handler(framed)


def not_alone(calls: Sequence[ToolCall]) -> list[AnyMessage]:
    """Results for calls that would leave the peer beside others: those others are made first, of several the first."""
    leaving = [call for call in calls if call["name"].startswith(HAND_TO) or call["name"] in LEAVES]
    if len(calls) < 2 or not leaving:
        return []
    mixed = len(leaving) < len(calls)
    refused, why = (leaving, ALONE) if mixed else (leaving[1:], ONCE)
    return [not_run(call, why) for call in refused]


def not_beside(calls: Sequence[ToolCall]) -> list[AnyMessage]:
    """Results for calls that know nothing of those beside them: of a trip that is noted, of dates that are tried."""
    looking = [call for call in calls if call["name"] in LOOKS_UP]
    if any(call["name"] == NOTES for call in calls):
        return [not_run(call, TOO_EARLY) for call in looking]
    return [not_run(call, ONE_TRY) for call in [call for call in looking if call["name"] == COUNTED][1:]]


def not_read(call: InvalidToolCall) -> ToolMessage:
    """The result of a call whose arguments are no JSON: it needs one, or providers refuse the conversation."""
    return ToolMessage(UNREADABLE, tool_call_id=call["id"] or "", name=call["name"], status="error")


def not_run(call: ToolCall, why: str) -> ToolMessage:
    """The result of a call that was not made."""
    return ToolMessage(why, tool_call_id=call["id"] or "", name=call["name"], status="error")
