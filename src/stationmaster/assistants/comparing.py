"""How the arms of a canary do: runs, errors, answers of people, cost and time, and what of it is more than chance.

Runs are counted when their webhook reaches the console; costs are read from the state of threads that the canary
has seen from their beginning.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from stationmaster.assistants import threads
from stationmaster.assistants.errors import NoCanary
from stationmaster.assistants.rates import Rate, told_apart
from stationmaster.assistants.routes import Canary, Routes
from stationmaster.assistants.versions import find, name_of
from stationmaster.postgres.queries import load
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.reviews.database import Pool

QUERIES = load(Path(__file__).with_name("comparing.sql"))
RUNS, ANSWERS, THREADS = QUERIES["runs"], QUERIES["answers"], QUERIES["newest_threads"]
PRICED = 500
"""Threads an arm whose cost is read."""
ARMS = ("live", "canary")


@dataclass(frozen=True)
class Cost:
    """`usd_per_thread` over `threads`; None where no state says what it cost. `unpriced`: of some models no price is
    known, so that the true figure is higher."""

    usd_per_thread: float | None
    threads: int
    unpriced: bool


@dataclass(frozen=True)
class ArmReport:
    """One arm. Rates of errors are of runs, those of answers of what people decided. Times are of runs, waiting for a
    person not included."""

    arm: str
    assistant: str
    versions: tuple[int, ...]
    runs: int
    threads: int
    errors: Rate
    asked: int
    waiting: int
    approved: Rate
    edited: Rate
    rejected: Rate
    seconds_p50: float | None
    seconds_p95: float | None
    cost: Cost
    last_at: datetime | None


@dataclass(frozen=True)
class Report:
    """`differs`: by rate, whether the arms can be told apart by now; None where one has nothing to count."""

    live: str
    canary: Canary
    arms: tuple[ArmReport, ArmReport]
    differs: Mapping[str, bool | None]

    @property
    def observed(self) -> Rate:
        """The share of threads that the canary really got."""
        live, canary = self.arms
        return Rate(canary.threads, live.threads + canary.threads)


async def compare(gateway: Gateway, pool: Pool, name: str) -> Report:
    """The report of the canary that runs on an assistant. NoCanary."""
    live = await find(gateway, name)
    canary = Routes.of(live.metadata).canary
    if canary is None:
        raise NoCanary(
            f"{name} has no canary: start one with `stationmaster assistants canary {name}=OTHER:10% --reason ...`"
        )
    async with pool.connection() as conn:
        asked = {"canary_id": canary.canary_id, "most": PRICED}
        runs = {row["arm"]: row for row in await (await conn.execute(RUNS, asked)).fetchall()}
        answers = {row["arm"]: row for row in await (await conn.execute(ANSWERS, asked)).fetchall()}
        rows = await (await conn.execute(THREADS, asked)).fetchall()
    costs = await _costs(gateway, canary, rows)
    names = {"live": name_of(live), "canary": canary.arm.name}
    first, second = (
        _report(arm, names[arm], runs.get(arm, {}), answers.get(arm, {}), costs[arm]) for arm in ARMS
    )
    differs = {
        rate: told_apart(getattr(first, rate), getattr(second, rate))
        for rate in ("errors", "approved", "edited", "rejected")
    }
    return Report(name_of(live), canary, (first, second), differs)


async def running(gateway: Gateway) -> list[tuple[ServedAssistant, Routes]]:
    """The assistants that have a canary or pins."""
    found = [(each, Routes.of(each.metadata)) for each in await gateway.assistants() if each.owned]
    return [(each, routes) for each, routes in found if routes]


def _report(
    arm: str, assistant: str, runs: Mapping[str, Any], answers: Mapping[str, Any], cost: Cost
) -> ArmReport:
    count, decided = runs.get("runs", 0), answers.get("decided", 0)
    p50, p95 = runs.get("seconds") or (None, None)
    return ArmReport(
        arm=arm, assistant=assistant, versions=tuple(runs.get("versions") or ()), runs=count,
        threads=runs.get("threads", 0), errors=Rate(runs.get("errors", 0), count),
        asked=answers.get("asked", 0), waiting=answers.get("waiting", 0),
        approved=Rate(answers.get("approved", 0), decided), edited=Rate(answers.get("edited", 0), decided),
        rejected=Rate(answers.get("rejected", 0), decided), seconds_p50=p50, seconds_p95=p95, cost=cost,
        last_at=runs.get("last_at"),
    )  # fmt: skip


async def _costs(gateway: Gateway, canary: Canary, rows: Sequence[Mapping[str, Any]]) -> dict[str, Cost]:
    by_arm: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        by_arm[row["arm"]].append(row["thread_id"])
    return {arm: cost_since(canary, await threads.threads(gateway, by_arm[arm])) for arm in ARMS}


def began_at(canary: Canary) -> datetime | None:
    """When it began; None where what is kept there is no time, or one without its zone."""
    try:
        at = datetime.fromisoformat(canary.started_at)
    except ValueError:
        return None
    return at if at.tzinfo else None


def cost_since(canary: Canary, found: Sequence[threads.Thread]) -> Cost:
    """Usage in state adds up over a thread's life: one that is older than the canary would count what came before.

    Nothing is counted where nobody knows when it began.
    """
    if (began := began_at(canary)) is None:
        return Cost(usd_per_thread=None, threads=0, unpriced=False)
    usages = [each.usage for each in found if each.usage and datetime.fromisoformat(each.created_at) >= began]
    lines = [line for usage in usages for line in usage.values() if isinstance(line, Mapping)]
    total = sum(float(line.get("usd") or 0.0) for line in lines)
    return Cost(
        usd_per_thread=total / len(usages) if usages else None, threads=len(usages),
        unpriced=any(line.get("unpriced") is True for line in lines),
    )  # fmt: skip
