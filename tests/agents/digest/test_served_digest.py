"""The digest through the SDK, on the server that all graphs share, and by a cron: no key."""

import asyncio
from typing import Any

import psycopg
import pytest
from langgraph_sdk.client import LangGraphClient
from psycopg.rows import dict_row

from tests.agents.thread import ServedThread


def rows(uri: str, query: Any, *values: object) -> list[dict[str, Any]]:
    with psycopg.connect(uri) as conn, conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query, values).fetchall()


def of_name(uri: str, name: str) -> tuple[int, int]:
    """How many reports and mails a digest of that name has."""
    reports = rows(uri, "select 1 from digest.reports where name = %s", name)
    mails = rows(
        uri, "select 1 from shop.mails where starts_with(idempotency_key, %s)", f"digest:main:{name}:"
    )
    return len(reports), len(mails)


async def run(client: LangGraphClient, name: str) -> dict[str, Any]:
    context = {"name": name, "span": "day", "recipients": ["a@example.com", "b@example.com"]}
    return await (await ServedThread.begin(client, "digest", context=context)).run(input={})


async def test_a_slot_has_one_report_and_a_reader_one_mail(
    client: LangGraphClient, served_shop: str, ticket: str
) -> None:
    first, *others = await asyncio.gather(*(run(client, ticket) for _ in range(3)))
    again = await run(client, ticket)
    assert again["repeated"] is True
    assert {out["markdown"] for out in (first, *others, again)} == {first["markdown"]}
    assert set(first["figures"]) >= {"tickets", "refunds", "reviews", "runs", "spend", "quiet"}
    assert of_name(served_shop, ticket) == (1, 2)


async def test_a_slot_that_can_not_be_fails_the_run(
    client: LangGraphClient, served_shop: str, ticket: str
) -> None:
    thread = await ServedThread.begin(client, "digest", context={"name": ticket})
    values = await thread.run(input={"slot": "yesterday"}, raise_error=False)
    assert values["__error__"]["error"] == "WrongSlot"
    assert "write it like 2026-11-30T07:00:00+00:00" in values["__error__"]["message"]
    assert of_name(served_shop, ticket) == (0, 0)


@pytest.mark.slow
async def test_a_cron_that_fires_often_reports_each_slot_once(
    client: LangGraphClient, served_shop: str, ticket: str
) -> None:
    context: Any = {"name": ticket, "span": "day", "recipients": ["a@example.com"]}
    cron: Any = await client.crons.create(
        "digest",
        schedule="* * * * * */2",
        input={},
        context=context,
        metadata={"of": ticket},
        on_run_completed="keep",
    )
    try:
        async with asyncio.timeout(60):
            while True:
                threads = await client.threads.search(metadata={"of": ticket}, status="idle")
                if len([thread for thread in threads if (thread["values"] or {}).get("markdown")]) >= 2:
                    break
                await asyncio.sleep(0.5)  # between two looks at what is waited for
    finally:
        await client.crons.delete(cron["cron_id"])
    assert of_name(served_shop, ticket) == (1, 1)
