"""What becomes of a tool's failure: tried again, told to the model without internals, or raised because it is a bug."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ToolErrorMiddleware, ToolRetryMiddleware
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from agents.helpdesk.calls import not_run
from agents.helpdesk.context import Context
from agents.helpdesk.pace import TooFast
from agents.helpdesk.state import Failure, State
from agents.helpdesk.tools import ToolRefused
from agents.shared.errors import PermanentError, in_full
from agents.shared.errors import told as told_callers
from agents.shared.payments import PaymentRefused, PaymentUnavailable
from agents.shared.resilience import RETRIES, BreakerOpen, is_transient

_log = logging.getLogger(__name__)
AWAY = "This can't be done right now; a colleague will follow up. Don't try it again."
TOO_FAST = "Too many price checks at the moment; say so, and ask the customer to come back in a minute."
REFUSED = (
    "The refund was refused, and nothing was paid by this call: no more can be paid back than was paid, and an order "
    "is refunded once for a request."
)


def told(error: Exception, _: ToolCallRequest) -> str | None:
    """The words for the model; None for what is no tool's answer: bugs, and services that are away."""
    match error:
        case ToolRefused():
            return str(error)
        case TooFast():
            return TOO_FAST
        case PaymentRefused():
            return REFUSED
        case _:
            return None


def worth_another_try(error: Exception) -> bool:
    """Transient, but for the payment provider: its client has used up its own tries, which these would multiply."""
    return is_transient(error) and not isinstance(error, PaymentUnavailable)


class GivingUp(AgentMiddleware[State, Context]):
    """Outside of the tries: what is still away after the last is noted for the dead letters, and the model is told."""

    state_schema = State

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """A bug is raised as it is, and fails the run."""
        try:
            return await handler(request)
        except Exception as error:
            if not (is_transient(error) or isinstance(error, BreakerOpen | PermanentError)):
                raise
            name = request.tool_call["name"]
            failure: Failure = {"tool": name, "reason": told_callers(error)}
            _log.warning("a tool was given up: %s: %s", name, in_full(error))
            message = not_run(request.tool_call, AWAY)
            return Command(update={"failures": [failure], "messages": [message]})


def failing() -> list[AgentMiddleware[Any, Any]]:
    """The middleware around tools that may fail, outermost first: give up, try again, tell the model."""
    tries = ToolRetryMiddleware(
        max_retries=RETRIES.attempts - 1,
        retry_on=worth_another_try,
        on_failure="error",
        initial_delay=RETRIES.first_wait_s,
        backoff_factor=RETRIES.factor,
        max_delay=RETRIES.longest_wait_s,
    )
    return [GivingUp(), tries, ToolErrorMiddleware(told)]
