"""What the server's handlers look up while a run is made: kept for a moment, and never failing a run."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

# A run waits this long for an answer, which comes after a millisecond or two unless the server is very busy; then it
# takes what was known before, and does not claim that it still holds.
WAIT_S = 2.0
# How late another replica may see a promote or a canary. In this process the update handler tells at once.
TTL_S = 1.0
RETRY_S = 0.5
# An update's handler runs before the update: for this long nothing that was read counts as the last word.
CHANGING_S = 2.0
CAPACITY = 10_000

T = TypeVar("T")


@dataclass(frozen=True)
class Absent:
    """There is none, for certain: what was known of it no longer counts."""


ABSENT = Absent()


@dataclass(frozen=True)
class Found(Generic[T]):
    """`value` None: not to be had, or there is none. `current`: read just now, not merely remembered."""

    value: T | None
    current: bool


@dataclass(frozen=True)
class _Kept(Generic[T]):
    """`read`: the last look found it; else it is what an earlier one had found."""

    value: T | None
    until: float
    read: bool


class Lookups(Generic[T]):
    """Values by key; `ask` finds one, gives ABSENT where there is none, and None when it can't say. Many who want the
    same ask once."""

    def __init__(
        self, ask: Callable[[str], Awaitable[T | Absent | None]], ttl_s: float | None = None
    ) -> None:
        self._ask = ask
        self._ttl_s = ttl_s
        self._known: OrderedDict[str, _Kept[T]] = OrderedDict()
        self._asking: dict[str, asyncio.Task[T | Absent | None]] = {}
        self._changing: dict[str, float] = {}
        self._alone: set[asyncio.Task[T | Absent | None]] = set()

    async def of(self, key: str) -> Found[T]:
        """The value, within WAIT_S."""
        kept = self._known.get(key)
        known = kept.value if kept else None
        if kept and kept.until > time.monotonic() and not self._is_changing(key):
            return Found(known, current=kept.read)
        task = self._task(key)
        await asyncio.wait({task}, timeout=WAIT_S)
        if task.done() and task.exception() is None and (value := task.result()) is not None:
            return Found(None if isinstance(value, Absent) else value, current=True)
        return Found(known, current=False)

    def changes(self, key: str) -> None:
        """Somebody is about to change it: what is known, or being asked for, may be the old value."""
        now = time.monotonic()
        self._changing = {name: until for name, until in self._changing.items() if until > now}
        self._changing[key] = now + CHANGING_S
        self._asking.pop(key, None)

    def _kept_s(self, value: T | Absent | None) -> float:
        if value is None or isinstance(value, Absent):
            return RETRY_S
        return TTL_S if self._ttl_s is None else self._ttl_s

    def _is_changing(self, key: str) -> bool:
        return self._changing.get(key, 0.0) > time.monotonic()

    def _task(self, key: str) -> "asyncio.Task[T | Absent | None]":
        """While it changes everybody asks for themselves: an answer under way may be of before."""
        if self._is_changing(key):
            task = asyncio.create_task(self._look_up(key))
            self._alone.add(task)
            task.add_done_callback(self._alone.discard)
            return task
        if key not in self._asking:
            self._asking[key] = asyncio.create_task(self._look_up(key))
        return self._asking[key]

    async def _look_up(self, key: str) -> T | Absent | None:
        try:
            value = await self._ask(key)
            before = self._known.pop(key, None)
            remembered = before.value if before and value is None else value
            remembered = None if isinstance(remembered, Absent) else remembered
            self._known[key] = _Kept(remembered, time.monotonic() + self._kept_s(value), value is not None)
            if len(self._known) > CAPACITY:
                self._known.popitem(last=False)
            return value
        finally:
            if self._asking.get(key) is asyncio.current_task():
                del self._asking[key]
