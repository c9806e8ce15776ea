"""Asking a model on behalf of a node: it sees masked text, answers in a shape, and is corrected once."""

from typing import Literal, TypeVar

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from agents.document_review import prompts
from agents.document_review.context import Context
from agents.document_review.rules import answer as written_rules
from agents.document_review.state import Kind, Label, Update
from agents.shared import models
from agents.shared.limits import add_usage


class Classification(BaseModel):
    """What the document is, and what it holds."""

    kind: Kind
    labels: list[Label] = Field(default_factory=list)


class Sentiment(BaseModel):
    """The tone of the document."""

    label: Literal["positive", "neutral", "negative", "mixed"]
    score: float = Field(ge=-1.0, le=1.0)
    reasons: list[str] = Field(default_factory=list)


Shape = TypeVar("Shape", bound=BaseModel)
TIMEOUT_S = 60.0
"""For each try of a model."""


async def ask(
    task: prompts.Task, excerpt: str, schema: type[Shape], runtime: Runtime[Context]
) -> tuple[Shape, Update]:
    """The model's answer and what it leaves in state; the written rules answer where two answers are unusable."""
    context = Context.of(runtime)
    usage, degraded, mend = {}, list[str](), None
    for names in (context.models(), context.models(), ("offline:rules",)):
        reply = await models.ask(
            prompts.prompt(task, context.system_prompt, excerpt, mend),
            node=task,
            models=names,
            rules=written_rules,
            schema=schema,
            timeout_s=TIMEOUT_S,
        )
        usage = add_usage(usage, reply.usage)
        degraded += reply.degraded
        if isinstance(reply.parsed, schema):
            return reply.parsed, {"usage": usage, "degraded": degraded}
        mend = reply.problem or f"the tool {schema.__name__} was not called"
        degraded.append(f"{task}: {reply.model} gave an unusable answer: {mend}")
    raise RuntimeError(f"the written rules for {task!r} broke their own schema: {mend}")
