"""What commands and pages ask for: crons with their next and last slots, pages of history, a run and its end."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from croniter import croniter

from stationmaster.crons import doctor, history
from stationmaster.crons.errors import BadMoment, CronError, NoSuchCron
from stationmaster.crons.model import Tick, policy_of, subject, thread_word
from stationmaster.crons.operating import named, run_now, the_one
from stationmaster.crons.server import CronServer
from stationmaster.crons.settling import Connections, settle_all, try_settle
from stationmaster.crons.times import Firing, next_firings, next_served
from stationmaster.errors import StationmasterError
from stationmaster.reconcile.resources import ServedCron

LOOK_S = 0.5
EARLIEST, LATEST = 1970, 9000
"""Years between which every zone and schedule can be counted in."""


@dataclass(frozen=True)
class CronDesk:
    """`optional_server` None: only the record is at hand. `optional_connections` None: only the server is; its record
    is in another database, and must not be kept in ours."""

    optional_server: CronServer | None
    optional_connections: Connections | None

    @property
    def connections(self) -> Connections:
        if self.optional_connections is None:
            raise CronError(
                "what came of slots is in the database of that server: set STATIONMASTER_DATABASE_URI to it"
            )
        return self.optional_connections

    @property
    def server(self) -> CronServer:
        if self.optional_server is None:
            raise CronError("no server is at hand: start it with `stationmaster up`")
        return self.optional_server


@dataclass(frozen=True)
class Upcoming:
    """The next slots of a schedule in a zone."""

    schedule: str
    timezone: str
    firings: Sequence[Firing]
    stopped: str | None = None
    """Why none of them will fire as things are."""


@dataclass(frozen=True)
class Page:
    """Ticks, newest first. `older`: give it as `before` for the next page; None at the end.
    `stale`: why open ones may have ended meanwhile. `first`: of a cron that has not fired yet, when it will."""

    ticks: Sequence[Tick]
    older: int | None
    stale: str | None = None
    first: Upcoming | None = None


@dataclass(frozen=True)
class Ran:
    """A run out of turn, and its row in the history as far as it is known."""

    run_id: str
    thread_id: str
    tick: Tick | None


async def overview(desk: CronDesk, only: str | None = None) -> list[dict[str, Any]]:
    """Every cron as JSON, or those of one name, owned ones first and by name; `last` is its newest tick, `next` its
    next slot, and its `stale` says why it may be out of date."""
    crons = [cron for cron in await desk.server.gateway.crons() if only in (None, subject(cron))]
    assistants = {found.assistant_id: found.name for found in await desk.server.gateway.assistants()}
    newest: dict[str, Tick] = {}
    if desk.optional_connections:
        async with desk.connections() as conn:
            newest = await history.newest(conn, {subject(cron) for cron in crons})
    fresh = {name: await try_settle(desk.server, desk.connections, tick) for name, tick in newest.items()}
    now = datetime.now(UTC)
    rows = [_row(cron, assistants.get(cron.assistant_id), fresh.get(subject(cron)), now) for cron in crons]
    return sorted(rows, key=lambda row: (not row["owned"], row["name"], row["cron_id"]))


async def next_of(desk: CronDesk, name: str, after: datetime, count: int) -> Upcoming:
    """When this cron fires next."""
    cron = the_one(await desk.server.gateway.crons(), name)
    return upcoming(cron.schedule, cron.timezone, after, count, stopped=stopped(cron))


def upcoming(
    schedule: str, timezone: str, after: datetime, count: int, *, stopped: str | None = None
) -> Upcoming:
    """The next slots of a schedule; CronError for one that nobody understands, BadMoment."""
    if not croniter.is_valid(schedule):
        raise CronError(
            f"{schedule!r} is no schedule: write minute, hour, day, month, weekday, as '0 9 * * 1-5'"
        )
    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError):
        raise CronError(f"there is no zone {timezone}: write it as Europe/London") from None
    if not EARLIEST <= after.year < LATEST:
        raise BadMoment(
            f"{after.date()} is too far away to count from: name a date between {EARLIEST} and {LATEST}"
        )
    return Upcoming(schedule, timezone, next_firings(schedule, timezone, after, count), stopped)


async def recorded(desk: CronDesk, name: str | None, *, before: int | None = None, limit: int = 20) -> Page:
    """A page of the history, open runs looked at first where the server is at hand. CronError where no record is."""
    connections = desk.connections
    cron, stale, there = name, None, None
    try:
        if name is not None and desk.optional_server:
            there = named(await desk.server.gateway.crons(), name)[0]
            cron = subject(there)
    except NoSuchCron:
        pass  # its history outlives it
    except StationmasterError as error:
        stale = str(error)
    async with connections() as conn:
        ticks = await history.page(conn, cron, before=before, limit=limit + 1)
    if not ticks and name is not None and before is None:
        if there is not None:
            return Page([], None, stale, _first(there))
        raise NoSuchCron(f"nothing is recorded of a cron {name}: `stationmaster crons list` shows the names")
    shown = ticks[:limit]
    if desk.optional_server is None:
        stale = "no server runs: what is open may have ended" if any(map(history.is_open, shown)) else None
    elif stale is None:
        looked = [await try_settle(desk.server, connections, tick) for tick in shown]
        shown = [tick for tick, _ in looked]
        stale = next((f"what is open may have ended: {why}" for _, why in looked if why), None)
    return Page(shown, shown[-1].id if len(ticks) > limit else None, stale)


def _first(cron: ServedCron) -> Upcoming:
    return upcoming(cron.schedule, cron.timezone, datetime.now(UTC), 1, stopped=stopped(cron))


async def run_once(desk: CronDesk, name: str, *, by: str, wait_s: float = 0) -> Ran:
    """Run it, and wait up to `wait_s` seconds until it has ended or waits for a person. CronError, and no run, where
    the record that is waited for is not at hand."""
    if wait_s:
        _ = desk.connections
    started = await run_now(desk.server, name, by=by)
    until = asyncio.get_running_loop().time() + wait_s
    while True:
        known = started.tick is not None and desk.optional_connections
        tick = await _tick(desk, started.tick) if known and started.tick is not None else None
        if tick is None or tick.outcome != "running" or asyncio.get_running_loop().time() >= until:
            return Ran(started.run_id, started.thread_id, tick)
        await asyncio.sleep(LOOK_S)  # between two looks at the state that is waited for


async def check(
    desk: CronDesk, in_a_row: int, *, fix: bool
) -> tuple[list[doctor.Finding], list[doctor.Finding]]:
    """What is wrong, runs that are open looked at first; and of that what was mended. Without the record only what the
    server's own rows show."""
    if desk.optional_connections:
        async with desk.connections() as conn:
            opened = await history.unfinished(conn)
        await settle_all(desk.server, desk.connections, opened)
    findings = await doctor.examine(desk.server, desk.optional_connections, in_a_row)
    return findings, await doctor.mend(desk.server, desk.optional_connections, findings) if fix else []


async def _tick(desk: CronDesk, tick_id: int) -> Tick | None:
    async with desk.connections() as conn:
        tick = await history.get(conn, tick_id)
    return (await try_settle(desk.server, desk.connections, tick))[0] if tick else None


def _row(
    cron: ServedCron, assistant: str | None, newest: tuple[Tick, str | None] | None, now: datetime
) -> dict[str, Any]:
    last, stale = newest or (None, None)
    policy = policy_of(cron)
    following = next_firings(cron.schedule, cron.timezone, now, 1) if cron.enabled else []
    return {
        "name": cron.name if cron.owned else cron.cron_id, "cron_id": cron.cron_id, "owned": cron.owned,
        "assistant": assistant, "assistant_id": cron.assistant_id, "schedule": cron.schedule,
        "timezone": cron.timezone, "enabled": cron.enabled, "paused": cron.paused,
        "next": following[0].at if following else None, "next_local": following[0].local if following else None,
        "thread": thread_word(cron), "overlap": policy.overlap, "missed": policy.missed,
        "keep_days": policy.keep_days, "last": last and {
            "outcome": last.outcome, "planned_at": last.planned_at, "at": last.at, "reason": last.reason,
            "run_id": last.run_id, "thread_id": last.thread_id, "stale": stale,
        },
    }  # fmt: skip


def stopped(cron: ServedCron) -> str | None:
    """Why none of its slots fires as things are; None for one that is on."""
    if cron.enabled:
        return None
    if cron.paused:
        return f"paused by {cron.paused.get('by')}: {cron.paused.get('reason')}"
    if next_served(cron.schedule, cron.timezone, datetime.now(UTC)) is None:
        return "its schedule has ended"
    return "off, as its file says" if cron.owned else "off"
