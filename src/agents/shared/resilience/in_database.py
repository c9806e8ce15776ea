"""Breakers in table shop.breakers: one state for all threads and processes, timed by the database's clock."""

from agents.shared import database
from agents.shared.queries import load
from agents.shared.resilience.passage import BreakerOpen, Passage, Thresholds

_QUERIES = load(__file__)
_LOOK = _QUERIES["look"]
_CLAIM_PROBE = _QUERIES["claim_probe"]
_RESET = _QUERIES["reset"]
_CLOSE = _QUERIES["close"]
_COUNT_FAILURE = _QUERIES["count_failure"]
_REOPEN = _QUERIES["reopen"]
_GIVE_BACK = _QUERIES["give_back"]


class DatabaseKeeper:
    """Each step is one short transaction of its own, so that nothing is locked while the service is called."""

    async def admit(self, name: str, thresholds: Thresholds) -> Passage:
        figures = {"name": name, "cooldown_s": thresholds.cooldown_s, "probe_s": thresholds.probe_s}
        async with database.connection() as conn:
            open_row = await (await conn.execute(_LOOK, figures)).fetchone()
            if open_row is None:
                return Passage(name)
            claimed = None
            if open_row["seconds_left"] <= 0:
                claimed = await (await conn.execute(_CLAIM_PROBE, figures)).fetchone()
        if claimed is None:
            raise BreakerOpen(name, open_row["seconds_left"])
        return Passage(name, probe=claimed["probe_until"])

    async def succeeded(self, passage: Passage) -> None:
        query = _RESET if passage.probe is None else _CLOSE
        async with database.connection() as conn:
            await conn.execute(query, {"name": passage.name, "probe": passage.probe})

    async def failed(self, passage: Passage, thresholds: Thresholds) -> None:
        query = _COUNT_FAILURE if passage.probe is None else _REOPEN
        figures = {"name": passage.name, "probe": passage.probe, "threshold": thresholds.failures}
        async with database.connection() as conn:
            await conn.execute(query, figures)

    async def gave_up(self, passage: Passage) -> None:
        async with database.connection() as conn:
            await conn.execute(_GIVE_BACK, {"name": passage.name, "probe": passage.probe})
