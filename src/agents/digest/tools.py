"""What the digest reads and writes: tables of the shop, of reviews, crons and webhooks, by the caller's tenant;
its reports; and the outbox.
"""

from datetime import datetime
from typing import Any, cast

from psycopg.types.json import Jsonb
from typing_extensions import TypedDict

from agents.digest.masking import masked
from agents.digest.state import Figures
from agents.shared.database import connection
from agents.shared.queries import load
from agents.shared.shop import SUPPORT_DESK, mail

_SQL = load(__file__)
MOST_SHOWN = 5


class Kept(TypedDict):
    """A report as it was made."""

    figures: dict[str, Any]
    markdown: str
    since: datetime


async def find_report(tenant: str, name: str, slot: datetime) -> Kept | None:
    """The slot's report, or None when none was made."""
    row = await _one("find_report", tenant=tenant, name=name, slot=slot)
    return cast("Kept", row) if row else None


async def last_slot(tenant: str, name: str, slot: datetime) -> datetime | None:
    """The newest slot before this one that has a report."""
    row = await _one("last_slot", tenant=tenant, name=name, slot=slot)
    return row["slot"] if row else None


async def keep_report(
    tenant: str, name: str, slot: datetime, since: datetime, figures: dict[str, Any], markdown: str
) -> bool:
    """Keep a report; False when the slot has one that stays: it is whole, or this one is not."""
    kept = await _one(
        "keep_report",
        tenant=tenant,
        name=name,
        slot=slot,
        since=since,
        figures=Jsonb(figures),
        markdown=markdown,
    )
    return kept is not None


async def tickets(tenant: str, since: datetime, until: datetime) -> tuple[Figures, list[dict[str, Any]]]:
    """How many tickets something was done for, how many a person got, how many ended in the dead letters."""
    return await _figures("tickets", tenant=tenant, since=since, until=until, desk=SUPPORT_DESK), []


async def refunds(tenant: str, since: datetime, until: datetime) -> tuple[Figures, list[dict[str, Any]]]:
    """Number, sum and largest of the refunds."""
    return await _figures("refunds", tenant=tenant, since=since, until=until), []


async def reviews(tenant: str, since: datetime, until: datetime) -> tuple[Figures, list[dict[str, Any]]]:
    """Reviews opened and answered, those that wait by age, and the oldest of those."""
    figures = await _figures("reviews", tenant=tenant, since=since, until=until)
    oldest = await _rows("oldest_reviews", tenant=tenant, until=until, limit=MOST_SHOWN)
    return figures, [{**row, "title": masked(row["title"])} for row in oldest]


async def runs(tenant: str, since: datetime, until: datetime) -> tuple[Figures, list[dict[str, Any]]]:
    """Runs that failed: what webhooks and crons told of any server, and what the durable one keeps itself."""
    span = {"tenant": tenant, "since": since, "until": until}
    failed = {row["run_id"]: row for row in await _rows("failed_runs", **span)}
    if (await _figures("has_runs"))["kept"]:
        failed |= {row["run_id"]: row for row in await _rows("failed_runs_kept", **span)}
    newest = sorted(failed.values(), key=lambda row: (row["at"], row["run_id"]))[-MOST_SHOWN:]
    return {"failed": len(failed)}, [{**row, "at": row["at"].isoformat()} for row in newest]


async def spend(tenant: str, since: datetime, until: datetime) -> tuple[Figures, list[dict[str, Any]]]:
    """What models cost, in all and by model; calls whose price is unknown are counted apart."""
    rows = await _rows("spend", tenant=tenant, since=since, until=until)
    figures: Figures = {
        "calls": sum(row["calls"] for row in rows),
        "tokens": sum(row["tokens"] for row in rows),
        "usd": round(sum(row["usd"] for row in rows), 6),
        "unpriced_calls": sum(row["calls"] for row in rows if row["unpriced"]),
    }
    return figures, rows


async def mail_report(
    tenant: str, name: str, slot: datetime, to: str, subject: str, body: str, *, whole: bool
) -> bool:
    """Queue the report for one reader; False when it was queued before. One that lacks parts is a mail of its own."""
    about = f"digest:{tenant}:{name}:{slot.isoformat()}"
    key = f"{about}:{to}" if whole else f"{about}:{to}:incomplete"
    return await mail.queue_mail(tenant=tenant, key=key, ticket_id=about, to=to, subject=subject, body=body)


async def _figures(query: str, **params: Any) -> Figures:
    row = await _one(query, **params)
    if row is None:
        raise LookupError(f"the query {query} always gives a row, and gave none")
    return dict(row)


async def _one(query: str, **params: Any) -> dict[str, Any] | None:
    async with connection() as conn:
        return await (await conn.execute(_SQL[query], params)).fetchone()


async def _rows(query: str, **params: Any) -> list[dict[str, Any]]:
    async with connection() as conn:
        return await (await conn.execute(_SQL[query], params)).fetchall()
