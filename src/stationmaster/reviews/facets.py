"""What a list can be narrowed by: the graphs, assistants and groups of the reviews that somebody may see."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stationmaster.postgres.queries import load
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.database import Connection

QUERIES = load(Path(__file__).with_suffix(".sql"))
COMBINATIONS = QUERIES["combinations"]

# A new graph's name may come a little later.
KEPT_S = 30.0


@dataclass(frozen=True)
class Facets:
    """Names, sorted."""

    graphs: tuple[str, ...]
    assistants: tuple[str, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True)
class Combination:
    """A graph and an assistant, or `""`, whose reviews are answered by these groups."""

    graph: str
    assistant: str
    groups: tuple[str, ...]


_kept: dict[tuple[str, int, str], tuple[float, Sequence[Combination]]] = {}


async def of(conn: Connection, who: Identity) -> Facets:
    """The names in `who`'s scope, at most KEPT_S old."""
    seen = [found for found in await _combinations(conn) if who.sees(found.groups)]
    return Facets(
        graphs=_names(found.graph for found in seen),
        assistants=_names(found.assistant for found in seen),
        groups=_names(group for found in seen for group in found.groups if who.sees((group,))),
    )


async def _combinations(conn: Connection) -> Sequence[Combination]:
    database = (conn.info.host, conn.info.port, conn.info.dbname)
    kept = _kept.get(database)
    if kept and kept[0] > time.monotonic():
        return kept[1]
    rows = await (await conn.execute(COMBINATIONS)).fetchall()
    found = [Combination(row["graph"], row["assistant_name"], tuple(row["groups"])) for row in rows]
    _kept[database] = (time.monotonic() + KEPT_S, found)
    return found


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name}))
