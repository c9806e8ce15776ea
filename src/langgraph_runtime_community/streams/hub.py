"""Who listens in this process, to a run or to a thread, and what is known of runs that clients wait for."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from langgraph_runtime_community.streams.events import Event, gap

MOST_EVENTS, MOST_BYTES = 10_000, 64_000_000
"""What waits for a client that does not read; beyond that it is told of a gap instead."""
SLOW = "more had happened than the client had read"


class Subscription:
    """A client's queue. `async with`, or `__aexit__` as the server calls it, ends it."""

    def __init__(self, hub: "Hub", run_id: UUID | None, thread_id: UUID | None) -> None:
        self.hub, self.run_id, self.thread_id = hub, run_id, thread_id
        self._waiting: asyncio.Queue[Event] = asyncio.Queue()
        self._bytes = 0

    def put(self, event: Event) -> None:
        """Hand it an event. Where too much waits already, that is forgotten but for ends of runs, and a gap told."""
        if self._waiting.qsize() >= MOST_EVENTS or self._bytes + len(event.data) > MOST_BYTES:
            self._forget()
        self._bytes += len(event.data)
        self._waiting.put_nowait(event)

    async def next(self) -> Event:
        """The event that waits longest, once there is one."""
        event = await self._waiting.get()
        self._bytes -= len(event.data)
        return event

    def waits(self) -> bool:
        """Whether anything is there to be read."""
        return not self._waiting.empty()

    def _forget(self) -> None:
        waited = [self._waiting.get_nowait() for _ in range(self._waiting.qsize())]
        runs = dict.fromkeys(event.run_id for event in waited if event.run_id and not event.is_end)
        self._bytes = 0
        for event in (*(gap(run_id, SLOW) for run_id in runs), *(event for event in waited if event.is_end)):
            self._bytes += len(event.data)
            self._waiting.put_nowait(event)

    async def __aenter__(self) -> "Subscription":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.hub.leave(self)


@dataclass
class Known:
    """A run that this process accepted or works on: a client that waits for it needs no look into the database.

    `thread_id`: its own, which is the one that its listeners must have been allowed to read. `here`: its worker is
    this process, which will tell the end.
    """

    thread_id: UUID
    resumable: bool
    here: bool = False


@dataclass
class Hub:
    """All subscriptions of the process."""

    _runs: dict[UUID, set[Subscription]] = field(default_factory=dict)
    _threads: dict[UUID, set[Subscription]] = field(default_factory=dict)
    _known: dict[UUID, Known] = field(default_factory=dict)

    def listen(self, run_id: UUID) -> Subscription:
        """Listen to a run, which may not exist yet."""
        subscription = Subscription(self, run_id, None)
        self._runs.setdefault(run_id, set()).add(subscription)
        return subscription

    def listen_thread(self, thread_id: UUID) -> Subscription:
        """Listen to all runs of a thread."""
        subscription = Subscription(self, None, thread_id)
        self._threads.setdefault(thread_id, set()).add(subscription)
        return subscription

    def leave(self, subscription: Subscription) -> None:
        """End it; again is no error."""
        _drop(self._runs, subscription.run_id, subscription)
        _drop(self._threads, subscription.thread_id, subscription)
        if subscription.run_id and subscription.run_id not in self._runs:
            known = self._known.get(subscription.run_id)
            if known and not known.here:
                del self._known[subscription.run_id]

    def accepted(self, run_id: UUID, thread_id: UUID, *, resumable: bool) -> None:
        """A run was made by this process; remembered only while somebody listens."""
        if run_id in self._runs and run_id not in self._known:
            self._known[run_id] = Known(thread_id, resumable)

    def begins(self, run_id: UUID, thread_id: UUID, *, resumable: bool) -> None:
        """A worker of this process has it."""
        self._known[run_id] = Known(thread_id, resumable, here=True)

    def leaves(self, run_id: UUID, *, over: bool) -> None:
        """The worker of this process has it no longer. One that is not over goes on elsewhere, or here again."""
        known = self._known.pop(run_id, None)
        if known and not over and run_id in self._runs:
            self._known[run_id] = Known(known.thread_id, known.resumable)

    def known(self, run_id: UUID) -> Known | None:
        """What is known without asking."""
        return self._known.get(run_id)

    def publish(self, event: Event, thread_id: UUID) -> None:
        """Hand an event to all that listen to its run or thread."""
        for subscription in self._runs.get(event.run_id, ()) if event.run_id else ():
            subscription.put(event)
        for subscription in self._threads.get(thread_id, ()):
            subscription.put(event)

    def publish_to(self, subscribers: Iterable[Subscription], event: Event) -> None:
        """Hand an event to some."""
        for subscription in subscribers:
            subscription.put(event)

    def runs_elsewhere(self) -> list[UUID]:
        """Runs that somebody here waits for and no worker here has."""
        return [run_id for run_id in self._runs if not ((known := self._known.get(run_id)) and known.here)]

    def threads(self) -> list[UUID]:
        """Threads that somebody here listens to."""
        return list(self._threads)

    def listeners(self, run_id: UUID) -> set[Subscription]:
        """Those who listen to a run here."""
        return self._runs.get(run_id, set())

    def thread_listeners(self, thread_id: UUID) -> set[Subscription]:
        """Those who listen to a thread here."""
        return self._threads.get(thread_id, set())


def _drop(table: dict[UUID, set[Subscription]], key: UUID | None, subscription: Subscription) -> None:
    if key is None or key not in table:
        return
    table[key].discard(subscription)
    if not table[key]:
        del table[key]


HUB = Hub()
