"""What the nodes do outside of the graph: they ask models, and hand each sub-question to the retrieval.

The retrieval knows nothing of this graph's state: `asked` and `came_to` are the whole mapping between the two.
"""

import logging
from collections.abc import Sequence
from typing import TypeVar

from langchain_core.messages import BaseMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from agents.research.context import MAX_ROUNDS, Context
from agents.research.reducers import Event, Status
from agents.research.rules import answer as written_rules
from agents.research.state import Lead, State, Task, Update
from agents.shared import models
from agents.shared.limits import add_usage, total_tokens
from agents.shared.offline import OFFLINE
from agents.shared.retrieval import Input, Output, found_of
from agents.shared.words import telling

_log = logging.getLogger(__name__)

WIDER = 3
"""Words of a wider search."""
TIMEOUT_S = 120.0
"""For each try of a model: an answer with many sources is long."""
Shape = TypeVar("Shape", bound=BaseModel)


class Plan(BaseModel):
    """The questions that together answer the one that was asked."""

    sub_questions: list[str] = Field(min_length=1, max_length=20)


class Sentence(BaseModel):
    """A sentence of the answer, and the numbers of the passages that say so."""

    text: str
    sources: list[int] = Field(default_factory=list)


class Synthesis(BaseModel):
    """The answer."""

    claims: list[Sentence] = Field(default_factory=list, max_length=60)


async def ask(
    node: str, messages: Sequence[BaseMessage], schema: type[Shape], state: State, runtime: Runtime[Context]
) -> tuple[Shape, str, Update]:
    """The answer in its shape, who gave it, and what it leaves in state; the rules answer where no model can.

    A model whose answer has another shape is not asked again for it. Nor is any once the question's tokens are used up.
    """
    degraded, spent = (
        list[str](),
        total_tokens(state.get("usage", {})) - state.get("tally", {}).get("tokens_before", 0),
    )
    names, most = Context.of(runtime).models(), Context.of(runtime).max_tokens
    if names != (OFFLINE,) and spent >= most:
        degraded.append(f"budget: {most:,} tokens are used up, so the written rules went on")
        names = (OFFLINE,)
    usage = {}
    for tried in (names, (OFFLINE,)):
        reply = await models.ask(
            messages, node=node, models=tried, rules=written_rules, schema=schema, timeout_s=TIMEOUT_S
        )
        usage, degraded = add_usage(usage, reply.usage), [*degraded, *reply.degraded]
        if isinstance(reply.parsed, schema):
            return reply.parsed, reply.model, {"usage": usage, "degraded": degraded}
        _log.warning("%s: %s gave an unusable answer: %s", node, reply.model, reply.problem)
        degraded.append(f"{node}: {reply.model} gave an unusable answer")
    raise RuntimeError(f"the written rules for {node!r} broke their own schema")


def asked(task: Task) -> Input:
    """A sub-question as the retrieval is asked it."""
    return {
        "question": task["question"],
        "queries": task["queries"],
        "sources": task["sources"],
        "limit": task["limit"],
        "max_searches": task["max_searches"],
        "models": task["models"],
        "embeddings": task["embeddings"],
        "folder": task["folder"],
        "cache_minutes": task["cache_minutes"],
    }


def came_to(task: Task, found: Output) -> Update:
    """What the retrieval came to, as this graph's state takes it."""
    passages, failed = found["passages"], found.get("failed", [])
    status: Status = "found" if passages else "nothing" if found.get("searched") else "failed"
    event: Event = {
        "sub_id": task["sub_id"], "question": task["question"], "status": status, "passages": len(passages),
        "searched": task["searched"] + 1,
    }  # fmt: skip
    did = f"{task['question']}: {len(passages)} passages" + (
        f"; failed: {', '.join(failed)}" if failed else ""
    )
    update: Update = {
        "standing": event,
        "passages": found_of(passages),
        "rankings": {f"{task['sub_id']}|{task['searched']}": [passage["passage_id"] for passage in passages]},
        "tally": {"searches": found.get("searches", 0), "answered": len(found.get("searched", []))},
        "usage": found.get("usage", {}),
        "degraded": found.get("degraded", []),
        "trail": [{"turn": task["turn"], "node": "investigate", "did": did}],
    }
    return (
        {**update, "leads": _lead(task)}
        if status == "nothing" and task["searched"] + 1 < MAX_ROUNDS
        else update
    )


def _lead(task: Task) -> Lead:
    """Wider searches: of the question's own words, never of a passage's, which others wrote."""
    words = sorted(dict.fromkeys(telling(task["question"])), key=lambda word: (-len(word), word))
    return {"sub_id": task["sub_id"], "queries": list(dict.fromkeys([" ".join(words[:WIDER]), *words[:1]]))}
