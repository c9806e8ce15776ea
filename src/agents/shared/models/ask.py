"""Puts a question to the first model that works: retried, behind a breaker, with fallbacks."""

from collections.abc import Sequence
from typing import cast

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, convert_to_messages
from langchain_core.messages.utils import MessageLikeRepresentation
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from pydantic import BaseModel

from agents.shared import spending
from agents.shared.limits import usage_of
from agents.shared.models.answer import Answer, judge, with_usage
from agents.shared.models.clients import TIMEOUT_S
from agents.shared.models.trying import first_that_works
from agents.shared.offline import Rules
from agents.shared.resilience import RETRIES, Retries


async def ask(
    messages: Sequence[MessageLikeRepresentation],
    *,
    node: str,
    models: Sequence[str | None],
    rules: Rules,
    schema: type[BaseModel] | None = None,
    tools: Sequence[BaseTool] = (),
    temperature: float = 0.0,
    max_tokens: int | None = None,
    timeout_s: float = TIMEOUT_S,
    retries: Retries = RETRIES,
) -> Answer:
    """The answer of the first of `models` that gives one; None among them means the default model.

    `node` is who asks, for the usage. With `schema` the model has to call a tool of that shape; `tools` are those that
    it may call instead of answering, where there is no schema. `timeout_s` bounds each try as a whole. A refusal or a
    broken schema is an answer too: see `Answer.problem`.
    Raises ModelDown, with every reason, when all are down; a bug in the rules comes out as itself.
    """
    asked = convert_to_messages(messages)

    async def call(model: BaseChatModel) -> AIMessage:
        runnable: Runnable[LanguageModelInput, AIMessage] = model
        if schema is not None:
            runnable = model.bind_tools([schema], tool_choice=schema.__name__)
        elif tools:
            runnable = model.bind_tools(tools)
        return cast("AIMessage", await runnable.ainvoke(asked))

    tried = await first_that_works(
        models, call, node=node, message_of=lambda message: message, rules=rules, temperature=temperature,
        max_tokens=max_tokens, timeout_s=timeout_s, retries=retries,
    )  # fmt: skip
    message = with_usage(tried.result, asked)
    usage = usage_of(node, tried.model, message)
    await spending.note(usage)
    parsed, problem = judge(message, schema)
    return Answer(
        message=message,
        model=tried.model,
        parsed=parsed,
        problem=problem,
        degraded=tried.degraded,
        usage=usage,
    )
