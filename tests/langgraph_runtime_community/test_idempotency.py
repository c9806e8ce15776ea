"""The same key and request make one run: at once, later, on another process, after a restart."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fakes.community_server import CommunityServer
from tests.langgraph_runtime_community.world import World, key

HEADER = "idempotency-key"


async def post(
    server: CommunityServer, path: str, body: dict[str, Any], name: str, **headers: str
) -> httpx.Response:
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        return await http.post(path, json=body, headers={HEADER: name, **headers})


async def new_thread(server: CommunityServer) -> str:
    async with server.sdk() as client:
        return (await client.threads.create())["thread_id"]


def asked(name: str, **more: Any) -> dict[str, Any]:
    return {"assistant_id": "plain", "input": {"key": name, "question": "q"}, **more}


async def test_a_repetition_is_the_same_run(community: CommunityServer, served_database: str) -> None:
    thread, name = await new_thread(community), key()
    path = f"/threads/{thread}/runs"
    # `reject` is the strategy of all: a second run beside the first would be a conflict.
    answers = await asyncio.gather(*(post(community, path, asked(name), name) for _ in range(5)))
    assert {answer.status_code for answer in answers} == {200}, [answer.text for answer in answers]
    assert len({answer.json()["run_id"] for answer in answers}) == 1
    assert sum(answer.headers.get("idempotent-replayed") == "true" for answer in answers) == 4
    run_id = answers[0].json()["run_id"]
    assert all(answer.headers["content-location"] == f"{path}/{run_id}" for answer in answers)
    other = await post(community, path, asked(name, metadata={"x": 1}), name)
    assert other.status_code == 409 and "another request" in other.text
    await World(served_database).ended(run_id)
    assert (await post(community, path, asked(name), name)).json()["run_id"] == run_id


async def test_waiting_again_joins_the_run(community: CommunityServer) -> None:
    thread, name = await new_thread(community), key()
    path = f"/threads/{thread}/runs/wait"
    first, again = [await post(community, path, asked(name), name) for _ in range(2)]
    # A join says of a thread that waits what it waits with, not all of its values.
    assert again.json()["__interrupt__"][0]["id"] == first.json()["__interrupt__"][0]["id"]
    assert (first.headers["content-location"], None) == (
        again.headers["content-location"], first.headers.get("idempotent-replayed"),
    )  # fmt: skip


async def test_a_repeated_stream_joins_the_run(community: CommunityServer) -> None:
    thread, name = await new_thread(community), key()
    path = f"/threads/{thread}/runs/stream"
    body = asked(name, stream_mode="values", stream_resumable=True)
    first, again = [await post(community, path, body, name) for _ in range(2)]
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.headers["content-location"] == first.headers["content-location"]
    assert '"question":"q"' in first.text.replace(" ", "")
    lines = [[line for line in each.text.splitlines() if ":" in line] for each in (first, again)]
    assert lines[0] == lines[1]
    async with community.sdk() as client:
        assert len(await client.runs.list(thread)) == 1


async def test_a_repeated_answer_is_taken_once(community: CommunityServer, served_database: str) -> None:
    """With a condition that the first one made untrue."""
    thread, name = await new_thread(community), key()
    await post(community, f"/threads/{thread}/runs/wait", asked(name), key())
    async with community.sdk() as client:
        state: Any = await client.threads.get_state(thread)
    from stationmaster.reviews.model import digest_of

    shown = state["tasks"][0]["interrupts"][0]
    only_if = {"interrupt_id": shown["id"], "digest": digest_of(shown["value"], None)}
    body = {
        "assistant_id": "plain", "command": {"resume": {shown["id"]: "yes"}},
        "metadata": {"stationmaster_only_if": only_if},
    }  # fmt: skip
    first, again = [await post(community, f"/threads/{thread}/runs", body, name) for _ in range(2)]
    assert again.json()["run_id"] == first.json()["run_id"]
    await World(served_database).ended(first.json()["run_id"])
    assert World(served_database).effects(name) == ["answered"]


async def test_a_run_that_went_with_its_thread_is_not_done_again(
    community: CommunityServer, served_database: str
) -> None:
    name = key()
    body = {"assistant_id": "steps", "input": {"key": name, "steps": 1}}
    first = await post(community, "/runs/wait", body, name)
    assert first.status_code == 200
    assert await World(served_database).ended(first.headers["content-location"].rpartition("/")[2]) == "gone"
    again = await post(community, "/runs/wait", body, name)
    assert again.status_code == 409 and "nothing was done again" in again.text


async def test_keys_of_others_are_others(community: CommunityServer) -> None:
    name = key()
    body = asked(name, if_not_exists="create")
    made = [
        await post(community, f"/threads/{key()}/runs", body, name, **{"x-user": user})
        for user in ("ann", "ben")
    ]
    assert made[0].json()["run_id"] != made[1].json()["run_id"]


async def test_a_request_that_made_no_run_leaves_its_key_free(community: CommunityServer) -> None:
    name = key()
    path = f"/threads/{key()}/runs"
    assert (await post(community, path, asked(name), name)).status_code == 404
    made = await post(community, path, asked(name, if_not_exists="create"), name)
    assert made.status_code == 200


@pytest.mark.parametrize(("path", "name"), [("/runs/batch", "k"), ("/runs", "k" * 256), ("/runs", "")])
async def test_keys_that_can_not_be_kept_are_refused(
    community: CommunityServer, path: str, name: str
) -> None:
    refused = await post(community, path, asked(name), name)
    assert refused.status_code == 422 and "Idempotency-Key" in refused.json()["detail"]


async def test_what_the_server_offers_is_said(community: CommunityServer) -> None:
    async with httpx.AsyncClient(base_url=community.url) as http:
        said = (await http.get("/info")).headers["x-stationmaster-offers"]
    assert said == "conditional-resume, idempotency-key, assistant-signatures"


@pytest.mark.slow
async def test_another_process_knows_it_also_after_the_first_is_gone(
    empty_database: str, tmp_path: Path
) -> None:
    """Two servers at once, of which one is killed and the other started anew."""
    from tests.fakes.graphs import ledger

    ledger.create(empty_database)
    env = {"LEDGER_URI": empty_database}
    servers = [CommunityServer(tmp_path / str(n), database=empty_database, env=env) for n in range(2)]
    try:
        await asyncio.gather(*(server.start() for server in servers))
        thread, name = await new_thread(servers[0]), key()
        path = f"/threads/{thread}/runs"
        answers = await asyncio.gather(*(post(server, path, asked(name), name) for server in servers * 3))
        ids = {answer.json()["run_id"] for answer in answers}
        assert len(ids) == 1 and {answer.status_code for answer in answers} == {200}
        await World(empty_database).ended(next(iter(ids)))
        for server in servers:
            server.kill_blocking()
        await servers[1].start()
        assert (await post(servers[1], path, asked(name), name)).json()["run_id"] in ids
    finally:
        for server in servers:
            server.kill_blocking()
