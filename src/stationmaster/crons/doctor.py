"""What is wrong with crons, from their list, the history, and what they need; pure but for `examine` and `mend`."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from stationmaster.crons import history
from stationmaster.crons.deciding import LATE
from stationmaster.crons.due import planned_from
from stationmaster.crons.model import Tick, subject
from stationmaster.crons.server import CronServer
from stationmaster.crons.settling import Connections
from stationmaster.crons.times import latest_slot, next_served
from stationmaster.reconcile.resources import ServedCron

FAILED_IN_A_ROW = 3
OVERDUE = timedelta(minutes=5)
BAD_ENDS = ("error", "lost")


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong. `mendable`: `mend` can put it right without taking anything from anybody."""

    kind: str
    cron: str
    said: str
    way_out: str
    cron_ids: tuple[str, ...] = ()
    tick: int | None = None
    mendable: bool = False


@dataclass(frozen=True)
class Examined:
    """All that one look gathers. `ends`: how the newest runs went; `newest`: the newest row of the history; `recorded`:
    whether the history was at hand."""

    crons: Sequence[ServedCron]
    assistants: Collection[str]
    threads: Collection[str]
    ends: Mapping[str, Sequence[Tick]] = field(default_factory=dict)
    newest: Mapping[str, Tick] = field(default_factory=dict)
    queued: Sequence[Tick] = ()
    recorded: bool = True


async def examine(
    server: CronServer, connections: Connections | None, in_a_row: int = FAILED_IN_A_ROW
) -> list[Finding]:
    """Look at everything, without `connections` at the server alone; what is wrong, by cron."""
    crons = await server.gateway.crons()
    assistants = {assistant.assistant_id for assistant in await server.gateway.assistants()}
    fixed = {cron.thread_id for cron in crons if cron.thread_id}
    threads = {thread_id async for thread_id in server.existing_threads(sorted(fixed))}
    names = sorted({subject(cron) for cron in crons})
    now = datetime.now(UTC)
    if connections is None:
        return diagnose(Examined(crons, assistants, threads, recorded=False), now, in_a_row)
    async with connections() as conn:
        ends = await history.recent_ends(conn, names, in_a_row)
        newest, queued = await history.newest(conn, names), await history.queued(conn)
    return diagnose(Examined(crons, assistants, threads, ends, newest, queued), now, in_a_row)


def diagnose(seen: Examined, now: datetime, in_a_row: int = FAILED_IN_A_ROW) -> list[Finding]:
    """What is wrong, by cron."""
    found = [*_duplicates(seen.crons), *_orphaned_turns(seen)]
    for cron in seen.crons:
        found += _half_alive(cron, seen)
        found += _dead(cron, now)
        found += _silent(cron, seen, now)
    found += _failing(seen, in_a_row)
    return sorted(found, key=lambda finding: (finding.cron, finding.kind))


async def mend(
    server: CronServer, connections: Connections | None, findings: Sequence[Finding]
) -> list[Finding]:
    """Delete owned crons that can't run any more, and give up their waiting slots; those that were mended.

    Files stay: the next apply makes such a cron anew, with what it needs.
    """
    mended = [finding for finding in findings if finding.mendable]
    for finding in mended:
        for cron_id in finding.cron_ids:
            await server.gateway.delete_cron(cron_id)
    gone = {cron_id for finding in mended for cron_id in finding.cron_ids}
    orphans = {finding.tick for finding in mended}
    if connections is None:
        return mended
    async with connections() as conn:
        for tick in await history.queued(conn):
            if tick.cron_id in gone or tick.id in orphans:
                await history.drop_queued(conn, tick, "its cron is gone")
    return mended


def _duplicates(crons: Sequence[ServedCron]) -> Iterator[Finding]:
    by_name: dict[str, list[ServedCron]] = defaultdict(list)
    for cron in crons:
        if cron.owned:
            by_name[cron.name].append(cron)
    for name, same in by_name.items():
        if len(same) > 1:
            said = f"there are {len(same)} crons of this name; each slot runs once all the same"
            ids = tuple(cron.cron_id for cron in same)
            yield Finding("duplicate", name, said, "`stationmaster apply` merges them down to one", ids)


def _half_alive(cron: ServedCron, seen: Examined) -> Iterator[Finding]:
    """It is there, and can't run."""
    name, ids = subject(cron), (cron.cron_id,)
    way_out = (
        "`stationmaster crons doctor --fix` deletes it; `stationmaster apply` makes it anew from its file"
    )
    if not cron.owned:
        way_out = f"nobody here owns it: delete cron {cron.cron_id} where it was made"
    if cron.assistant_id not in seen.assistants:
        said = f"its assistant {cron.assistant_id} is gone: no slot can run"
        yield Finding("no_assistant", name, said, way_out, ids, mendable=cron.owned)
    if cron.thread_id and cron.thread_id not in seen.threads:
        said = f"its thread {cron.thread_id} is gone: no slot can run"
        yield Finding("no_thread", name, said, way_out, ids, mendable=cron.owned)


def _dead(cron: ServedCron, now: datetime) -> Iterator[Finding]:
    """A row that does nothing, or harm."""
    name, ids = subject(cron), (cron.cron_id,)
    if cron.end_time is not None:
        ended = "it has ended and" if datetime.fromisoformat(cron.end_time) < now else "once it has ended it"
        said = f"it has an end_time: {ended} stops every cron after it on `langgraph dev`"
        way_out = (
            "`stationmaster apply` clears it" if cron.owned else f"clear it, or delete cron {cron.cron_id}"
        )
        yield Finding("end_time", name, said, way_out, ids)
    if cron.thread_id is None and cron.on_run_completed == "delete":
        said = "its threads are deleted when a run ends, also one that waits for a person"
        way_out = "`stationmaster apply` puts it right" if cron.owned else "set its on_run_completed to keep"
        yield Finding("loses_questions", name, said, way_out, ids)
    if next_served(cron.schedule, cron.timezone, now) is None:
        said = f"its schedule {cron.schedule} never fires again"
        yield Finding(
            "ended", name, said, "change the schedule, or delete its file and apply with --prune", ids
        )


def _silent(cron: ServedCron, seen: Examined, now: datetime) -> Iterator[Finding]:
    """It should have fired, and nothing shows that it did."""
    if not cron.enabled:
        return
    name, ids = subject(cron), (cron.cron_id,)
    upcoming = planned_from(cron.next_run_at)
    if upcoming is not None and upcoming < now - OVERDUE:
        said = f"it was due at {upcoming:%Y-%m-%d %H:%M:%S} UTC and nobody came: the server's scheduler stands still"
        yield Finding("overdue", name, said, "look at the server's log, and at crons with an end_time", ids)
    if not seen.recorded:
        return
    last = latest_slot(cron.schedule, cron.timezone, now - LATE)
    since = planned_from(cron.updated_at or cron.created_at or None)
    if name not in seen.newest and since is not None and last is not None and last > since:
        said = f"it never fired, although it was due at {last:%Y-%m-%d %H:%M:%S} UTC"
        way_out = "see that the server is served with Stationmaster's langgraph.json, and its log"
        yield Finding("never_fired", name, said, way_out, ids)


def _failing(seen: Examined, in_a_row: int) -> Iterator[Finding]:
    known = {subject(cron): cron.cron_id for cron in seen.crons}
    for name, ends in seen.ends.items():
        if len(ends) >= in_a_row and all(tick.outcome in BAD_ENDS for tick in ends):
            said = f"its last {len(ends)} runs failed, the newest with: {ends[0].reason}"
            way_out = f"`stationmaster crons history {name}` has the runs; `stationmaster crons pause {name}` stops it"
            yield Finding("failing", name, said, way_out, (known[name],))


def _orphaned_turns(seen: Examined) -> Iterator[Finding]:
    """Slots that wait for their turn, of crons that are no more."""
    ids, names = {cron.cron_id for cron in seen.crons}, {subject(cron) for cron in seen.crons}
    for tick in seen.queued:
        if tick.cron_id not in ids and tick.cron not in names:
            said = f"the slot of {tick.planned_at:%Y-%m-%d %H:%M:%S} UTC waits for its turn, and its cron is gone"
            way_out = "`stationmaster crons doctor --fix` gives it up"
            yield Finding("orphaned_turn", tick.cron, said, way_out, tick=tick.id, mendable=True)
