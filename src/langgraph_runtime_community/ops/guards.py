"""Conditions under which a run is accepted: reserved keys of its metadata, which are removed, and a request's key."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

from starlette.exceptions import HTTPException

from langgraph_runtime_community import database
from langgraph_runtime_community.config import config
from langgraph_runtime_community.database import json
from langgraph_runtime_community.errors import AnswerAwaited, KeyUsed, RunInFlight, ThreadMoved
from langgraph_runtime_community.ops import pending
from langgraph_runtime_community.ops.access import Context
from langgraph_runtime_community.ops.keys import KEYED, Keyed, require_new
from langgraph_runtime_community.ops.pending import Question
from langgraph_runtime_community.ops.slots import SLOT, Slot
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_suffix(".sql"))
ONLY_IF = "stationmaster_only_if"
"""{"interrupt_id", "digest"}: only if this interrupt is still pending with this content."""
REFUSE_INPUT = "stationmaster_refuse_input"
"""true or false: whether new input is refused while the thread waits for an answer; else the setting decides."""
DISCARD_QUESTION = "stationmaster_discard_question"
"""true, in a cron's metadata: its slots take a question away that waits on its thread."""
KEYS = (ONLY_IF, REFUSE_INPUT, DISCARD_QUESTION)
LOOKS = 3
Row = dict[str, Any]


@dataclass(frozen=True)
class Guard:
    """What must hold. Empty for most runs."""

    question: Question | None = None
    refuse_input: bool = False
    keyed: Keyed | None = None
    spares: Slot | None = None

    def __bool__(self) -> bool:
        return bool(self.question or self.refuse_input or self.keyed or self.spares)


def taken_from(metadata: Row, kwargs: Mapping[str, Any], after_s: float) -> Guard:
    """The conditions of a run, whose keys are removed from `metadata`; HTTPException 422 for one that is malformed."""
    condition, refuse = metadata.pop(ONLY_IF, None), metadata.pop(REFUSE_INPUT, None)
    if refuse not in (None, True, False):
        raise HTTPException(422, f"metadata.{REFUSE_INPUT} must be true or false")
    if condition is not None and after_s > 0:
        raise HTTPException(422, f"metadata.{ONLY_IF} can't be judged for later: leave out after_seconds")
    has_input = kwargs.get("input") is not None and not kwargs.get("command")
    wants = bool(config().refuse_input) if refuse is None else refuse
    return Guard(
        None if condition is None else _question(condition), has_input and wants, KEYED.get()
    )  # fmt: skip


def with_slot(guard: Guard, metadata: Row, kwargs: Mapping[str, Any]) -> Guard:
    """A slot of a cron takes no question away, unless the cron or a handler says so."""
    discards = metadata.pop(DISCARD_QUESTION, None) is True
    slot = SLOT.get()
    return guard if slot is None or discards or kwargs.get("command") else replace(guard, spares=slot)


def _question(condition: Any) -> Question:
    match condition:
        case {"interrupt_id": str(interrupt_id), "digest": str(digest), **rest} if not rest:
            return Question(interrupt_id, digest)
    raise HTTPException(422, f"metadata.{ONLY_IF} must be an object of two strings: interrupt_id and digest")


async def accept(
    guard: Guard, params: Row, thread_id: UUID | None, user_id: str | None, ctx: Context
) -> list[Row]:
    """As `server.accept_run`, if all holds; else HTTPException 409, and nothing was done."""
    if guard.keyed:
        await require_new(guard.keyed, user_id)
    try:
        return await _accept(guard, params, thread_id, user_id, ctx)
    except (HTTPException, KeyUsed):
        # The same request may have been accepted since, by another process: then this one is its repetition.
        if guard.keyed:
            await require_new(guard.keyed, user_id)
        raise


async def _accept(
    guard: Guard, params: Row, thread_id: UUID | None, user_id: str | None, ctx: Context
) -> list[Row]:
    """A thread that moved between the look and the lock is looked at again."""
    told = {
        **(guard.keyed.guard(user_id) if guard.keyed else {}), **({"refuse_input": True} if guard.refuse_input else {}),
        **({"spare": True} if guard.spares else {}),
    }  # fmt: skip
    for _ in range(LOOKS):
        if guard.question:
            if thread_id is None:
                raise HTTPException(422, f"metadata.{ONLY_IF} needs a thread")
            told["mark"] = await pending.require(guard.question, thread_id, ctx)
        try:
            found = await database.fetch(QUERIES["accept"], {**params, "guard": json(told)})
        except ThreadMoved:
            continue
        except RunInFlight as error:
            assert guard.question
            raise pending.refused_for_run(guard.question, str(error)) from None
        except AnswerAwaited:
            asked = await pending.told(params["thread"], ctx)
            raise HTTPException(
                409, f"New input is refused: {asked}. Answer it with command.resume, or leave it to who does."
            ) from None
        if guard.spares and not found:
            await _refuse_spared(guard.spares)
        return found
    raise HTTPException(409, f"Thread {thread_id} is changed all the time: nothing was started, look again.")


async def _refuse_spared(slot: Slot) -> None:
    """HTTPException 409 where the slot was used up without a run."""
    if await database.fetch(QUERIES["spared"], {"cron_id": slot.cron_id, "slot": slot.at}):
        raise HTTPException(
            409,
            f"Cron {slot.cron_id} made no run: somebody is asked on its thread. To have questions taken away, set "
            f"{DISCARD_QUESTION}: true in the cron's metadata.",
        )
