"""Versions of assistants: of two writers one wins, who wrote and why is kept, paused threads may stay with theirs."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError, UnprocessableEntityError

from tests.fakes.community_server import CommunityServer
from tests.langgraph_runtime_community.world import World, key

EXPECTED, AUTHOR, REASON = (
    "stationmaster_expected_version",
    "stationmaster_author",
    "stationmaster_reason",
)
PIN = "stationmaster_pin_paused"


async def made(client: LangGraphClient, graph: str = "talk", **given: Any) -> str:
    row = await client.assistants.create(graph, name=f"a-{uuid4()}", **given)
    return row["assistant_id"]


async def versions(client: LangGraphClient, known: str) -> list[dict[str, Any]]:
    return [dict(row) for row in await client.assistants.get_versions(known)]


async def test_who_and_why_stand_on_the_version_and_nowhere_else(client: LangGraphClient) -> None:
    known = await made(client, metadata={"a": 1, AUTHOR: "ann", REASON: "a first try"})
    said = {EXPECTED: 1, AUTHOR: "bob", REASON: "warmer, says the shop"}
    after: Any = await client.assistants.update(known, context={"tone": "warm"}, metadata={"b": 2, **said})
    assert after["version"] == 2 and after["metadata"] == {"a": 1, "b": 2}
    second, first = await versions(client, known)
    assert (first["author"], first["reason"]) == ("ann", "a first try")
    assert (second["author"], second["reason"]) == ("bob", "warmer, says the shop")
    assert all("stationmaster" not in str(row["metadata"]) for row in (first, second))


async def test_the_author_is_the_caller_where_nobody_is_named(community: CommunityServer) -> None:
    async with community.sdk(headers={"x-user": "cora"}) as cora:
        known = await made(cora)
        await cora.assistants.update(known, name="other")
        assert [row["author"] for row in await versions(cora, known)] == ["cora", "cora"]


async def test_what_the_tools_note_counts_as_well(client: LangGraphClient) -> None:
    known = await made(client)
    note = {"author": "dan", "reason": "promoted", "from_version": 1}
    after: Any = await client.assistants.update(known, metadata={"change": note})
    assert after["metadata"]["change"] == note
    (second, _) = await versions(client, known)
    assert (second["author"], second["reason"]) == ("dan", "promoted")
    with pytest.raises(ConflictError, match=r"version 1 of .* was expected .* version 2 by dan is"):
        await client.assistants.update(known, metadata={"change": note})


async def test_of_many_who_replace_one_version_one_wins(client: LangGraphClient) -> None:
    known = await made(client)
    tries = [
        client.assistants.update(known, context={"tone": str(n)}, metadata={EXPECTED: 1, AUTHOR: f"w{n}"})
        for n in range(8)
    ]
    done: list[Any] = await asyncio.gather(*tries, return_exceptions=True)
    won = [n for n, result in enumerate(done) if not isinstance(result, BaseException)]
    refused = [result for result in done if isinstance(result, ConflictError)]
    assert len(won) == 1 and len(refused) == 7
    assert f"version 2 by w{won[0]} is: nothing was written" in str(refused[0])
    assert [row["version"] for row in await versions(client, known)] == [2, 1]


@pytest.mark.parametrize(
    "wrong",
    [{EXPECTED: 0}, {EXPECTED: "1"}, {EXPECTED: True}, {AUTHOR: 1}, {AUTHOR: "x" * 201}, {REASON: ["x"]}],
)
async def test_what_is_malformed_is_refused(client: LangGraphClient, wrong: dict[str, Any]) -> None:
    known = await made(client)
    with pytest.raises(UnprocessableEntityError, match="stationmaster_"):
        await client.assistants.update(known, metadata=wrong)
    assert len(await versions(client, known)) == 1


async def test_a_new_assistant_replaces_no_version(client: LangGraphClient) -> None:
    with pytest.raises(UnprocessableEntityError, match=EXPECTED):
        await made(client, metadata={EXPECTED: 1})


async def test_headers_do_for_the_change_of_the_current_version(
    client: LangGraphClient, community: CommunityServer
) -> None:
    known = await made(client, context={"tone": "dry"})
    await client.assistants.update(known, context={"tone": "warm"})
    headers = {
        "x-stationmaster-author": "eve",
        "x-stationmaster-reason": "zurück".encode(),
        "x-stationmaster-expected-version": "1",
    }
    url = f"{community.url}/assistants/{known}/latest"
    async with httpx.AsyncClient(trust_env=False) as http:
        refused = await http.post(url, json={"version": 1}, headers=headers)
        assert refused.status_code == 409 and "version 2 by nobody is" in refused.json()["detail"]
        headers["x-stationmaster-expected-version"] = "2"
        shown = await http.post(url, json={"version": 1}, headers=headers)
        assert shown.json()["version"] == 1 and shown.json()["context"] == {"tone": "dry"}
        bad = await http.post(url, json={"version": 1}, headers={"x-stationmaster-expected-version": "one"})
        assert bad.status_code == 422 and "number of a version" in bad.json()["detail"]
        patched = await http.patch(
            f"{community.url}/assistants/{known}",
            json={"name": "n"},
            headers={**headers, "x-stationmaster-expected-version": "1"},
        )
        assert patched.json()["version"] == 3
    third, _, first = await versions(client, known)
    assert (first["shown_by"], first["shown_reason"]) == ("eve", "zurück") and first["shown_at"]
    assert (third["author"], third["reason"], third["shown_by"]) == ("eve", "zurück", None)


async def asked(client: LangGraphClient, known: str) -> tuple[str, dict[str, Any]]:
    """A thread that waits under the assistant, and its question."""
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, known, input={"key": key(), "seconds": 0})
    return thread, await pending(client, thread)


async def pending(client: LangGraphClient, thread: str) -> dict[str, Any]:
    state: Any = await client.threads.get_state(thread)
    return state["interrupts"][0]


async def resume(
    client: LangGraphClient, thread: str, known: str, question: dict[str, Any]
) -> dict[str, Any]:
    """The run that answers, once it has ended."""
    run = await client.runs.create(thread, known, command={"resume": {question["id"]: "yes"}})
    await client.runs.join(thread, run["run_id"])
    return dict(await client.runs.get(thread, run["run_id"]))


@pytest.mark.parametrize("pinned", [True, False])
async def test_a_paused_thread_stays_with_its_version_if_its_assistant_says_so(
    client: LangGraphClient, served_database: str, pinned: bool
) -> None:
    known = await made(
        client, "gates", config={"recursion_limit": 41}, metadata={PIN: pinned, "colour": "red"}
    )
    thread, first = await asked(client, known)
    await client.assistants.update(known, config={"recursion_limit": 42}, metadata={"colour": "blue"})
    used, limit, colour = (1, 41, "red") if pinned else (2, 42, "blue")
    run = await resume(client, thread, known, first)
    assert run["metadata"]["assistant_version"] == used and run["metadata"]["colour"] == colour
    assert run["kwargs"]["config"]["recursion_limit"] == limit
    assert World(served_database).run(run["run_id"])["assistant_version"] == used
    # It waits again, at its second question, and so still keeps to what it began with.
    again = await resume(client, thread, known, await pending(client, thread))
    assert again["metadata"]["assistant_version"] == used
    # At its end it waits for nobody: a new beginning has the version that is current.
    await client.runs.wait(thread, known, input={"key": key(), "seconds": 0})
    (newest, *_) = await client.runs.list(thread)
    assert newest["metadata"]["assistant_version"] == 2  # pyright: ignore[reportOptionalSubscript]


async def test_the_pin_is_the_current_versions_word_and_the_assistants_own(client: LangGraphClient) -> None:
    """Switched on later it holds for what waits already; it never holds for another assistant's run."""
    known, other = await made(client, "gates"), await made(client, "gates", metadata={PIN: True})
    thread, first = await asked(client, known)
    await client.assistants.update(known, metadata={PIN: True})
    assert (await resume(client, thread, known, first))["metadata"]["assistant_version"] == 1
    await client.assistants.update(other, name="newer")
    taken_on = await resume(client, thread, other, await pending(client, thread))
    assert taken_on["metadata"]["assistant_version"] == 2
