"""Rows of langgraph-sdk as our resources. Nothing is taken for granted: other servers leave fields out. Pure."""

from collections.abc import Mapping
from typing import Any

from stationmaster.reconcile.resources import UTC_ZONE, ServedAssistant, ServedCron

# Limits and tags have fields of their own; `configurable` is the context once more.
_OWN_CONFIG = frozenset({"configurable", "recursion_limit", "tags"})


def assistant_from(row: Any) -> ServedAssistant:
    """An assistant, or a row of its versions: those lack `updated_at`, and were made at `created_at`."""
    config = _mapping(row.get("config"))
    limit, context = config.get("recursion_limit"), row.get("context")
    return ServedAssistant(
        assistant_id=str(row["assistant_id"]),
        name=row.get("name") or "",
        graph=row.get("graph_id") or "",
        description=row.get("description") or "",
        context=_mapping(config.get("configurable") if context is None else context),
        recursion_limit=limit if isinstance(limit, int) else None,
        tags=tuple(config.get("tags") or ()),
        metadata=_mapping(row.get("metadata")),
        version=int(row.get("version") or 1),
        updated_at=str(row.get("updated_at") or row.get("created_at") or ""),
        config={key: value for key, value in config.items() if key not in _OWN_CONFIG and value is not None},
    )


def cron_from(row: Any) -> ServedCron:
    """A cron, as it is created, updated or searched for."""
    return ServedCron(
        cron_id=str(row["cron_id"]),
        thread_id=_text(row.get("thread_id")),
        assistant_id=str(row.get("assistant_id") or _mapping(row.get("payload")).get("assistant_id") or ""),
        schedule=row.get("schedule") or "",
        timezone=row.get("timezone") or UTC_ZONE,
        payload=_mapping(row.get("payload")),
        enabled=row.get("enabled") is not False,
        next_run_at=_text(row.get("next_run_date")),
        metadata=_mapping(row.get("metadata")),
        on_run_completed=row.get("on_run_completed"),
        end_time=_text(row.get("end_time")),
        created_at=str(row.get("created_at") or ""),
        updated_at=str(row.get("updated_at") or ""),
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _text(value: object) -> str | None:
    return None if value is None else str(value)
