"""Asking a model on behalf of a node: what it sees, what its answer changes in state, what it cost."""

import json
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, SystemMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from agents.shared import models
from agents.shared.shop.mail import SUPPORT_DESK
from agents.support import prompts, verdict
from agents.support.context import WINDOW_TOKENS, Context, Role
from agents.support.rules import answer as written_rules
from agents.support.state import Details, Intent, Problem, Reason, State, Update


class Classification(BaseModel):
    """What the customer's newest message asks for."""

    intent: Intent
    order_id: str | None = None
    reason: Reason = "other"
    queries: list[str] = Field(default_factory=list, max_length=3)


def task_prompt(
    task: prompts.Task, instructions: str, state: State, runtime: Runtime[Context]
) -> SystemMessage:
    """The system message of a task that needs no facts."""
    system_prompt = Context.of(runtime).system_prompt
    return prompts.prompt(
        task, system_prompt=system_prompt, instructions=instructions, summary=state.get("summary", "")
    )


def draft_prompt(task: prompts.Task, mend: str, state: State, runtime: Runtime[Context]) -> SystemMessage:
    """The system message for writing a reply, with the facts; `mend` says what was wrong with an earlier one."""
    context = Context.of(runtime)
    return prompts.prompt(
        task,
        system_prompt=context.system_prompt,
        instructions="\n\n".join(filter(None, [prompts.DRAFT.format(tone=context.tone), mend])),
        summary=state.get("summary", ""),
        facts=verdict.facts(state, tone=context.tone, desk=SUPPORT_DESK),
    )


async def ask(
    node: str,
    system: SystemMessage,
    messages: list[AnyMessage],
    runtime: Runtime[Context],
    schema: type[BaseModel] | None = None,
    *,
    role: Role,
) -> models.Answer:
    """The answer of the first of the role's models that is up; see `agents.shared.models.ask`."""
    context = Context.of(runtime)
    return await models.ask(
        [system, *prompts.window(messages, WINDOW_TOKENS)],
        node=node,
        models=context.models_for(role),
        rules=written_rules,
        schema=schema,
        temperature=context.temperature,
    )


def account(reply: models.Answer) -> Update:
    """What every answer leaves in state: its cost, and what was degraded to get it."""
    return {"usage": reply.usage, "degraded": list(reply.degraded)}


def classified(reply: models.Answer) -> Update:
    """The classification, or the problem that `repair` is shown."""
    if reply.problem or not isinstance(reply.parsed, Classification):
        return _problem("classify", reply.problem or "no classification", reply)
    found = reply.parsed
    details: Details = {"reason": found.reason, "queries": found.queries}
    return {"intent": found.intent, "order_id": found.order_id, "details": details, "problem": None}


def drafted(reply: models.Answer) -> Update:
    """The draft, or the problem that `repair` is shown."""
    text = reply.message.text.strip()
    if reply.problem or not text:
        return _problem("draft_reply", reply.problem or "the reply is empty", reply)
    return {"draft": text, "problem": None}


def _problem(node: str, error: str, reply: models.Answer) -> dict[str, Any]:
    problem: Problem = {"node": node, "error": error, "answer": _as_said(reply.message)[:2_000]}
    return {"problem": problem}


def _as_said(message: AIMessage) -> str:
    """The answer as its model should read it again: text, refusal, and calls with their arguments as written."""
    calls = [f"{call['name']}({json.dumps(call['args'], ensure_ascii=False)})" for call in message.tool_calls]
    broken = [f"{call['name']}({call['args'] or ''})" for call in message.invalid_tool_calls]
    said = [message.text, message.additional_kwargs.get("refusal"), *calls, *broken]
    return "\n".join(str(part) for part in said if part)
