"""How a request begins and how it ends: the agent's first and last node.

`finish` is the only place outside the tools that has an effect, and does nothing twice: its keys are made of tenant,
thread and number of the request.
"""

from typing import Any

from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain_core.messages import AIMessage, RemoveMessage
from langgraph.config import get_config
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from agents.helpdesk import desk
from agents.helpdesk.calls import mended
from agents.helpdesk.context import Context
from agents.helpdesk.state import State, Update
from agents.helpdesk.tiers import tier_of
from agents.helpdesk.verdict import closed, final_of
from agents.shared.limits import over_limit
from agents.shared.resilience import giving_up
from agents.shared.running import thread_if_any
from agents.shared.shop.tickets import ticket_of

WITHDRAWN = "Not done: the customer wrote again before a person had decided. Ask again if it is still wanted."


class Intake(AgentMiddleware[State, Context]):
    """Opens a request: clears what belonged to the one before, counts it, checks the limits of the thread."""

    state_schema = State

    @property
    def name(self) -> str:
        return "intake"

    @hook_config(can_jump_to=["end"])
    async def abefore_agent(self, state: State, runtime: Runtime[Context]) -> Update:
        """See the class."""
        context, turns = Context.of(runtime), state.get("turns", 0) + 1
        ticket_id = ticket_of(state.get("ticket_id"), thread_if_any(runtime))
        reason = over_limit(
            state.get("usage", {}),
            turns=turns,
            max_turns=context.max_turns,
            max_cost_usd=context.max_cost_usd,
        )
        update: Update = {
            "ticket_id": ticket_id,
            "user_tier": tier_of(state),
            "turns": turns,
            "approval_mode": context.approval_mode,
            "receipts": Overwrite([]),
            "failures": Overwrite([]),
            "escalations": Overwrite([]),
            "degraded": Overwrite([]),
            "stopped": None,
            "guarded": [],
            "model_calls": 0,
            "tool_calls": {},
            "recent": [],
            "structured_response": None,
        }
        whole = mended(state["messages"], WITHDRAWN)
        if whole is not None:
            update["messages"] = [RemoveMessage(id=REMOVE_ALL_MESSAGES), *whole]
        if reason:
            final = closed(ticket_id, reason)
            update |= {"structured_response": final, "jump_to": "end"}
        return update


class Finish(AgentMiddleware[State, Context]):
    """Says what came of the request, and tells whoever has to go on with it."""

    state_schema = State

    @property
    def name(self) -> str:
        return "finish"

    async def aafter_agent(self, state: State, runtime: Runtime[Context]) -> Update:
        """The structured answer and the reply; mail to the desk and a dead letter where they are needed."""
        ended: Any = state.get("structured_response")
        if ended and ended["status"] == "closed":
            return {"messages": [AIMessage(ended["reply"])]}
        final, guarded = final_of(state)
        failures, degraded = state.get("failures", []), list[str]()
        async with giving_up(runtime) as given_up:
            if failures:
                await desk.bury(state, failures, get_config())
            if final["handed_over"]:
                await desk.tell_desk(state, get_config(), final["why"])
        degraded += [f"finish: {reason}" for reason in given_up.reasons]
        return {
            "structured_response": final,
            "guarded": guarded,
            "messages": [AIMessage(final["reply"])],
            "degraded": degraded,
        }
