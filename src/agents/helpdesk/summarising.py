"""LangChain's summarising middleware, with the assistant's models and their cost in state."""

from contextvars import ContextVar
from typing import Any

from langchain.agents import AgentState
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.messages import AnyMessage, ToolMessage, get_buffer_string
from langgraph.runtime import Runtime, get_runtime

from agents.helpdesk.context import KEEP_MESSAGES, SUMMARISE_ABOVE, Context
from agents.helpdesk.prompts import summary_prompt
from agents.helpdesk.rules import answer as written_rules
from agents.shared import models
from agents.shared.offline import OfflineChatModel

_asked: ContextVar[list[models.Answer] | None] = ContextVar("helpdesk_summaries", default=None)
LONGEST_SUMMARY = 4_000


class Summarising(SummarizationMiddleware):
    """Replaces all but the newest messages by a summary, so that the state does not grow with the thread."""

    def __init__(self) -> None:
        super().__init__(
            # Asked for nothing but its name: what writes summaries is `summarizer`.
            OfflineChatModel(rules=written_rules),
            trigger=("messages", SUMMARISE_ABOVE + 1),
            keep=("messages", KEEP_MESSAGES),
            summarizer=summary_of,
        )

    @property
    def name(self) -> str:
        return "summarise"

    async def abefore_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """The stock middleware's update, and what the summary cost."""
        answers: list[models.Answer] = []
        token = _asked.set(answers)
        try:
            update = await super().abefore_model(state, runtime)
        finally:
            _asked.reset(token)
        for one in answers:
            update = {**(update or {}), "usage": one.usage, "degraded": list(one.degraded)}
        return update


def _is_said(message: AnyMessage) -> bool:
    return not isinstance(message, ToolMessage) and not getattr(message, "tool_calls", None)


async def summary_of(messages: list[AnyMessage]) -> str:
    """A summary by the assistant's model; what a refusal leaves is the conversation's own words, cut."""
    context = Context.of(get_runtime(Context))
    # What was said, without calls and their results: what mattered of those is in the replies.
    said = get_buffer_string([message for message in messages if _is_said(message)])
    reply = await models.ask(
        [summary_prompt(context.system_prompt), ("user", said)],
        node="summarise",
        models=context.models(),
        rules=written_rules,
        temperature=context.temperature,
    )
    answers = _asked.get()
    if answers is not None:
        answers.append(reply)
    return (reply.message.text if not reply.problem else said)[:LONGEST_SUMMARY]
