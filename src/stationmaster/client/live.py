"""Which assistant a client app speaks to: the live one of a name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langgraph_sdk.client import LangGraphClient

from stationmaster.client.errors import NoLiveAssistant

PAGE = 100


@dataclass(frozen=True)
class LiveAssistant:
    """An assistant that client apps use. The id stays the same when another version is promoted."""

    assistant_id: str
    name: str
    graph: str
    version: int


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
    """The live assistant called `name`. NoLiveAssistant says which ones there are.

    Resolve once, when the app starts: promoting and rolling back change the assistant's version, not its id, and a
    canary is decided by the server, run by run.
    """
    there = await live_assistants(client)
    match [live for live in there if live.name == name]:
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
    return LiveAssistant(
        assistant_id=str(row["assistant_id"]),
        name=str(row.get("name") or ""),
        graph=str(row["graph_id"]),
        version=int(row.get("version") or 1),
    )
