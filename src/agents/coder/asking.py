"""Asking a model for code or for a critique: what it sees, and what its answer changes in state."""

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from agents.coder import prompts
from agents.coder.context import Context
from agents.coder.rules import answer as written_rules
from agents.coder.state import State, Update
from agents.shared import models

LONGEST_CODE = 20_000
"""Characters of code, and of tests."""


class Solution(BaseModel):
    """The code for the task, and its tests where there are none yet."""

    code: str = Field(min_length=1, max_length=LONGEST_CODE)
    tests: str = Field(default="", max_length=LONGEST_CODE)


async def written(state: State, runtime: Runtime[Context]) -> Update:
    """The next attempt, or the problem why there is none. Tests that are there stay as they are."""
    reply = await _ask("generate", "write_code", state, runtime, Solution)
    update = _account(reply)
    if not isinstance(reply.parsed, Solution):
        error = reply.problem or "the model wrote no code"
        return {**update, "code": "", "problem": {"node": "generate", "error": error}}
    checks = state.get("checks") or _plain(reply.parsed.tests)
    return {**update, "code": _plain(reply.parsed.code), "checks": checks, "problem": None}


async def criticised(state: State, runtime: Runtime[Context]) -> Update:
    """What is wrong with the last attempt; where the model has nothing to say, the log has to do."""
    reply = await _ask("critique", "critique", state, runtime, None)
    return {**_account(reply), "critique": "" if reply.problem else reply.message.text.strip()[:2_000]}


async def _ask(
    node: str,
    task: prompts.Task,
    state: State,
    runtime: Runtime[Context],
    schema: type[BaseModel] | None,
) -> models.Answer:
    context, tries = Context.of(runtime), state.get("tries", [])
    last = tries[-1] if tries else None
    message = prompts.asked(
        task=state.get("task", ""),
        tests=state.get("checks", ""),
        code=last["code"] if last else "",
        log=last["log"] if last else "",
        critique=state.get("critique", ""),
        advice=state.get("advice", ""),
    )
    return await models.ask(
        [prompts.prompt(task, context.system_prompt), message],
        node=node,
        models=context.models(),
        rules=written_rules,
        schema=schema,
        temperature=context.temperature,
    )


def _account(reply: models.Answer) -> Update:
    return {"usage": reply.usage, "degraded": list(reply.degraded)}


def _plain(code: str) -> str:
    """Without the fences that models put around code."""
    lines = code.strip().splitlines()
    if len(lines) >= 2 and lines[0].startswith("```") and lines[-1].strip() == "```":
        lines = lines[1:-1]
    return "\n".join(lines) + "\n" if lines else ""
