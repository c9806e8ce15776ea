"""One event of a run or thread, and its id: `milliseconds-number`, growing along a thread."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson

EventId = tuple[int, int]
START: EventId = (-1, 0)
NOWHERE: EventId = (-1, -1)
OVER: EventId = (2**63, 0)
REMEMBERED = 1000
CONTROL = "control"
GAP = "gap"
DONE = b"done"


@dataclass(frozen=True)
class Event:
    """`event` is the mode (`values`, `updates|ns`...); CONTROL with DONE is the end of the run.

    `id` is NOWHERE for what has no place among the events of a run, and can't be asked for again.
    """

    id: EventId
    run_id: UUID | None
    event: str
    data: bytes

    @property
    def is_end(self) -> bool:
        return self.event == CONTROL and self.data == DONE

    @property
    def name(self) -> bytes | None:
        return None if self.id == NOWHERE else f"{self.id[0]}-{self.id[1]}".encode()


def parse_id(text: str | None) -> EventId | None:
    """A client's Last-Event-ID; START for `-`, None for none or one that is not of ours."""
    if not text:
        return None
    if text == "-":
        return START
    base, _, number = text.partition("-")
    if not base.isdigit():
        return None
    return int(base), int(number) if number.isdigit() else 2**31 - 1 if number == "*" else 0


def gap(run_id: UUID, why: str, **more: Any) -> Event:
    """That a client of a run may have missed events, told by one who is not its worker."""
    told = {"run_id": str(run_id), "why": f"{why}: read the thread's state", **more}
    return Event(NOWHERE, run_id, GAP, orjson.dumps(told))


def end_of(run_id: UUID) -> Event:
    """That a run is over, told by one who is not its worker."""
    return Event(NOWHERE, run_id, CONTROL, DONE)


class Told:
    """What one listener was told. By run: the ids of one run grow, those of others beside it say nothing of it, and
    a run that waits in the queue may end while one before it is at work."""

    def __init__(self) -> None:
        self._last: OrderedDict[UUID, EventId] = OrderedDict()

    def is_new(self, event: Event) -> bool:
        """Whether the event is to be told; it counts as told then. What belongs to no run always is; so is a gap that
        is none of a run's own events."""
        if event.run_id is None or (event.event == GAP and event.id == NOWHERE):
            return True
        last = self._last.get(event.run_id, START)
        now = OVER if event.is_end else event.id
        if now <= last:
            return False
        self._last[event.run_id] = now
        self._last.move_to_end(event.run_id)
        if len(self._last) > REMEMBERED:
            self._last.popitem(last=False)
        return True


def wanted(event: str, modes: list[str] | str | None) -> bool:
    """Whether a run event is among the modes that a client asked for; `values` includes `values|subgraph`. That some
    are missing is told to everybody."""
    if not modes or event == GAP:
        return True
    asked = {modes} if isinstance(modes, str) else set(modes)
    base = event.partition("|")[0]
    if asked & {"messages", "messages-tuple"} and event.startswith("messages"):
        return True
    return event in asked or base in asked
