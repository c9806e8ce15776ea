"""How a peer leaves: by a tool that answers its own call and sends the parent graph on, with all that was done.

A peer's state is the parent's only once the peer has ended; one that leaves in the middle takes it along.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from langchain.tools import ToolRuntime, tool
from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.types import Command
from pydantic import Field

from agents.travel.context import MAX_IDLE_HANDOFFS, Context
from agents.travel.state import PEERS, Common, Peer, Shared

Runtime = ToolRuntime[Context, Shared]
HAND_TO = "hand_to_"
CARRIED = ("usage", "degraded", *Common.__annotations__)
DOES: dict[Peer, str] = {
    "flights": "finds flights, and other dates when nothing fits",
    "hotels": "finds rooms for the nights between the flights",
    "visas": "looks up which visa the passports need",
}


def leave(runtime: Runtime, goto: str, text: str, **update: Any) -> Command[Any]:
    """Go on in the parent graph at `goto`; `text` answers the call, and `update` is what leaving changes."""
    state: dict[str, Any] = dict(runtime.state)
    carried = {name: state[name] for name in CARRIED if name in state}
    answer = ToolMessage(
        text, tool_call_id=runtime.tool_call_id or "", name=_name_of(runtime, state["messages"])
    )
    return Command(
        graph=Command.PARENT,
        goto="dead_letter" if state.get("failures") else goto,  # as the router behind the peer says
        update={**carried, **update, "messages": [*state["messages"], answer]},
    )


def hand_over(to: Peer) -> BaseTool:
    """The tool that hands the conversation to a peer, as long as hand-overs are left and lead somewhere."""

    @tool(f"{HAND_TO}{to}", description=f"Hand the conversation over to the peer that {DOES[to]}.")
    async def hand(
        reason: Annotated[str, Field(max_length=300, description="What it should do, in a few words")],
        runtime: Runtime,
    ) -> Command[Any]:
        state = runtime.state
        most, made = Context.of(runtime).max_handoffs, state.get("handoffs", 0) + 1
        idle = 0 if worked(state["messages"]) else state.get("idle_handoffs", 0) + 1
        if made > most:
            return leave(
                runtime, "finish", "No hand-over is left.", stopped=f"{most} hand-overs did not suffice"
            )
        if idle >= MAX_IDLE_HANDOFFS:
            why = "the peers sent the request to and fro, and none knew what to do with it"
            return leave(runtime, "finish", "Nobody takes it.", stopped=why)
        return leave(runtime, to, f"{to} goes on: {reason}", active=to, handoffs=made, idle_handoffs=idle)

    return hand


def hand_overs(peer: Peer) -> list[BaseTool]:
    """The tools by which a peer reaches the others."""
    return [hand_over(other) for other in PEERS if other != peer]


def worked(messages: Sequence[AnyMessage]) -> bool:
    """Whether a tool did anything since the conversation was handed over last, or since the traveller wrote."""
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            return False
        if isinstance(message, ToolMessage):
            if (message.name or "").startswith(HAND_TO):
                return False
            if message.status != "error":
                return True
    return False


def _name_of(runtime: Runtime, messages: Sequence[AnyMessage]) -> str | None:
    """The name of the tool whose call is answered."""
    calls = [call for message in messages for call in getattr(message, "tool_calls", [])]
    return next((call["name"] for call in reversed(calls) if call["id"] == runtime.tool_call_id), None)
