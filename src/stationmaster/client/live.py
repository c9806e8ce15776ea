"""Which assistant a client app speaks to: the live one of a name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

from langgraph_sdk.client import LangGraphClient

from stationmaster.client.errors import NoLiveAssistant

PAGE = 100
OWN_IDS = UUID("6f0c2c0e-5d0b-5f3c-9a53-3f5f7a2a9d41")
"""`stationmaster apply` gives an assistant the version 5 id of its name in here."""


@dataclass(frozen=True)
class LiveAssistant:
    """An assistant that client apps use. The id stays the same when another version is promoted."""

    assistant_id: str
    name: str
    graph: str
    version: int
    own: bool = False
    """Whether `stationmaster apply` made it: a copy of it says the same of itself, under another id."""


async def live_assistants(client: LangGraphClient) -> list[LiveAssistant]:
    """All assistants that are marked `live` in their metadata, by name."""
    found: list[LiveAssistant] = []
    offset = 0
    while True:
        page: list[Any] = list(
            await client.assistants.search(metadata={"live": True}, limit=PAGE, offset=offset)
        )
        # Servers differ in how they match metadata, so it is looked at again.
        found += [_live(row) for row in page if (row.get("metadata") or {}).get("live") is True]
        if len(page) < PAGE:
            return sorted(found, key=lambda live: (live.name, live.assistant_id))
        offset += PAGE


async def resolve(client: LangGraphClient, name: str) -> LiveAssistant:
    """The live assistant called `name`; of several the one that a file describes. NoLiveAssistant says which there are.

    Resolve once, when the app starts: promoting and rolling back change the assistant's version, not its id, and a
    canary is decided by the server, run by run.
    """
    there = await live_assistants(client)
    same = [live for live in there if live.name == name]
    match [live for live in same if live.own] or same:
        case [live]:
            return live
        case []:
            names = ", ".join(dict.fromkeys(live.name for live in there)) or "none"
            raise NoLiveAssistant(
                f"no live assistant is called {name} (live: {names}): put `live: true` into its file and apply it"
            )
        case several:
            ids = ", ".join(live.assistant_id for live in several)
            raise NoLiveAssistant(
                f"{len(several)} live assistants are called {name} ({ids}): leave `live` to one of them"
            )


def _live(row: Mapping[str, Any]) -> LiveAssistant:
    metadata, name = row.get("metadata") or {}, str(row.get("name") or "")
    marked = metadata.get("managed_by") == "stationmaster"
    return LiveAssistant(
        own=marked and str(row["assistant_id"]) == str(uuid5(OWN_IDS, name)),
        assistant_id=str(row["assistant_id"]),
        name=name,
        graph=str(row["graph_id"]),
        version=int(row.get("version") or 1),
    )
