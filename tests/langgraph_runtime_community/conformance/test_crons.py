"""Crons: rows, changes, and one that fires."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from langgraph_sdk.errors import LangGraphError, NotFoundError

INPUT = {"key": "k", "question": "q?"}
NEVER = "0 0 1 1 *"


async def found(api: Any, cron_id: str, **filters: Any) -> dict[str, Any] | None:
    rows = await api.crons.search(limit=200, **filters)
    return next((row for row in rows if row["cron_id"] == cron_id), None)


async def test_create_search_update_delete(api: Any) -> None:
    label = str(uuid4())
    cron = await api.crons.create(
        "plain", schedule=NEVER, input=INPUT, metadata={"mark": label}, timezone="Asia/Tokyo"
    )
    row = await found(api, cron["cron_id"])
    assert row and row["schedule"] == NEVER and row["enabled"] and row["thread_id"] is None
    assert row["timezone"] == "Asia/Tokyo" and row["on_run_completed"] == "delete"
    assert row["payload"]["input"] == INPUT and row["metadata"] == {"mark": label}
    local = datetime.fromisoformat(row["next_run_date"])
    assert (local.hour, local.day, local.month) == (15, 31, 12)
    changed = await api.crons.update(cron["cron_id"], schedule="0 12 1 1 *", enabled=False, timezone="UTC")
    assert changed["schedule"] == "0 12 1 1 *" and not changed["enabled"] and changed["timezone"] == "UTC"
    assert datetime.fromisoformat(changed["next_run_date"]).hour == 12
    assert await found(api, cron["cron_id"], enabled=True) is None
    assert await found(api, cron["cron_id"], enabled=False)
    merged = await api.crons.update(
        cron["cron_id"], metadata={"more": 1}, input={"key": "other", "question": "?"}
    )
    assert merged["metadata"] == {"mark": label, "more": 1} and merged["payload"]["input"]["key"] == "other"
    assert merged["payload"]["assistant_id"] == row["payload"]["assistant_id"]
    assert await api.crons.count(metadata={"mark": label}) == 1
    await api.crons.delete(cron["cron_id"])
    assert await found(api, cron["cron_id"]) is None
    with pytest.raises(NotFoundError):
        await api.crons.delete(cron["cron_id"])


async def test_a_bad_cron_is_refused(api: Any) -> None:
    with pytest.raises(LangGraphError):
        await api.crons.create("plain", schedule="every day", input=INPUT)
    with pytest.raises(LangGraphError):
        await api.crons.create("plain", schedule=NEVER, input=INPUT, timezone="Mars/Olympus")
    with pytest.raises(NotFoundError):
        await api.crons.create(str(uuid4()), schedule=NEVER, input=INPUT)
    with pytest.raises(NotFoundError):
        await api.crons.create_for_thread(str(uuid4()), "plain", schedule=NEVER, input=INPUT)


async def test_a_cron_goes_with_its_thread(api: Any) -> None:
    thread = (await api.threads.create())["thread_id"]
    cron = await api.crons.create_for_thread(thread, "plain", schedule=NEVER, input=INPUT)
    row = await found(api, cron["cron_id"], thread_id=thread)
    assert row and row["thread_id"] == thread and row["on_run_completed"] is None
    await api.threads.delete(thread)
    assert await found(api, cron["cron_id"]) is None


async def test_pages_of_a_search(api: Any) -> None:
    assistant = (await api.assistants.create("plain"))["assistant_id"]
    made = [(await api.crons.create(assistant, schedule=NEVER, input=INPUT))["cron_id"] for _ in range(3)]
    first = await api.crons.search(assistant_id=assistant, limit=2, sort_by="created_at", sort_order="asc")
    rest = await api.crons.search(
        assistant_id=assistant, limit=2, offset=2, sort_by="created_at", sort_order="asc"
    )
    assert [row["cron_id"] for row in (*first, *rest)] == made
    await api.assistants.delete(assistant)
    assert await api.crons.search(assistant_id=assistant) == []


async def test_a_cron_fires_on_its_thread_until_its_end(api: Any) -> None:
    thread = (await api.threads.create())["thread_id"]
    end = datetime.now(UTC) + timedelta(seconds=60)
    cron = await api.crons.create_for_thread(
        thread, "steps", schedule="* * * * * *", input={"key": str(uuid4()), "slow": 0}, metadata={"by": "cron"},
        end_time=end,
    )  # fmt: skip
    deadline = time.monotonic() + 15
    while not (runs := await api.runs.list(thread)):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.2)
    await api.crons.delete(cron["cron_id"])
    assert runs[0]["metadata"]["by"] == "cron"
    await api.runs.join(thread, runs[0]["run_id"])
