"""What each model call sees (prompt, window, the tier's tools), and the refusal of tools that it was not offered."""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.types import Command

from agents.helpdesk.calls import not_run
from agents.helpdesk.context import WINDOW_TOKENS, Context
from agents.helpdesk.prompts import help_prompt
from agents.helpdesk.state import State
from agents.helpdesk.tiers import may_call
from agents.shared.window import window

ESCALATE = "escalate_to_human"


class Framing(AgentMiddleware[State, Context]):
    """Frames each model call; on the last one that a request has, only an answer or a hand-over is offered."""

    state_schema = State

    async def awrap_model_call(
        self,
        request: ModelRequest[Context],
        handler: Callable[[ModelRequest[Context]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Ask with the assistant's prompt, the newest messages that fit, and the tools that are open."""
        context = Context.of(request.runtime)
        last = request.state.get("model_calls", 0) + 1 >= context.max_model_calls
        tools: list[BaseTool | dict[str, Any]] = [
            tool
            for tool in request.tools
            if isinstance(tool, BaseTool)
            and may_call(request.state, tool.name)
            and (tool.name == ESCALATE or not last)
        ]
        framed = request.override(
            system_message=help_prompt(context.system_prompt, last=last),
            messages=window(request.messages, WINDOW_TOKENS),
            tools=tools,
        )
        return await handler(framed)

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """A model may call what it was not offered; it is told so, and learns of no other tool."""
        name = request.tool_call["name"]
        if not may_call(request.state, name):
            return not_run(request.tool_call, f"There is no tool {name} here; use another one, or hand over.")
        return await handler(request)
