"""What becomes of a tool's failure: tried again, told to the model without internals, or raised because it is a bug."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from agents.shared.errors import PermanentError, in_full, told
from agents.shared.failures import Failure
from agents.shared.resilience import is_transient, retrying
from agents.travel.context import Context
from agents.travel.inventory import NoSuchPlace, SoldOut
from agents.travel.noting import ToolRefused
from agents.travel.state import Shared
from agents.travel.watching import not_run

logger = logging.getLogger(__name__)
AWAY = "This can't be looked up right now. Don't try it again; say so, and that nothing was held."
FOR_THE_MODEL = (ToolRefused, NoSuchPlace, SoldOut)


class Failing(AgentMiddleware[Shared, Context]):
    """Three tries for what is away; then it is noted for the dead letters, and the model is told."""

    state_schema = Shared

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """A bug is raised as it is, and fails the run."""
        name = request.tool_call["name"]
        try:
            async for attempt in retrying():
                with attempt:
                    return await handler(request)
        except FOR_THE_MODEL as error:
            return not_run(request.tool_call, str(error))
        except Exception as error:
            if not (is_transient(error) or isinstance(error, PermanentError)):
                raise
            logger.warning("a tool was given up: %s: %s", name, in_full(error))
            failure: Failure = {"node": name, "reason": told(error)}
            message = not_run(request.tool_call, AWAY)
            return Command(update={"failures": [failure], "messages": [message]})
        raise AssertionError("retrying ends with a result or an error")
