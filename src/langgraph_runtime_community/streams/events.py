"""One event of a run or thread, and its id: `milliseconds-number`, growing along a thread."""

import time
from dataclasses import dataclass
from uuid import UUID

EventId = tuple[int, int]
START: EventId = (-1, 0)
CONTROL = "control"
DONE = b"done"


@dataclass(frozen=True)
class Event:
    """`event` is the mode (`values`, `updates|ns`...); CONTROL with DONE is the end of the run."""

    id: EventId
    run_id: UUID | None
    event: str
    data: bytes

    @property
    def is_end(self) -> bool:
        return self.event == CONTROL and self.data == DONE

    @property
    def name(self) -> bytes:
        return f"{self.id[0]}-{self.id[1]}".encode()


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


class Clock:
    """Ids for events that belong to no run: the clock, growing also within a millisecond."""

    def __init__(self) -> None:
        self._last: EventId = (0, 0)

    def next(self) -> EventId:
        now = int(time.time() * 1000)
        self._last = (now, 0) if now > self._last[0] else (self._last[0], self._last[1] + 1)
        return self._last


def wanted(event: str, modes: list[str] | str | None) -> bool:
    """Whether a run event is among the modes that a client asked for; `values` includes `values|subgraph`."""
    if not modes:
        return True
    asked = {modes} if isinstance(modes, str) else set(modes)
    base = event.partition("|")[0]
    if asked & {"messages", "messages-tuple"} and event.startswith("messages"):
        return True
    return event in asked or base in asked
