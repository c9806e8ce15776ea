"""What is under way or waits under a version, and what becomes of it when another one takes its place."""

from dataclasses import dataclass, field
from pathlib import Path

from stationmaster.assistants import threads
from stationmaster.assistants.routes import Canary
from stationmaster.postgres.queries import load
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.reviews.database import Pool

QUERIES = load(Path(__file__).with_name("reviews.sql"))
OPEN, ALL_OPEN, IN_ARM = QUERIES["open_by_version"], QUERIES["open_by_assistant"], QUERIES["open_in_arm"]


@dataclass(frozen=True)
class Impact:
    """`running`: threads with a run under way or queued. `waiting`: questions that a person still has to answer.

    `known_from` is `reviews` where the console's database was asked; else `threads`, the server's own, coarser word.
    `by_version`: the same by the version that asked, as far as that is known.
    """

    running: int
    waiting: int
    known_from: str
    by_version: dict[int, int] = field(default_factory=dict)

    def sentences(self, old: str, new: str) -> list[str]:
        """What will happen, in words. `old` and `new` are versions as people call them."""
        return [_of_running(self.running, old), _of_waiting(self.waiting, self.by_version, new)]


async def impact_of(gateway: Gateway, pool: Pool | None, assistant: ServedAssistant) -> Impact:
    """Counted now; without a pool the server's threads say what they can."""
    running = await threads.running(gateway, assistant.assistant_id)
    if pool is None:
        waiting = await threads.waiting(gateway, assistant.assistant_id)
        return Impact(running, waiting, "threads")
    async with pool.connection() as conn:
        rows = await (await conn.execute(OPEN, {"assistant_id": assistant.assistant_id})).fetchall()
    by_version = {row["version"]: row["n"] for row in rows if row["version"] is not None}
    return Impact(running, sum(row["n"] for row in rows), "reviews", by_version)


async def waiting_by_assistant(pool: Pool) -> dict[str, int]:
    """Questions that wait for a person, by assistant id."""
    async with pool.connection() as conn:
        rows = await (await conn.execute(ALL_OPEN)).fetchall()
    return {row["assistant_id"]: row["n"] for row in rows}


async def waiting_in_arm(pool: Pool, canary: Canary | None) -> int:
    """Questions that wait for a person and were asked with a canary's content."""
    if canary is None:
        return 0
    async with pool.connection() as conn:
        row = await (await conn.execute(IN_ARM, {"canary_id": canary.canary_id})).fetchone()
    return row["n"] if row else 0


def _of_running(count: int, old: str) -> str:
    match count:
        case 0:
            return "No run is under way."
        case 1:
            return f"1 run is under way: it ends as it began, with {old}."
        case _:
            return f"{count} runs are under way: they end as they began, with {old}."


def _of_waiting(count: int, by_version: dict[int, int], new: str) -> str:
    if not count:
        return "No question waits for a person."
    versions = [f"{n} by version {version}" for version, n in sorted(by_version.items())]
    if len(by_version) == 1 and count in by_version.values():
        versions = [f"by version {next(iter(by_version))}"]
    asked = f" (asked {', '.join(versions)})" if versions else ""
    if count == 1:
        return f"1 question waits for a person{asked}: it stays as asked; once answered, its run goes on with {new}."
    what = f"{count} questions wait for a person{asked}"
    return f"{what}: they stay as asked; once answered, their runs go on with {new}."
