"""Asking a model for a statement: what it sees, and what its answer changes in state."""

from datetime import UTC, datetime

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from agents.shared import models
from agents.sql_operator import prompts
from agents.sql_operator.context import Context
from agents.sql_operator.rules import answer as written_rules
from agents.sql_operator.state import Problem, State, Update


class Statement(BaseModel):
    """One SQL statement for the question; empty when the tables can't answer it."""

    sql: str = Field(default="", max_length=8_000)
    explanation: str = Field(default="", max_length=1_000)


async def written(state: State, runtime: Runtime[Context]) -> Update:
    """A new statement, or the problem why there is none; its cost, and what was degraded to get it."""
    context = Context.of(runtime)
    problem = state.get("problem")
    system = prompts.write_prompt(
        context.system_prompt,
        today=datetime.now(UTC).date().isoformat(),
        feedback=state.get("feedback", ""),
        problem=problem["error"] if problem else "",
    )
    reply = await models.ask(
        [system, prompts.asked(state.get("question", ""), state.get("sql", ""))],
        node="generate",
        models=context.models(),
        rules=written_rules,
        schema=Statement,
        temperature=context.temperature,
    )
    update: Update = {"usage": reply.usage, "degraded": list(reply.degraded)}
    if not isinstance(reply.parsed, Statement):
        error = reply.problem or "the model wrote no statement"
        broken: Problem = {"node": "generate", "error": error, "sql": ""}
        return {**update, "problem": broken}
    sql = reply.parsed.sql.strip()
    # Given up without another statement, the last one's problem is what there is to say.
    return {
        **update,
        "sql": sql,
        "generated": sql,
        "explanation": reply.parsed.explanation.strip(),
        "problem": None if sql else problem,
    }
