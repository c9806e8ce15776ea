"""The loops of the review service, started by the console: deliver, sweep, timers, events, messages. Each looks by
the clock, so that nothing depends on being told."""

import asyncio
import contextlib
import logging
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from stationmaster.errors import StationmasterError
from stationmaster.postgres import ensure
from stationmaster.reviews import events, notify, timers
from stationmaster.reviews.agent_server import connect
from stationmaster.reviews.database import open_pool
from stationmaster.reviews.deliver import step
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.hands import Hands
from stationmaster.reviews.leases import keep_leases
from stationmaster.reviews.outbox import queue
from stationmaster.reviews.policies import load
from stationmaster.reviews.remembering import Memory
from stationmaster.reviews.supervising import Health, keep, pause
from stationmaster.reviews.sweep import sweep_if_due
from stationmaster.settings import Settings

logger = logging.getLogger(__name__)

Loop: TypeAlias = Callable[[Desk, asyncio.Event], Awaitable[None]]
POOL_SIZE = 30
AWAY = (psycopg.OperationalError, PoolTimeout, PoolClosed, StationmasterError)
"""What passes by itself: the loop says so and goes on. Anything else is a bug, and the loop is started anew."""


@dataclass(frozen=True)
class Pace:
    """Seconds between two looks of each loop, how many answers are in hand at once, and how many of those at most that
    could not be delivered before: each may take as long as a server keeps it waiting, and others don't wait for it."""

    deliver_s: float = 0.2
    answers: int = 16
    undelivered: int = 8
    timers_s: float = 2.0
    sweep_s: float = 5.0
    full_sweep_s: float = 3600.0
    events_s: float = 1.0
    tidy_s: float = 3600.0


async def run_workers(
    settings: Settings,
    stop: asyncio.Event,
    *,
    also: Mapping[str, Loop] | None = None,
    pace: Pace | None = None,
    health: Health | None = None,
) -> None:
    """Everything that goes on without a request, until `stop` is set; what is in hand then is put down first.

    `also`: loops of other rooms on the same desk, as the webhooks'. One that fails is started again, and noted in
    `health`. PoliciesWrong, or no database: at once.
    """
    pace, policies = pace or Pace(), await asyncio.to_thread(load, settings.policies)
    url, key = target(settings)
    # Never that of a process which died: in a container every one has the same host and pid.
    name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    uri = await ensure(settings)
    loops: dict[str, Loop] = {
        "answers": partial(deliver_loop, pace=pace),
        "sweep": partial(sweep_loop, pace=pace),
        "timers": partial(timer_loop, pace=pace),
        "events": partial(events_loop, settings=settings, pace=pace),
        "messages": partial(notices_loop, settings=settings, pace=pace),
        "tidying": partial(tidy_loop, pace=pace),
        **(also or {}),
    }
    async with open_pool(uri, max_size=POOL_SIZE) as pool, connect(url, key) as server:
        desk = Desk(pool, server, policies, name)
        async with asyncio.TaskGroup() as group:
            for what, loop in loops.items():
                group.create_task(keep(what, partial(loop, desk, stop), stop, health or Health()))


def target(settings: Settings) -> tuple[str, str | None]:
    """The Agent Server's URL and the key to send: the one that is named, else the one of this machine."""
    if settings.api_url:
        return settings.api_url.rstrip("/"), settings.api_key.get_secret_value() if settings.api_key else None
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104 - compared, not bound
    key = settings.local_key.get_secret_value() if settings.local_key else None
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}", key


async def deliver_loop(desk: Desk, stop: asyncio.Event, *, pace: Pace) -> None:
    """Hands that are free take the next answers; none waits for the slowest of a batch."""
    hands = Hands(desk, _step, pace.answers, pace.undelivered)
    keeper = asyncio.create_task(keep_leases(desk, hands.held), name="leases")
    try:
        while not stop.is_set():
            taken = False
            with _patience("answers"):
                taken = await hands.fill()
            if not taken:
                await hands.any_done(stop, pace.deliver_s)
            if keeper.done():
                keeper.result()  # leases that nobody renews would be taken over while their answer is sent
    finally:
        await hands.all_done()
        keeper.cancel()
        await asyncio.wait([keeper])


async def _step(desk: Desk, review_id: str) -> None:
    """One answer. Whatever goes wrong with it concerns no other; its lease ends, and it is looked at again."""
    try:
        await step(desk, review_id)
    except Exception:
        logger.exception("review %s could not be taken further", review_id)


async def sweep_loop(desk: Desk, stop: asyncio.Event, *, pace: Pace) -> None:
    again, memory = set[str](), Memory()
    while not stop.is_set():
        with _patience("the sweep"):
            swept = await sweep_if_due(
                desk, every_s=pace.sweep_s, full_every_s=pace.full_sweep_s, again=again, memory=memory
            )
            if swept:
                again = swept.failed
                level = logging.WARNING if swept.opened and swept.lag_s > pace.sweep_s * 2 else logging.DEBUG
                logger.log(level, "swept: %s", swept)
        await pause(stop, min(1.0, pace.sweep_s))


async def timer_loop(desk: Desk, stop: asyncio.Event, *, pace: Pace) -> None:
    while not stop.is_set():
        with _patience("timers"):
            await timers.remind(desk.pool)
            await timers.escalate(desk.pool)
            await timers.expire(desk.pool)
        await pause(stop, pace.timers_s)


async def events_loop(desk: Desk, stop: asyncio.Event, *, settings: Settings, pace: Pace) -> None:
    """To other services."""
    while not stop.is_set():
        with _patience("events"):
            await events.deliver_due(desk.pool, settings)
        await pause(stop, pace.events_s)


async def notices_loop(desk: Desk, stop: asyncio.Event, *, settings: Settings, pace: Pace) -> None:
    """To people. A loop of its own: a slow mail server delays no event."""
    while not stop.is_set():
        with _patience("messages"):
            await notify.deliver_due(desk.pool, settings)
        await pause(stop, pace.events_s)


async def tidy_loop(desk: Desk, stop: asyncio.Event, *, pace: Pace) -> None:
    """What nobody needs any more."""
    while not stop.is_set():
        with _patience("tidying"):
            await timers.forget_keys(desk.pool)
            async with desk.pool.connection() as conn:
                await queue.tidy(conn)
        await pause(stop, pace.tidy_s)


@contextlib.contextmanager
def _patience(what: str) -> Iterator[None]:
    """A database or a server that is away for now: said, and tried again."""
    try:
        yield
    except AWAY as error:
        logger.warning("%s: %s", what, error)
