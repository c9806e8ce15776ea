"""Two writes of one version: the first is let through, the second is refused before it is written."""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from stationmaster.reconcile.resources import CHANGE, ServedAssistant

# A write that was let through is done, or has failed, by then.
WRITING_S = 10.0
# Who wrote it may try again sooner: the server answered that it failed. Two windows of one person are still told apart.
AGAIN_S = 1.0


class Outdated(Exception):
    """The version that a write expects to be current is not; the message says what is and what to do."""


class Expected:
    """Checks `metadata.change.from_version` of an update: by its handler, which runs right before the write.

    A writer that names no version (Studio, a script) is let through as ever; whoever names one meets it.
    """

    def __init__(self, current: Callable[[str], Awaitable[ServedAssistant | None]]) -> None:
        self._current = current
        self._writing: dict[str, tuple[int, str, float, object]] = {}

    async def require(self, assistant_id: str, metadata: object) -> None:
        """Outdated unless the expected version is current and nobody else is about to replace it."""
        change = metadata.get(CHANGE) if isinstance(metadata, Mapping) else None
        if not isinstance(change, Mapping):
            return
        expected = change.get("from_version")
        if not isinstance(expected, int) or isinstance(expected, bool):
            return
        now = await self._current(assistant_id)
        if now is None:
            return  # the update itself will say so
        if now.version != expected:
            raise Outdated(_moved_on(now, expected))
        # No await from here to the end: of two that come at once only one gets past.
        # `updated_at` tells a version from that of an assistant which was made again under the same id.
        version, made, since, by = self._writing.get(assistant_id, (0, "", 0.0, None))
        who = change.get("author"), change.get("source")
        lasts = AGAIN_S if who == by and who[0] else WRITING_S
        if (version, made) == (expected, now.updated_at) and time.monotonic() < since + lasts:
            raise Outdated(
                f"somebody else is just replacing version {expected} of {now.name}: look at what they write, "
                "then do it again"
            )
        self._writing[assistant_id] = (expected, now.updated_at, time.monotonic(), who)


def _moved_on(now: ServedAssistant, expected: int) -> str:
    change: Mapping[str, Any] = now.change
    who = f" by {change['author']}" if change.get("author") else ""
    return (
        f"version {expected} of {now.name} was expected to be current, and version {now.version}{who} is: nothing was "
        "written; look at what changed, then do it again"
    )
