"""What an operator does with a cron: find it, stop it with a reason, let it go on, run it once out of turn."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from stationmaster.crons import history
from stationmaster.crons.due import planned_from
from stationmaster.crons.errors import CronError, NoSuchCron, SlotRefused
from stationmaster.crons.model import subject
from stationmaster.crons.server import STARTED, TICK, CronServer
from stationmaster.crons.settling import Connections
from stationmaster.reconcile.errors import ServerRefused
from stationmaster.reconcile.resources import PAUSED, WAS_ENABLED, ServedCron

SHORTEST_ID = 8
CONFLICT = 409


@dataclass(frozen=True)
class Started:
    """A run out of turn. `tick`: its number in the history; None where the server keeps none."""

    run_id: str
    thread_id: str
    tick: int | None


def named(crons: Iterable[ServedCron], asked: str) -> list[ServedCron]:
    """The crons of that name, or the one whose id begins so. NoSuchCron says which there are."""
    crons = list(crons)
    found = [cron for cron in crons if cron.owned and cron.name == asked]
    if not found and len(asked) >= SHORTEST_ID:
        found = [cron for cron in crons if cron.cron_id.startswith(asked.lower())]
    if found:
        return found
    known = ", ".join(sorted({subject(cron) for cron in crons}))
    raise NoSuchCron(
        f"there is no cron {asked}: " + (f"there are {known}" if known else "the server has none")
    )


def the_one(crons: Iterable[ServedCron], asked: str) -> ServedCron:
    """The cron of that name. CronError where there are several."""
    found = named(crons, asked)
    if len(found) > 1:
        raise CronError(
            f"there are {len(found)} crons {asked}: `stationmaster apply` merges them down to one"
        )
    return found[0]


async def pause(
    server: CronServer, connections: Connections | None, asked: str, *, reason: str, by: str
) -> list[ServedCron]:
    """Stop it, and keep why and who; of duplicates all. A slot that waits for its turn is given up, without
    `connections` by the console that has the record.

    Runs under way go on. No apply starts it again. Whether it was on is kept too: one that its file had switched off
    is not switched on by pausing and resuming it.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    paused: list[ServedCron] = []
    for cron in named(await server.gateway.crons(), asked):
        note = {PAUSED: {"reason": reason, "by": by, "at": now, WAS_ENABLED: cron.on_once_resumed}}
        paused.append(await server.gateway.patch_cron(cron.cron_id, enabled=False, metadata=note))
    if connections is not None:
        async with connections() as conn:
            for tick in await history.open_ticks(conn, subject(paused[0])):
                await history.drop_queued(conn, tick, f"{by} paused the cron: {reason}")
    if any(cron.enabled for cron in paused):
        raise CronError(f"the server did not stop {asked}: somebody else writes it; look at it again")
    return paused


async def resume(server: CronServer, asked: str) -> ServedCron:
    """Let it go on with the next slot from now; one that was off when it was paused is off again.

    A server keeps the date at which a stopped cron would have fired, and enabling it alone fires for that date at
    once. Writing schedule and zone in the same request makes it count anew; that is read back, and a server that
    counts otherwise gets its cron stopped again.
    """
    cron = the_one(await server.gateway.crons(), asked)
    if cron.enabled:
        raise CronError(f"{asked} is not paused: its next slot is {cron.next_run_at}")
    if cron.owned and cron.paused is None:
        raise CronError(f"{asked} is off because its file says so: write `enabled: true` there, then apply")
    if cron.paused is not None and not cron.on_once_resumed:
        return await server.gateway.patch_cron(cron.cron_id, enabled=False, metadata={PAUSED: None})
    began = datetime.now(UTC)
    after = await server.gateway.patch_cron(
        cron.cron_id, schedule=cron.schedule, timezone=cron.timezone, enabled=True, metadata={PAUSED: None}
    )
    upcoming = planned_from(after.next_run_at)
    if upcoming is not None and upcoming <= began:
        await server.gateway.patch_cron(cron.cron_id, enabled=False, metadata={PAUSED: cron.paused})
        raise CronError(
            f"this server would run {asked} for {after.next_run_at}, which is past: it is stopped again; "
            "delete the cron and apply its file"
        )
    return after


async def run_now(server: CronServer, asked: str, *, by: str) -> Started:
    """One run of its payload, out of turn, on its own thread or a fresh one; the schedule stays as it is.

    SlotRefused, with the reason, where it would take a question or work from the cron's thread.
    """
    cron = the_one(await server.gateway.crons(), asked)
    try:
        run = await server.start(cron, {"cron_id": cron.cron_id, "by": by})
    except ServerRefused as error:
        if error.status == CONFLICT:
            raise SlotRefused(_said(error)) from error
        raise
    metadata = run.get("metadata") or {}
    tick = metadata.get(TICK) if STARTED in metadata else None
    return Started(str(run["run_id"]), str(run["thread_id"]), tick if isinstance(tick, int) else None)


def _said(error: ServerRefused) -> str:
    """Our own words, which admission gave the server to say."""
    body = getattr(error.__cause__, "body", None)
    said = body.get("detail") if isinstance(body, Mapping) else None
    return str(said or error)
