"""Asking for a decision: what the supervisor and the lead are shown, and what becomes of an unusable answer."""

from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from agents.engineering_team import prompts
from agents.engineering_team.context import Context
from agents.engineering_team.rules import answer as written_rules
from agents.engineering_team.state import Update
from agents.shared import models
from agents.shared.offline import OFFLINE

LONGEST_REASON, LONGEST_BRIEF = 500, 2_000


class Decision(BaseModel):
    """Who works next, why, and what they have to do."""

    route: Literal["researcher", "coder", "quality", "finish"]
    reason: str = Field(default="", max_length=LONGEST_REASON)
    brief: str = Field(default="", max_length=LONGEST_BRIEF)


class Check(BaseModel):
    """Who looks next, why, and what at."""

    route: Literal["reviewer", "auditor", "done"]
    reason: str = Field(default="", max_length=LONGEST_REASON)
    brief: str = Field(default="", max_length=LONGEST_BRIEF)


Asked = TypeVar("Asked", Decision, Check)


@dataclass(frozen=True)
class Asker:
    """Who decides: the task of the prompt, who that is, and under which name the cost is noted."""

    task: prompts.Task
    who: str
    node: str


async def decided(
    asker: Asker, message: HumanMessage, schema: type[Asked], runtime: Runtime[Context]
) -> tuple[Asked, Update]:
    """The decision, and what it cost. An answer that is no decision is left for the written rules', which is noted."""
    context = Context.of(runtime)
    told = [prompts.prompt(asker.task, asker.who), message]
    wanted: dict[str, Any] = {"node": asker.node, "rules": written_rules, "schema": schema}
    reply = await models.ask(told, models=context.models(), temperature=context.temperature, **wanted)
    update: Update = {"usage": reply.usage, "degraded": list(reply.degraded)}
    if not isinstance(reply.parsed, schema):
        update["degraded"] = [*reply.degraded, f"{asker.node}: {reply.problem}; the written rules decided"]
        reply = await models.ask(told, models=[OFFLINE], **wanted)
    if not isinstance(reply.parsed, schema):
        raise TypeError(f"the written rules gave no {schema.__name__}: {reply.problem}")
    return reply.parsed, update
