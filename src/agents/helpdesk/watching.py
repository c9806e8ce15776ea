"""Counts what the agent does in a request, and ends it for a reason that can be told: it repeats itself, or goes on."""

from collections import Counter
from typing import Any

from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain_core.messages import ToolCall, ToolMessage

from agents.helpdesk.calls import digest, newest_answer, not_run, of_request, wanted
from agents.helpdesk.context import WINDOW_CALLS, Context
from agents.helpdesk.state import State, Update
from agents.shared.shop.orders import order_number

REPEATED = (
    "This call was made before, with the same arguments: its result stands above. Use it, or do something else; "
    "the next repetition ends the conversation."
)
ONE_REFUND = "Not run: there is one refund of an order for a request; ask for all of it in one call."
STOPPED = "Not run: the request goes to a person."
REPEATS_TO_STOP = 2
"""So many equal calls among the newest, and the next one is one too many."""


class Watching(AgentMiddleware[State, Context]):
    """At most `max_model_calls` for a request, `max_calls_per_tool` for each tool, and no call for the third time.

    LangChain's own limits count a run: after a pause for a person they begin again. These count the request.
    """

    state_schema = State

    @property
    def name(self) -> str:
        return "watch"

    @hook_config(can_jump_to=["end"])
    async def abefore_model(self, state: State, runtime: Any) -> Update | None:
        """No model call is left: a person has it."""
        most = Context.of(runtime).max_model_calls
        if state.get("model_calls", 0) < most:
            return None
        return {"stopped": f"no answer after {most} model calls", "jump_to": "end"}

    @hook_config(can_jump_to=["end"])
    async def aafter_model(self, state: State, runtime: Any) -> Update:
        """Count the answer's calls; answer those that are not to be run, and end the request where it goes round."""
        calls = wanted(newest_answer(state["messages"]))
        counted: Update = {
            "model_calls": state.get("model_calls", 0) + 1,
            "tool_calls": dict(Counter(tool_calls(state)) + Counter(call["name"] for call in calls)),
        }
        recent, refused, stopped = judge(
            calls, state.get("recent", []), tool_calls(state), Context.of(runtime).max_calls_per_tool
        )
        counted["recent"] = recent
        if stopped:
            results = [not_run(call, STOPPED) for call in calls]
            return {**counted, "stopped": stopped, "messages": results, "jump_to": "end"}
        return {**counted, "messages": refused} if refused else counted


def tool_calls(state: State) -> dict[str, int]:
    """The request's calls by tool, before the newest answer. A thread that was paused before they were counted has no
    such field: then they are counted from its messages.
    """
    kept = state.get("tool_calls")
    if kept is not None:
        return kept
    newest = newest_answer(state["messages"])
    earlier = [message for message in of_request(state["messages"]) if message is not newest]
    return dict(Counter(call["name"] for message in earlier for call in getattr(message, "tool_calls", [])))


def judge(
    calls: list[ToolCall], recent: list[str], counts: dict[str, int], most: int
) -> tuple[list[str], list[ToolMessage], str | None]:
    """The newest digests with those of `calls`, results for calls that are not run, and why it ends, if it does."""
    refused, made, refunded = list[ToolMessage](), Counter(counts), set[str | None]()
    for call in calls:
        this = digest(call["name"], call["args"])
        seen = recent.count(this)
        recent = [*recent, this][-WINDOW_CALLS:]
        made[call["name"]] += 1
        if seen >= REPEATS_TO_STOP:
            return recent, refused, f"{call['name']} was called for the third time with the same arguments"
        if seen:
            refused.append(not_run(call, REPEATED))
        elif made[call["name"]] > most:
            refused.append(
                not_run(call, f"{call['name']} was called {most} times; answer with what you know.")
            )
        elif call["name"] == "refund":
            order = order_number(str(call["args"].get("order_id", "")))
            if order in refunded:
                refused.append(not_run(call, ONE_REFUND))
            refunded.add(order)
    return recent, refused, None
