"""How far a stream of events has been passed on, so that after a reconnect nothing is missing and nothing comes twice.

Asking for what came after the last event is not enough. An id need not be one event's own: the in-memory server makes
ids of milliseconds, and a third of a fast run's events share theirs with another, so that all but the first would be
lost. And what is sent while a server plays back is both played back and sent. So a place asks again from the id
*before* the last one, and tells what it has already passed on from what is new.
"""

import json
from dataclasses import dataclass, field

from langgraph_sdk.schema import StreamPart

FROM_START = "0-0"
CATCH_UP_S = 2.0
"""How long after a reconnect an event is taken for a repeat if id and content are those of one that was just passed
on. Later it is a second event that looks the same: two searches that found nothing, in one millisecond."""


@dataclass
class Place:
    """Pure: told of each reconnect (`reopen`) and of each event (`take`), with the time in seconds."""

    met: bool = True
    """Whether this connection has shown an event that was known; if not, the server has forgotten the stream."""
    empty: bool = True
    """Whether nothing was passed on yet."""
    _known: set[str] = field(default_factory=set)
    _before: str = FROM_START
    _last: str | None = None
    _group: list[str] = field(default_factory=list)
    """The contents of the events passed on under the last id."""
    _at: set[int] = field(default_factory=set)
    """Where in the group a run of repeats may have come to; empty when none is under way."""
    _sure: bool = False
    """Whether they are repeats for certain; else they are held back until the run is complete or broken off."""
    _held: list[StreamPart] = field(default_factory=list)
    _until: float = 0.0

    def reopen(self, now: float, *, over: bool = False) -> str:
        """The id to ask from, on a new connection. `over`: the run has ended, so that it is only played back."""
        self._expect_group()
        self._until = now if over else now + CATCH_UP_S
        self.met = self.empty
        return self._before

    def take(self, part: StreamPart, now: float) -> list[StreamPart]:
        """What to pass on, now that `part` came: nothing for a repeat; more if earlier ones were none after all."""
        if part.id is not None and part.id in self._known and part.id != self._last:
            self.met = True
            self._expect_group()
            return []
        released = list[StreamPart]()
        if part.id == self._last and part.id is not None:
            if self._at and self._repeats(part):
                return []
            released = self._let_go()
            if now < self._until and self._repeats(part):
                return released
        else:
            released = self._let_go()
        self._pass_on(part)
        return [*released, part]

    def _expect_group(self) -> None:
        self._at, self._held, self._sure = ({0} if self._group else set()), [], True

    def _repeats(self, part: StreamPart) -> bool:
        """Whether the part may be one of the group, following on those before it."""
        content = _content(part)
        candidates = self._at or set(range(len(self._group)))
        reached = {at + 1 for at in candidates if self._group[at] == content}
        if not reached:
            return False
        self.met = True
        if len(self._group) in reached:
            self._at, self._held, self._sure = set(), [], False
        else:
            self._at = reached
            self._held += [] if self._sure else [part]
        return True

    def _let_go(self) -> list[StreamPart]:
        """What was held back: it is new."""
        released, self._held, self._at, self._sure = self._held, [], set(), False
        for part in released:
            self._pass_on(part)
        return released

    def _pass_on(self, part: StreamPart) -> None:
        self.empty = False
        if part.id is None:
            return
        if part.id != self._last:
            self._before, self._last, self._group = self._last or FROM_START, part.id, []
            self._known.add(part.id)
        self._group.append(_content(part))


def _content(part: StreamPart) -> str:
    return f"{part.event} {json.dumps(part.data, sort_keys=True)}"
