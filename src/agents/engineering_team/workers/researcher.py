"""The researcher: an agent that looks things up. It is shown a question, and nothing else of the task."""

import json
import logging
import operator
from collections.abc import Awaitable, Mapping
from typing import Annotated, Any, NotRequired

from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import ToolRuntime, tool
from langchain_core.messages import ToolMessage
from langgraph.types import Command
from pydantic import Field
from typing_extensions import TypedDict

from agents.engineering_team import library
from agents.engineering_team.context import WORKER_RECURSION_LIMIT, Context
from agents.engineering_team.ledger import LONGEST_WORDS
from agents.engineering_team.rules import answer as written_rules
from agents.engineering_team.state import Research, Source
from agents.engineering_team.workers.framing import around
from agents.shared.callers import caller_of
from agents.shared.errors import PermanentError, in_full, told
from agents.shared.models.agent import Accounted
from agents.shared.offline import OfflineChatModel
from agents.shared.resilience import is_transient
from agents.shared.thread_tenants import tenant_of

_log = logging.getLogger(__name__)
Query = Annotated[str, Field(min_length=1, max_length=500, description="What to look for, in a few words")]
AWAY = "This can't be looked up right now. Say so in the report; don't try it again."


class ResearchReport(TypedDict):
    """Ends the research: what was found."""

    answer: Annotated[
        str, Field(min_length=1, max_length=LONGEST_WORDS, description="At most five sentences")
    ]
    sources: Annotated[
        list[str], Field(max_length=10, description="The ids that tools returned, of what was used")
    ]


class ResearcherState(Accounted):
    """The agent's state, and what its tools returned and could not do."""

    found: NotRequired[Annotated[list[Source], operator.add]]
    away: NotRequired[Annotated[list[str], operator.add]]


Runtime = ToolRuntime[Context, ResearcherState]


@tool
async def search_notes(query: Query, runtime: Runtime) -> Command[Any]:
    """Search how this house builds software: its rules and conventions for code, security and tests."""
    thread_id = str(runtime.config.get("configurable", {}).get("thread_id") or "")

    async def search() -> list[Source]:
        return await library.search_notes(query, await tenant_of(caller_of(runtime.config), thread_id))

    return await _looked_up(runtime, "search_notes", search())


@tool
async def search_articles(query: Query, runtime: Runtime) -> Command[Any]:
    """Search the shop's help articles: how delivery, returns, refunds, payment and accounts work."""
    return await _looked_up(runtime, "search_articles", library.search_articles(query))


async def _looked_up(runtime: Runtime, name: str, search: Awaitable[list[Source]]) -> Command[Any]:
    """The result, or that it is away; a bug is raised, and fails the run."""
    try:
        return _told(runtime, await search)
    except Exception as error:
        if not (is_transient(error) or isinstance(error, PermanentError)):
            raise
        _log.warning("%s given up: %s", name, in_full(error))
        return _away(runtime, f"{name}: {told(error)}")


def _told(runtime: Runtime, found: list[Source]) -> Command[Any]:
    text = (
        json.dumps(found, ensure_ascii=False)
        if found
        else "Nothing matches; try other words, or report that."
    )
    return Command(
        update={"found": found, "messages": [ToolMessage(text, tool_call_id=runtime.tool_call_id or "")]}
    )


def _away(runtime: Runtime, why: str) -> Command[Any]:
    message = ToolMessage(AWAY, tool_call_id=runtime.tool_call_id or "", status="error")
    return Command(update={"away": [why], "messages": [message]})


graph = create_agent(
    OfflineChatModel(rules=written_rules),
    [search_notes, search_articles],
    middleware=around("research", "researcher", lambda context: context.researcher_prompt),
    response_format=ToolStrategy(ResearchReport, tool_message_content="Noted."),
    state_schema=ResearcherState,
    context_schema=Context,
    name="researcher",
).with_config(recursion_limit=WORKER_RECURSION_LIMIT)


def report_of(ended: Mapping[str, Any], question: str) -> Research | None:
    """What came of it; None without a report. A source that no tool returned is none."""
    report = ended.get("structured_response")
    if not report:
        return None
    found = {one["source"]: one for one in ended.get("found", [])}
    named = [found[name] for name in dict.fromkeys(report["sources"]) if name in found]
    return {"question": question, "answer": report["answer"].strip()[:LONGEST_WORDS], "sources": named}
