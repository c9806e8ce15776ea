"""The models of an assistant for a `create_agent` graph: a middleware that chooses, tries, falls back and accounts."""

import operator
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, cast

from langchain.agents import AgentState
from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ExtendedModelResponse, OmitFromInput
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langgraph.types import Command

from agents.shared import spending
from agents.shared.limits import Usage, add_usage, usage_of
from agents.shared.models.answer import with_usage
from agents.shared.models.trying import first_that_works
from agents.shared.offline import Rules


class Accounted(AgentState[Any]):
    """What the middleware leaves in state: what models cost, and which were down.

    A reducer has to stand last: LangGraph looks for it there, and takes the field for a plain one otherwise.
    """

    usage: NotRequired[Annotated[Usage, OmitFromInput, add_usage]]
    degraded: NotRequired[Annotated[list[str], OmitFromInput, operator.add]]


@dataclass(frozen=True)
class Chosen:
    """What an assistant's context says of its models; None among the names means the default model."""

    names: Sequence[str | None]
    temperature: float = 0.0


class AssistantModels(AgentMiddleware[Accounted, Any]):
    """Asks the first of the assistant's models that works, as `agents.shared.models.ask` does.

    It has to be the last middleware of an agent: it retries the call of the model and nothing else. `node` is who
    asks, for the usage; `chosen` reads the run's context.
    """

    state_schema = Accounted

    def __init__(self, *, node: str, rules: Rules, chosen: Callable[[Any], Chosen]) -> None:
        super().__init__()
        self._node, self._rules, self._chosen = node, rules, chosen

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ExtendedModelResponse[Any]:
        """Ask, and note usage and degradation beside the answer. Raises ModelDown when no model works."""
        chosen = self._chosen(request.runtime)

        async def call(model: BaseChatModel) -> ModelResponse[Any]:
            return await handler(request.override(model=model))

        tried = await first_that_works(
            chosen.names, call, node=self._node, message_of=_message, rules=self._rules,
            temperature=chosen.temperature,
        )  # fmt: skip
        first, *others = tried.result.result
        message = with_usage(cast("AIMessage", first), request.messages)
        usage = usage_of(self._node, tried.model, message)
        await spending.note(usage)
        update = {"usage": usage, "degraded": list(tried.degraded)}
        answer = ModelResponse(
            result=[message, *others], structured_response=tried.result.structured_response
        )
        return ExtendedModelResponse(answer, Command(update=update))


def _message(response: ModelResponse[Any]) -> AIMessage:
    return cast("AIMessage", response.result[0])
