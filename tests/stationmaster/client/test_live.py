"""Which assistant is the live one of a name."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.client import NoLiveAssistant, live_assistants, resolve
from stationmaster.client import live as live_module
from stationmaster.reconcile import resources
from tests.agents.support.client import GRAPH

Make = Callable[..., Awaitable[str]]


@pytest.fixture
async def make(client: LangGraphClient) -> AsyncIterator[Make]:
    """Makes assistants that are gone after the test; their ids."""
    made: list[str] = []

    async def one(name: str, given_id: str = "", /, **metadata: Any) -> str:
        assistant = await client.assistants.create(
            GRAPH, name=name, metadata=metadata, assistant_id=given_id or str(uuid.uuid4())
        )
        made.append(assistant["assistant_id"])
        return made[-1]

    yield one
    for assistant_id in made:
        await client.assistants.delete(assistant_id)


async def test_the_live_one_among_others_of_the_name(client: LangGraphClient, make: Make) -> None:
    await make("kiosk")
    await make("kiosk-experimental", live=True)
    await make("kiosk", live=False)
    wanted = await make("kiosk", live=True)
    found = await resolve(client, "kiosk")
    assert (found.assistant_id, found.name, found.graph) == (wanted, "kiosk", GRAPH)


async def test_the_id_stays_and_the_version_moves(client: LangGraphClient, make: Make) -> None:
    made = await make("kiosk", live=True)
    await client.assistants.update(made, context={"tone": "brief"})
    found = await resolve(client, "kiosk")
    assert (found.assistant_id, found.version) == (made, 2)


async def test_the_names_that_are_there_are_told(client: LangGraphClient, make: Make) -> None:
    await make("kiosk", live=True)
    with pytest.raises(NoLiveAssistant, match=r"called support \(live: .*kiosk.*\): put `live: true`"):
        await resolve(client, GRAPH)  # the graph's own assistant is not marked


async def test_two_of_one_name_are_refused(client: LangGraphClient, make: Make) -> None:
    ids = {await make("kiosk", live=True), await make("kiosk", live=True)}
    with pytest.raises(NoLiveAssistant, match="2 live assistants are called kiosk") as refused:
        await resolve(client, "kiosk")
    assert all(assistant_id in str(refused.value) for assistant_id in ids)


async def test_a_copy_does_not_take_the_place_of_what_was_copied(client: LangGraphClient, make: Make) -> None:
    """Copied in Studio or by a script, with its name and its metadata."""
    marks = {"managed_by": "stationmaster", "name": "booth", "live": True}
    await make("booth", **marks)
    own = await make("booth", resources.assistant_id("booth"), **marks)
    await make("booth", **marks)
    assert (await resolve(client, "booth")).assistant_id == own


async def test_more_than_a_page(client: LangGraphClient, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "PAGE", 2)
    for number in range(5):
        await make(f"kiosk-{number}", live=True)
    names = [each.name for each in await live_assistants(client) if each.name.startswith("kiosk")]
    assert names == [f"kiosk-{number}" for number in range(5)]
