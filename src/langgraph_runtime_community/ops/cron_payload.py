"""The request that a cron makes at each slot, and how a change is merged into it."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from langgraph_runtime_community.database import json

Row = dict[str, Any]


def made(payload: Row | None, cron_id: UUID) -> Row:
    """A new cron's payload; the cron's id stands in its configurable, where runs and graphs look for it."""
    payload = dict(payload or {})
    config = dict(payload.get("config") or {})
    config["configurable"] = {**(config.get("configurable") or {}), "cron_id": str(cron_id)}
    return {**payload, "config": config}


def changed(
    before: Mapping[str, Any],
    cron_id: UUID,
    asked: Mapping[str, Any],
    clear_end_time: bool,
    timezone: str | None,
) -> Row:
    """All columns of the cron after a change. The assistant stays the one that it was made for."""

    def given(name: str) -> Any:
        return before[name] if asked.get(name) is None else asked[name]

    payload = before["payload"]
    if asked.get("payload") is not None:
        merged = made({**payload, **asked["payload"]}, cron_id)
        payload = {**merged, "assistant_id": payload.get("assistant_id", merged.get("assistant_id"))}
    return {
        "cron_id": cron_id,
        "schedule": given("schedule"),
        "timezone": before["timezone"] if timezone is None else timezone,
        "end_time": None if clear_end_time else given("end_time"),
        "enabled": given("enabled"),
        "on_run_completed": given("on_run_completed"),
        "payload": json(payload),
        "metadata": json({**before["metadata"], **(asked.get("metadata") or {})}),
        "next_run_date": before["next_run_date"],
    }
