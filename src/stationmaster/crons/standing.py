"""What a run would meet, read from the server: state is the authority, the record only says where to look."""

from collections.abc import Sequence
from dataclasses import dataclass

from stationmaster.crons.deciding import Standing
from stationmaster.crons.model import Outcome, Tick
from stationmaster.crons.server import CronServer
from stationmaster.reconcile.resources import ServedCron
from stationmaster.reviews.model import Gone, RunInfo, ThreadSnapshot
from stationmaster.reviews.questions import questions, task_errors

MOST_REASON = 500
WAITS = "waiting"
# A run's status in our words; "interrupted" is what servers call a cancelled one.
ENDS: dict[str, Outcome] = {
    "success": "success", "error": "error", "timeout": "error", "interrupted": "cancelled", "rolled_back": "cancelled",
}  # fmt: skip


@dataclass(frozen=True)
class Seen:
    """What became of a tick's run so far. `thread_id`: found out, if its row did not hold it."""

    outcome: Outcome
    reason: str | None = None
    thread_id: str | None = None


async def look(server: CronServer, tick: Tick) -> Seen | None:
    """What became of the run of an open tick; None while the server has not made its thread yet."""
    thread_id = tick.thread_id or await server.thread_of(tick.id)
    if thread_id is None or tick.run_id is None:
        return None
    return seen_from(tick, await server.read(thread_id, [tick.run_id]), thread_id)


def seen_from(tick: Tick, snapshot: ThreadSnapshot | Gone, thread_id: str) -> Seen:
    """The same, from one look at its thread. Pure."""
    if isinstance(snapshot, Gone):
        return Seen("lost", "its thread is gone from the server", thread_id)
    if tick.run_id in snapshot.forgotten:
        return Seen("lost", "the server does not know its run any more", thread_id)
    own = next((run for run in snapshot.runs if run.run_id == tick.run_id), None)
    if own is not None and own.active:
        return Seen("running", None, thread_id)
    if questions(snapshot):
        return Seen(WAITS, None, thread_id)
    # An answer's run goes on with the same work; on a thread of several ticks only until the next one.
    last = _last_of(tick, snapshot, own)
    if last is None or last.active:
        return Seen(
            "running" if last else "lost", None if last else "the server has no run on its thread", thread_id
        )
    outcome = ENDS.get(last.status, "error")
    return Seen(outcome, _why(outcome, last, snapshot), thread_id)


async def standing_of(server: CronServer, cron: ServedCron, ticks: Sequence[Tick]) -> Standing:
    """What a run of this cron would meet now; `ticks` are its open ones, looked at just before."""
    if cron.thread_id is None:
        return Standing(open=ticks)
    snapshot = await server.read(cron.thread_id)
    if isinstance(snapshot, Gone):
        return Standing(open=ticks, gone=True)
    asked = questions(snapshot)
    active = [run for run in snapshot.runs if run.active]
    return Standing(
        open=ticks,
        waits=f"a question waits for a person on its thread {cron.thread_id}" if asked else None,
        busy=f"run {active[0].run_id} is under way on its thread" if active else None,
    )


def _last_of(tick: Tick, snapshot: ThreadSnapshot, own: RunInfo | None) -> RunInfo | None:
    """The run that ended the tick's work: its own, or the newest on the thread after a question was answered."""
    if own is None or (tick.outcome == WAITS and snapshot.run is not None):
        return snapshot.run
    return own


def _why(outcome: Outcome, run: RunInfo, snapshot: ThreadSnapshot) -> str | None:
    if outcome != "error":
        return None
    errors = task_errors(snapshot.checkpoint)
    return (errors[0] if errors else f"run {run.run_id} ended as {run.status}: the server's log says why")[
        :MOST_REASON
    ]
