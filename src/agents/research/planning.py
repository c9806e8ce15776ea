"""What is looked into next, and how far: sub-questions, tasks and their share of the budget. Pure."""

from collections.abc import Mapping, Sequence

from agents.research.context import Context
from agents.research.reducers import Event, Standing
from agents.research.state import Lead, Reference, Task
from agents.shared.offline import OFFLINE
from agents.shared.retrieval import Found, Source
from agents.shared.retrieval.fusion import Rankings, by_reciprocal_rank
from agents.shared.shop.text import storable

A_TASK = 12
"""Searches of one sub-question, at most: three queries in four sources."""
PASSAGES_A_TASK = 6
LONGEST_QUESTION = 400


def tidied(questions: Sequence[str]) -> list[str]:
    """Each once, on one line, none empty."""
    lines = (" ".join(storable(question).split())[:LONGEST_QUESTION] for question in questions)
    distinct = {line.casefold(): line for line in lines if line}
    return list(distinct.values())


def tasks_of(
    questions: Sequence[str], sources: list[Source], context: Context, turn: int, *, models: bool = True
) -> tuple[list[Task], list[Event]]:
    """One task for each question that the budget of searches is enough for, and what is planned and skipped."""
    # Each needs one search in every source at least.
    enough_for = max(1, context.max_searches // max(1, len(sources)))
    chosen = questions[: min(context.max_sub_questions, enough_for)]
    share = min(A_TASK, context.max_searches // max(1, len(chosen)))
    tasks: list[Task] = [
        {
            "sub_id": f"{turn}.{number}", "number": number, "of": len(chosen), "turn": turn, "searched": 0,
            "question": question, "queries": [], "sources": sources, "limit": PASSAGES_A_TASK,
            "max_searches": max(1, share), "embeddings": context.embeddings, "folder": context.folder,
            "models": [name for name in context.models() if name != OFFLINE] if models else [],
            "cache_minutes": context.cache_minutes,
        }
        for number, question in enumerate(chosen, 1)
    ]  # fmt: skip
    events: list[Event] = [
        {
            "sub_id": f"{turn}.{number}", "question": question, "passages": 0, "searched": 0,
            "status": "planned" if number <= len(chosen) else "skipped",
        }
        for number, question in enumerate(questions, 1)
    ]  # fmt: skip
    return tasks, events


def again(tasks: Sequence[Task], leads: Sequence[Lead], searches_left: int) -> list[Task]:
    """The sub-questions for which nothing was found, once more and wider, as far as searches are left."""
    wider = {lead["sub_id"]: lead["queries"] for lead in leads}
    found: list[Task] = []
    for task in tasks:
        share = len(task["sources"]) * len(wider.get(task["sub_id"], []))
        if 0 < share <= searches_left:
            searches_left -= share
            found.append(
                {
                    **task,
                    "queries": wider[task["sub_id"]],
                    "searched": task["searched"] + 1,
                    "max_searches": share,
                }
            )
    return found


def references_of(passages: Found, rankings: Rankings, most: int) -> list[str]:
    """The ids of the passages that the answer is written from: best first over all sub-questions."""
    return [passage_id for passage_id in by_reciprocal_rank(rankings) if passage_id in passages][:most]


def numbered(passages: Found, order: Sequence[str]) -> list[Reference]:
    """These passages, each with the number by which it is cited."""
    return [{"number": number, **passages[passage_id]} for number, passage_id in enumerate(order, 1)]


def found_for(
    standing: Mapping[str, Standing], rankings: Rankings, references: Sequence[Reference]
) -> list[dict[str, object]]:
    """Each sub-question with the numbers of what was found for it, best first."""
    numbers = {reference["passage_id"]: reference["number"] for reference in references}
    return [
        {
            "question": standing[sub_id]["question"],
            "passages": [numbers[found] for found in _found(rankings, sub_id) if found in numbers],
        }
        for sub_id in _in_order(standing)
    ]


def open_ones(standing: Mapping[str, Standing], rankings: Rankings, cited: set[str]) -> list[str]:
    """Sub-questions of which no passage is cited."""
    return [
        standing[sub_id]["question"]
        for sub_id in _in_order(standing)
        if not cited.intersection(_found(rankings, sub_id))
    ]


def _in_order(standing: Mapping[str, Standing]) -> list[str]:
    return sorted(standing, key=lambda sub_id: [int(part) for part in sub_id.split(".")])


def _found(rankings: Rankings, sub_id: str) -> list[str]:
    """What was found for a sub-question, the first time and wider, in one order."""
    return by_reciprocal_rank(
        {name: ids for name, ids in rankings.items() if name.partition("|")[0] == sub_id}
    )
