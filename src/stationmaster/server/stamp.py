"""What every run gets without its caller asking: the console's webhook, who its assistant is, and its arm."""

from collections.abc import MutableMapping
from typing import Any

from stationmaster.reconcile.resources import APPLIED, CANARY, CHANGE
from stationmaster.server.arms import Server, give_arm

# Bookkeeping of the assistant, which servers copy from its metadata to each of its runs.
_NOT_OF_RUNS = (APPLIED, CHANGE)


async def stamp(value: MutableMapping[str, Any], server: Server, webhook_url: str | None) -> None:
    """Change a run that is about to be made, in place.

    Run metadata inherits the assistant's and the thread's, which holds the stamps of the run that made it: so every
    key is set each time, to None where nothing is known. A version is stamped only if it was read just now.
    """
    kwargs = value.get("kwargs")
    if webhook_url and isinstance(kwargs, dict) and not kwargs.get("webhook"):
        kwargs["webhook"] = webhook_url
    metadata, assistant_id = value.get("metadata"), value.get("assistant_id")
    if not isinstance(metadata, dict) or assistant_id is None:
        return
    found = await server.assistants.of(str(assistant_id))
    live = found.value
    metadata["assistant_id"] = str(assistant_id)
    metadata.pop("graph_id", None)  # the server's own word on it, where it has none, is the thread's
    if live:
        metadata["graph_id"] = live.graph
    metadata["assistant_name"] = (live.name or None) if live else None
    metadata["assistant_version"] = live.version if live and found.current else None
    metadata[CANARY] = await give_arm(value, live, server) if live else None
    for key in _NOT_OF_RUNS:
        metadata.setdefault(key, None)
