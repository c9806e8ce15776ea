"""One assistant's content in place of another's, for a single run: what the run's own arguments must then say. Pure.

A server merges key by key, the assistant's context below the run's. So a key that only the live assistant sets has to
be set to the graph's default, or it would shine through.
"""

from collections.abc import Mapping, MutableMapping
from typing import Any

from stationmaster.errors import StationmasterError
from stationmaster.reconcile.resources import ServedAssistant


class Unfit(StationmasterError):
    """The other assistant's content can't take this one's place."""


def schema_of(schemas: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The context schema of a graph; None if it names no setting."""
    found = schemas.get("context_schema")
    return found if isinstance(found, Mapping) and found.get("properties") else None


def defaults_of(schemas: Mapping[str, Any]) -> dict[str, Any]:
    """The defaults that a graph's context schema names, by key."""
    properties = (schema_of(schemas) or {}).get("properties")
    if not isinstance(properties, Mapping):
        return {}
    return {
        key: field["default"]
        for key, field in properties.items()
        if isinstance(field, Mapping) and "default" in field
    }


def overlay(live: ServedAssistant, arm: ServedAssistant, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The context that makes a run of `live` see exactly the content of `arm`. Unfit says why it can't."""
    if live.graph != arm.graph:
        raise Unfit(
            f"{arm.name} runs graph {arm.graph} and {live.name} runs {live.graph}: a run keeps the graph of the "
            "assistant that it names, so a canary needs two assistants of one graph"
        )
    bare = sorted(key for key in live.context if key not in arm.context and key not in defaults)
    if bare:
        raise Unfit(
            f"{live.name} sets {', '.join(bare)}, {arm.name} does not, and graph {live.graph} names no default: "
            f"set {bare[0]} in both"
        )
    return {**{key: defaults[key] for key in live.context if key not in arm.context}, **arm.context}


def lay_over(
    kwargs: MutableMapping[str, Any], live: ServedAssistant, arm: ServedAssistant, context: Any
) -> None:
    """Change the arguments of a run that is about to be made, in place. What its caller set stays on top.

    None takes a setting of the live assistant's config away: LangGraph skips it, and the graph's own holds.
    """
    kwargs["context"] = {**context, **(kwargs.get("context") or {})}
    config = kwargs.get("config")
    if not isinstance(config, MutableMapping):
        return
    configurable = config.get("configurable") or {}
    # Graphs that read `configurable` see the arm as well; a run whose caller gave a context has it there already.
    config["configurable"] = {**context, **configurable}
    config.setdefault("recursion_limit", arm.recursion_limit)
    config.setdefault("tags", list(arm.tags))
    for key in {**live.config, **arm.config}:
        config.setdefault(key, arm.config.get(key))
