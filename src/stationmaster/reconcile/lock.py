"""One apply at a time on a server: a lock that every server offers, since a thread's id can be taken only once.

The holder touches the thread every few seconds. Who finds it untouched for longer than `TTL_S`, by its own clock,
takes the next number instead, which again only one can; so no clocks are compared, and a killed apply bars nobody for
long. Who takes a number looks once more that the ones below are still the dead ones it saw. The thread has no state:
neither the inbox nor a sweep ever sees it wait.
"""

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4, uuid5

from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError, NotFoundError

from stationmaster.reconcile.errors import ReconcileError
from stationmaster.reconcile.resources import MANAGED_BY, MANAGER
from stationmaster.reconcile.translating import translated

TTL_S = 15.0
BEAT_S = 4.0
LOOK_S = 0.5
_NAMESPACE = UUID("a4c5f5e0-4d0a-5f6e-8a55-5a0c3c1f2b77")


class LockTaken(ReconcileError):
    """Another apply is at work, and did not end in the time that was given. Nothing was written."""

    exit_code = 2


class LockLost(ReconcileError):
    """The lock was not renewed in time, and another apply may be at work: nothing more is written."""


def thread_id(number: int) -> str:
    """The thread that stands for the lock; a higher number after a holder died."""
    return str(uuid5(_NAMESPACE, str(number)))


@dataclass
class Lock:
    """A lock that is held. `check` before each write."""

    client: LangGraphClient
    url: str
    number: int
    token: str
    ttl_s: float
    renewed: float = field(default_factory=time.monotonic)
    lost: bool = False

    def check(self) -> None:
        """LockLost when it may be somebody else's by now."""
        if self.lost or time.monotonic() - self.renewed > self.ttl_s:
            raise LockLost(
                "this apply lost its lock, as it was held up too long: apply again, it goes on from here"
            )

    async def renew(self) -> None:
        """Show that the holder is alive, and see that nobody stands above, nor in the place of a dead one below."""
        began = time.monotonic()
        with translated(self.url):
            try:
                await self.client.threads.update(thread_id(self.number), metadata={"beat": uuid4().hex})
                row = await self.client.threads.get(thread_id(self.number))
                self.lost = (
                    (row["metadata"] or {}).get("token") != self.token
                    or await _exists(self.client, self.number + 1)
                    or (self.number > 0 and not await _exists(self.client, self.number - 1))
                )
            except NotFoundError:
                self.lost = True
        self.renewed = began

    async def keep(self, every_s: float) -> None:
        """Renew until cancelled; a server that does not answer lets it expire."""
        while not self.lost:
            await asyncio.sleep(every_s)
            with suppress(ReconcileError):
                await self.renew()


@asynccontextmanager
async def hold(
    client: LangGraphClient,
    url: str,
    author: str,
    *,
    wait_s: float = 60.0,
    ttl_s: float = TTL_S,
    waiting: Callable[[str], None] = lambda _: None,
) -> AsyncIterator[Lock]:
    """The lock, for as long as the block lasts. `waiting` is told once by whom it is held; LockTaken after `wait_s`."""
    lock = await _take(client, url, author, wait_s, ttl_s, waiting)
    beating = asyncio.ensure_future(lock.keep(min(BEAT_S, ttl_s / 3)))
    try:
        yield lock
    finally:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)
        with suppress(ReconcileError):  # it expires by itself
            await _release(lock)


async def _take(
    client: LangGraphClient,
    url: str,
    author: str,
    wait_s: float,
    ttl_s: float,
    waiting: Callable[[str], None],
) -> Lock:
    token, until, told = uuid4().hex, time.monotonic() + wait_s, False
    seen: dict[int, tuple[str, float]] = {}
    while True:
        with translated(url):
            number, holder = await _first_free(client, seen, ttl_s)
            if number is not None and await take_number(client, number, token, author):
                if await _still_dead(client, seen, number):
                    return Lock(client, url, number, token, ttl_s)
                await _delete(client, number)
            elif number is not None:  # somebody was faster
                holder = _holder(await _row(client, number))
        if holder and not told:
            waiting(holder)
            told = True
        if time.monotonic() > until:
            raise LockTaken(
                f"another apply is at work on {url}{f': {holder}' if holder else ''}; apply again when it has ended"
            )
        await asyncio.sleep(LOOK_S)


async def _first_free(
    client: LangGraphClient, seen: dict[int, tuple[str, float]], ttl_s: float
) -> tuple[int | None, str]:
    """The number to take, or None and by whom the lock is held. `seen`: each number's last beat, and since when."""
    number = 0
    while True:
        row = await _row(client, number)
        if row is None:
            for later in [each for each in seen if each >= number]:
                del seen[later]
            return number, ""
        beat = _beat(row)
        if seen.get(number, ("", 0.0))[0] != beat:
            seen[number] = beat, time.monotonic()
        if time.monotonic() - seen[number][1] <= ttl_s:
            return None, _holder(row)
        number += 1


async def _still_dead(client: LangGraphClient, seen: dict[int, tuple[str, float]], number: int) -> bool:
    for below in range(number):
        row = await _row(client, below)
        if row is None or _beat(row) != seen[below][0]:
            return False
    return True


async def _release(lock: Lock) -> None:
    """Dead ones go first: who comes meanwhile starts at the lowest number again. A lock that was lost stays: the one
    above leans on it."""
    with translated(lock.url):
        await lock.renew()
        if lock.lost:
            return
        for number in range(lock.number + 1):
            await _delete(lock.client, number)


async def take_number(client: LangGraphClient, number: int, token: str, author: str) -> bool:
    """Make the thread that stands for it; False when somebody has it."""
    metadata = {
        MANAGED_BY: MANAGER, "purpose": "apply lock", "token": token, "beat": token, "author": author,
        "host": socket.gethostname(), "pid": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }  # fmt: skip
    try:
        await client.threads.create(thread_id=thread_id(number), if_exists="raise", metadata=metadata)
    except ConflictError:
        return False
    return True


async def _row(client: LangGraphClient, number: int) -> Any:
    try:
        return await client.threads.get(thread_id(number))
    except NotFoundError:
        return None


async def _exists(client: LangGraphClient, number: int) -> bool:
    return await _row(client, number) is not None


async def _delete(client: LangGraphClient, number: int) -> None:
    with suppress(NotFoundError):
        await client.threads.delete(thread_id(number))


def _beat(row: Any) -> str:
    return str((row["metadata"] or {}).get("beat"))


def _holder(row: Any) -> str:
    """Who, where and since when; nothing when it is gone by now."""
    said = (row or {}).get("metadata") or {}
    return "" if not said else f"{said.get('author')} on {said.get('host')}, since {said.get('since')}"
