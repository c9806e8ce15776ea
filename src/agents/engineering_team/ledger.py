"""The ledger of hand-offs: who was asked what and why, what came back, and whether that was anything new. Pure."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal, TypeAlias

from typing_extensions import TypedDict

Worker: TypeAlias = Literal["researcher", "coder", "quality", "reviewer", "auditor"]
Ended: TypeAlias = Literal["done", "nothing", "failed"]
LONGEST_WORDS = 2_000
"""Characters of a reason, a brief or a summary that are kept."""


class Handoff(TypedDict):
    """One hand-off. `by` is whose decision it was ("rule": the graph's own), `seen` a digest of what the worker is
    shown, without the brief's wording."""

    number: int
    by: Literal["supervisor", "lead", "rule"]
    to: Worker
    reason: str
    brief: str
    seen: str


class Result(TypedDict):
    """What came back for a hand-off. `what` is a digest of it: an equal one says that nothing new came."""

    number: int
    worker: Worker
    ended: Ended
    summary: str
    what: str


def append(left: Sequence[Any] | None, right: Sequence[Any] | None) -> list[Any]:
    """The reducer of both lists: entries are added, and an entry that stands there is never changed.

    An entry is known by number and worker: a node that runs again after a crash adds nothing twice.
    """
    kept: dict[Any, Any] = {}
    for entry in [*(left or []), *(right or [])]:
        kept.setdefault(_place(entry), entry)
    return list(kept.values())


def _place(entry: Mapping[str, Any]) -> tuple[Any, Any]:
    return entry["number"], entry.get("worker") or entry.get("to")


def digest(*parts: Any) -> str:
    """A digest of JSON-like values: equal for what is equal."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def words(text: str) -> str:
    """A brief as it is compared: case, space and punctuation make no other question."""
    return " ".join("".join(char if char.isalnum() else " " for char in text.casefold()).split())


def repeated(handoffs: Sequence[Handoff], to: str, brief: str, seen: str) -> Handoff | None:
    """The earlier hand-off that this one repeats: the same worker, the same question, and nothing new to look at.

    Of quality, which looks at everything anyway, the wording is no other question.
    """
    for earlier in handoffs:
        same_words = to == "quality" or words(earlier["brief"]) == words(brief)
        if earlier["to"] == to and earlier["seen"] == seen and same_words:
            return earlier
    return None


def idle(results: Sequence[Result]) -> int:
    """How many of the newest results, without a gap, brought nothing that was not there before."""
    count = 0
    for place in reversed(range(len(results))):
        if _is_new(results[place], results[:place]):
            break
        count += 1
    return count


def _is_new(result: Result, before: Sequence[Result]) -> bool:
    return result["ended"] == "done" and all(
        (earlier["worker"], earlier["what"]) != (result["worker"], result["what"]) for earlier in before
    )
