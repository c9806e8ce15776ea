"""What stands around the model of a worker of `create_agent`: its prompt, its last step, the assistant's models."""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse, hook_config
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.tools import BaseTool

from agents.engineering_team.context import Context, chosen
from agents.engineering_team.prompts import Task, prompt
from agents.engineering_team.rules import answer as written_rules
from agents.shared.models.agent import Accounted, AssistantModels


def calls_made(messages: list[AnyMessage]) -> int:
    """How often the worker's model has answered in this hand-off: its conversation begins with it."""
    return sum(isinstance(message, AIMessage) for message in messages)


class Framing(AgentMiddleware[Accounted, Context]):
    """Frames each model call of a worker; on the last one that it has, only the report is offered."""

    state_schema = Accounted

    def __init__(self, task: Task, who: Callable[[Context], str]) -> None:
        super().__init__()
        self._task: Task = task
        self._who = who

    @property
    def name(self) -> str:
        return "bounds"

    @hook_config(can_jump_to=["end"])
    async def abefore_model(self, state: Accounted, runtime: Any) -> dict[str, Any] | None:
        """No call is left: it ends without a report."""
        made = calls_made(state["messages"])
        return {"jump_to": "end"} if made >= Context.of(runtime).max_worker_calls else None

    async def awrap_model_call(
        self,
        request: ModelRequest[Context],
        handler: Callable[[ModelRequest[Context]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Ask with the worker's own prompt."""
        context = Context.of(request.runtime)
        last = calls_made(request.messages) + 1 >= context.max_worker_calls
        tools: list[BaseTool | dict[str, Any]] = [] if last else list(request.tools)
        framed = request.override(
            system_message=prompt(self._task, self._who(context), last=last), tools=tools
        )
        return await handler(framed)


def around(task: Task, node: str, who: Callable[[Context], str]) -> list[AgentMiddleware[Any, Any]]:
    """The middleware of a worker, outermost first; `node` is its name, for the usage."""
    return [Framing(task, who), AssistantModels(node=node, rules=written_rules, chosen=chosen)]
