"""What a webhook tells: what stock tells, and besides whether the thread waits for somebody."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

EXTRA = ("thread_status", "interrupts", "next")
SENT_AT = "webhook_sent_at"


def hook_of(
    run: Mapping[str, Any],
    started_at: str,
    status: str,
    exception: BaseException | None,
    checkpoint: Mapping[str, Any] | None,
    questions: Mapping[str, Any],
) -> dict[str, Any] | None:
    """Of a run that has ended: `url`, `payload` as far as langgraph.json lets out, and whether to add the thread's
    status; None for no hook.

    Filtered before it is written: a run's kwargs hold the caller, whose secrets have no place in an outbox.
    """
    from langgraph_api.config import HTTP_CONFIG, WEBHOOKS_CONFIG

    url = run["kwargs"].get("webhook")
    if not url or (HTTP_CONFIG and HTTP_CONFIG.get("disable_webhooks")):
        return None
    allowed = WEBHOOKS_CONFIG.get("allowed_fields") if WEBHOOKS_CONFIG else None
    payload = {
        **run,
        "status": status,
        "run_started_at": started_at,
        "run_ended_at": datetime.now(UTC).isoformat(),
        "values": checkpoint["values"] if checkpoint and status != "rollback" else None,
        **({"error": _told(exception)} if exception else {}),
        **({"interrupts": questions, "next": list(checkpoint["next"] or [])} if checkpoint else {}),
    }
    return {
        "url": str(url),
        "payload": {name: value for name, value in payload.items() if not allowed or name in allowed},
        "tell_status": not allowed or "thread_status" in allowed,
    }


def _told(exception: BaseException) -> Any:
    from langgraph_api.serde import json_dumpb, json_loads

    return json_loads(json_dumpb(exception))
