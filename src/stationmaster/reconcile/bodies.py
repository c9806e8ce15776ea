"""What is written to a server for an assistant and a cron: marks, digests, config. Pure but for the clock."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from stationmaster.reconcile.fields import digests
from stationmaster.reconcile.resources import (
    APPLIED,
    LIVE,
    MANAGED_BY,
    MANAGER,
    NAME,
    WAS_ENABLED,
    Assistant,
    Cron,
    ServedAssistant,
    Signature,
)


def marks(assistant: Assistant) -> dict[str, Any]:
    return {MANAGED_BY: MANAGER, NAME: assistant.name, LIVE: assistant.live}


def applied_marks(resource: Assistant | Cron) -> dict[str, Any]:
    return {APPLIED: digests(resource)}


def cron_metadata(cron: Cron) -> dict[str, Any]:
    return {MANAGED_BY: MANAGER, NAME: cron.name, **cron.behaviour, **applied_marks(cron)}


def note_for(cron: Cron, paused: Mapping[str, Any]) -> dict[str, Any]:
    """Why a cron stands still, for whoever resumes it: then it is on or off as its file says by now."""
    known = (paused.get(WAS_ENABLED) is not False) == cron.enabled
    return dict(paused) if known else {**paused, WAS_ENABLED: cron.enabled}


def change(by: Signature, from_version: int | None, version: int | None = None) -> dict[str, Any]:
    """`version`: the number that the write gets, where that is not the one behind `from_version`."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {
        "author": by.author, "reason": by.reason, "source": by.source, "at": now, "from_version": from_version,
        **({} if version is None else {"version": version}),
    }  # fmt: skip


def config_of(assistant: Assistant) -> Any:
    """Never empty: servers take an empty config for none and keep the old one."""
    limit = {} if assistant.recursion_limit is None else {"recursion_limit": assistant.recursion_limit}
    return {"tags": list(assistant.tags), **limit}


def gone_labels(now: ServedAssistant, content: Assistant, *, exact: bool) -> dict[str, None]:
    """PATCH merges metadata: what shall go is written as null. Labels of others stay unless `exact`."""
    ours = {key.removeprefix("metadata.") for key in now.applied if key.startswith("metadata.")}
    return {key: None for key in now.labels if key not in content.metadata and (exact or key in ours)}
