"""Waiting for a person: the thread stands at a question until somebody answers it, here or in the inbox."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from stationmaster.client.errors import ThreadGone
from stationmaster.client.patience import PASSING, Limits, Patience, Tell, within

FIRST_LOOK_S, LONGEST_LOOK_S = 0.25, 3.0


@dataclass(frozen=True)
class Question:
    """A pending interrupt. Answer it by its id: `command={"resume": {question.id: answer}}`."""

    id: str
    value: Any


@dataclass(frozen=True)
class Standing:
    """How a thread stands. `error`: what its last run failed with. `values`: the graph's state."""

    questions: tuple[Question, ...]
    busy: bool
    error: str | None
    values: Mapping[str, Any]

    @property
    def waits(self) -> bool:
        """Whether it waits for a person, with nothing under way."""
        return bool(self.questions) and not self.busy


@dataclass(frozen=True)
class Waited:
    """`answered`: the questions that were asked are settled and the run after them has ended; `standing.questions` may
    then hold new ones. Otherwise it still waits."""

    answered: bool
    standing: Standing


async def standing(client: LangGraphClient, thread_id: str) -> Standing:
    """One look at a thread; ThreadGone. State is the authority: a thread's status may say `idle` or `error` while a
    question is open. It comes from one moment: nothing began or ended while it was read."""
    try:
        before = await client.threads.get(thread_id)
        while True:
            state: Any = await client.threads.get_state(thread_id, subgraphs=True)
            row: Any = await client.threads.get(thread_id)
            if row["status"] == before["status"] and row["updated_at"] == before["updated_at"]:
                break
            before = row
    except NotFoundError as error:
        raise ThreadGone(f"the server has no thread {thread_id} (any more): start a new one") from error
    questions = tuple(Question(str(each["id"]), each["value"]) for each in state.get("interrupts") or ())
    return Standing(questions, row["status"] == "busy", _error(row), state.get("values") or {})


async def wait_for_person(
    client: LangGraphClient,
    thread_id: str,
    *,
    timeout_s: float | None = None,
    limits: Limits | None = None,
    tell: Tell | None = None,
) -> Waited:
    """Wait until the questions that the thread stands at were answered and the run after that has ended.

    Returns at once if it waits for nobody; after `timeout_s` it says that it still waits (`answered` is False). An
    answer that could not be used leaves the question open, and the wait goes on. Raises ThreadGone, ServerAway.
    """
    limits = limits or Limits()
    doing, after = f"thread {thread_id} waited for a person", "the question is kept there; wait again"
    patience = Patience(limits, doing, after, tell)
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    asked: frozenset[str] | None = None
    pause = FIRST_LOOK_S
    while True:
        try:
            async with within(limits.silent_s):
                now = await standing(client, thread_id)
        except PASSING as error:
            await patience.lost(error)
            continue
        patience.restored()
        pending = frozenset(question.id for question in now.questions)
        asked = pending if asked is None else asked
        if not now.busy and not (asked & pending):
            return Waited(True, now)
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            return Waited(False, now)
        await asyncio.sleep(pause if left is None else min(pause, left))  # between two looks at the state
        pause = FIRST_LOOK_S if now.busy else min(pause * 1.3, LONGEST_LOOK_S)


def _error(row: Mapping[str, Any]) -> str | None:
    error = row.get("error")
    if row["status"] != "error" or not error:
        return None
    return str(error.get("message") or error) if isinstance(error, Mapping) else str(error)
