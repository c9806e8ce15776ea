"""The gate before refunds: LangChain's human-in-the-loop middleware, once for each way to ask.

Which of the two asks was noted in state when the request began, so that an answer finds its question although the
assistant was changed meanwhile. What stands there opens nothing: whatever is not `per_call` is asked about in one
batch, and `refund` pays only what a gate has noted, behind its question, in a table (allowing.py).
"""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import HumanInTheLoopMiddleware, InterruptOnConfig
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import HumanMessage, ToolCall, ToolMessage
from langgraph.config import get_config
from langgraph.types import Command

from agents.helpdesk.allowing import allow
from agents.helpdesk.calls import answered, newest_answer, wanted
from agents.helpdesk.decisions import ask
from agents.helpdesk.failing import GivingUp
from agents.helpdesk.refusing import amount_of, refusal
from agents.helpdesk.state import ApprovalMode
from agents.helpdesk.tiers import may_call
from agents.helpdesk.tools import refund
from agents.shared.asked import digest_of
from agents.shared.resilience import retrying
from agents.shared.shop.orders import order_number

LONGEST_MESSAGE = 2_000
EDITED = "hitl_edited_tool_calls"
"""Where the stock middleware looks for the call that a reviewer put in a call's place."""


class Gate(HumanInTheLoopMiddleware):
    """Asks a person about each refund that is not refused anyway."""

    def __init__(self, mode: ApprovalMode) -> None:
        self._mode: ApprovalMode = mode
        asked = InterruptOnConfig(
            allowed_decisions=["approve", "edit", "reject"], description=description, when=self._asks
        )
        super().__init__({"refund": asked}, interrupt_mode=mode)

    @property
    def name(self) -> str:
        return f"approve_{self._mode}"

    async def aafter_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """One question for all refunds of a step, in the stock middleware's shape; see `decisions.ask` for what is not
        as shipped. Calls one by one are asked about inside `tools`, by the stock middleware.
        """
        answer = newest_answer(state["messages"])
        config = self.interrupt_on["refund"]
        calls = [] if answer is None or self._mode != "batched" else wanted(answer)
        asked = [
            call for call in calls
            if call["name"] in self.interrupt_on and self._should_interrupt(call, config, state, runtime)
        ]  # fmt: skip
        if not asked:
            return {EDITED: {}} if self._mode == "batched" and state.get(EDITED) else None
        shown = [self._create_action_and_config(call, config, state, runtime) for call in asked]
        configs = [{**one, "args_schema": refund.tool_call_schema.model_json_schema()} for _, one in shown]  # pyright: ignore[reportAttributeAccessIssue]
        question = {"action_requests": [one for one, _ in shown], "review_configs": configs}
        decisions = await ask(question, len(asked), digest_of(asked, *_facts(asked, state)), runtime)
        edits, rejected = {}, []
        for call, decision in zip(asked, decisions, strict=True):
            as_sent: Any = decision.model_dump(exclude_unset=True)
            _, message = self._process_decision(as_sent, call, config)
            if message is not None:
                rejected.append(message)
                continue
            if decision.type == "edit":
                edits[call["id"]] = as_sent["edited_action"]
            await allow(call["id"] or "", edits.get(call["id"], call)["args"], state, get_config())
        return {"messages": rejected, EDITED: edits}

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Behind the question about one call: keep what was let pass, and make the call."""
        gated = request.tool_call["name"] in self.interrupt_on and self._asks(request)
        if self._mode != "per_call" or not gated:
            return await super().awrap_tool_call(request, handler)

        async def allowed(passed: ToolCallRequest) -> ToolMessage | Command[Any]:
            call = passed.tool_call
            async for attempt in retrying():
                with attempt:
                    await allow(call["id"] or "", call["args"], passed.state, passed.runtime.config)
            return await handler(passed)

        async def given_up(passed: ToolCallRequest) -> ToolMessage | Command[Any]:
            return await GivingUp().awrap_tool_call(passed, allowed)

        return await super().awrap_tool_call(request, given_up)

    def _asks(self, request: ToolCallRequest) -> bool:
        state, call = request.state, request.tool_call
        mode: ApprovalMode = "per_call" if state.get("approval_mode") == "per_call" else "batched"
        if mode != self._mode or call["id"] in answered(state["messages"]):
            return False
        return may_call(state, call["name"]) and refusal(call["args"], state) is None


def _facts(calls: list[ToolCall], state: Any) -> list[object]:
    """What is shown of each call besides itself; amounts that a call leaves open come from the order."""
    return [
        state.get("orders", {}).get(order_number(str(call["args"].get("order_id", "")))) for call in calls
    ]


def description(tool_call: ToolCall, state: Any, runtime: Any) -> str:
    """What the reviewer reads, in Markdown: what is asked, of which order, in whose words. From state alone."""
    args = tool_call["args"]
    number = order_number(str(args.get("order_id", "")))
    order = state.get("orders", {}).get(number)
    amount = amount_of(args, state)
    lines = [
        f"Refund ${amount:,.2f} for order {number}?" if amount is not None else f"Refund order {number}?"
    ]
    if order:
        items = ", ".join(f"{item['quantity']} × {item['name']}" for item in order["items"] or [])
        lines.append(
            f"{order['customer_name']}, order {order['status']}, placed {order['placed_on']}: {items}. Paid "
            f"${order['paid_usd']:,.2f}, of which ${order['refundable_usd']:,.2f} can still be refunded."
        )
    lines.append(f"Why, as the agent says: {args.get('reason', '')}")
    said = (message.text for message in reversed(state["messages"]) if isinstance(message, HumanMessage))
    quote = next(said, "")[:LONGEST_MESSAGE].replace("\n", "\n> ")
    lines.append(f"The customer wrote:\n\n> {quote}")
    return "\n\n".join(lines)
