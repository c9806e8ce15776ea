"""The fields in which a file and a server are compared, and their digests. Pure.

Context and labels are compared key by key: `context.tone`, `metadata.team`. What is not there has no field.
"""

from typing import Any

from stationmaster.reconcile.canonical import digest
from stationmaster.reconcile.resources import (
    FRESH,
    STRATEGIES,
    UTC_ZONE,
    Assistant,
    Cron,
    ServedAssistant,
    ServedCron,
    fixed_thread_id,
)

Fields = dict[str, Any]
# What servers put into a cron's payload by themselves, or keep a second time.
_PAYLOAD = frozenset(
    {
        "input", "assistant_id", "config", "metadata", "schedule", "timezone", "enabled", "end_time", "thread_id",
        "on_run_completed", "multitask_strategy",
    }
)  # fmt: skip
_SERVERS_OWN = frozenset(
    {"cron_id", "langgraph_auth_user", "langgraph_auth_user_id", "langgraph_auth_permissions"}
)


def wanted(resource: Assistant | Cron) -> Fields:
    """What a file says, field by field."""
    return _assistant(resource) if isinstance(resource, Assistant) else _cron(resource)


def served(resource: ServedAssistant | ServedCron) -> Fields:
    """What a server has, in the same fields; and what a file can't say, which therefore should not be there."""
    return _served_assistant(resource) if isinstance(resource, ServedAssistant) else _served_cron(resource)


def digests(resource: Assistant | Cron) -> dict[str, str]:
    """What is kept on the server as `applied`."""
    return {name: digest(value) for name, value in wanted(resource).items()}


def _assistant(assistant: Assistant) -> Fields:
    return {
        "name": assistant.name,
        "graph": assistant.graph,
        "description": assistant.description,
        **_below("context", assistant.context),
        **({} if assistant.recursion_limit is None else {"recursion_limit": assistant.recursion_limit}),
        "tags": list(assistant.tags),
        **_below("metadata", assistant.metadata),
        "live": assistant.live,
    }


def _served_assistant(assistant: ServedAssistant) -> Fields:
    content = assistant.content()
    return {**_assistant(content), "name": assistant.name, **_below("config", assistant.config)}


def _cron(cron: Cron) -> Fields:
    return {
        "assistant": cron.assistant_id,
        "schedule": cron.schedule,
        "timezone": cron.timezone,
        "input": dict(cron.input),
        "enabled": cron.enabled,
        **cron.behaviour,
    }


def _served_cron(cron: ServedCron) -> Fields:
    keeps = cron.thread_id is not None or cron.on_run_completed == "keep"
    return {
        "assistant": cron.assistant_id,
        "schedule": cron.schedule,
        "timezone": cron.timezone or UTC_ZONE,
        "input": dict(cron.input),
        "enabled": cron.enabled,
        **{key: cron.metadata.get(key) for key in ("missed", "keep_days", "review")},
        "thread": _thread(cron),
        "overlap": _overlap(cron),
        **({} if keeps else {"on_run_completed": cron.on_run_completed}),
        **({} if cron.end_time is None else {"end_time": cron.end_time}),
        **{f"payload.{key}": value for key, value in _extra(cron).items()},
    }


def _thread(cron: ServedCron) -> Any:
    """The name that the metadata says if it is true of the row, else what the row has."""
    said = cron.metadata.get("thread")
    expected = None if said == FRESH or not isinstance(said, str) else fixed_thread_id(said)
    return said if cron.thread_id == expected else cron.thread_id or FRESH


def _overlap(cron: ServedCron) -> Any:
    said, strategy = cron.metadata.get("overlap"), cron.payload.get("multitask_strategy")
    return said if isinstance(said, str) and STRATEGIES.get(said) == strategy else strategy


def _extra(cron: ServedCron) -> Fields:
    """What somebody added to its runs: a context of its own, breakpoints, a webhook."""
    config = cron.payload.get("config")
    config = dict(config) if isinstance(config, dict) else {}
    configurable = config.pop("configurable", None)
    if isinstance(configurable, dict):
        config |= {key: value for key, value in configurable.items() if key not in _SERVERS_OWN}
    more = {key: value for key, value in cron.payload.items() if key not in _PAYLOAD}
    return {key: value for key, value in {**more, "config": config}.items() if value not in (None, {}, [])}


def _below(prefix: str, values: Any) -> Fields:
    return {f"{prefix}.{key}": value for key, value in values.items()}
