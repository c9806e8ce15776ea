"""With `encryption` in langgraph.json nothing that callers or graphs say is readable in any table; all of it works."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError

from stationmaster.reviews.model import digest_of
from tests.conftest import clone
from tests.fakes.community_server import PROJECT, CommunityServer
from tests.langgraph_runtime_community.test_attempts import HAND_BACK
from tests.langgraph_runtime_community.world import World

SECRET = "xyzzy"
SEALED = PROJECT.parent / "sealed" / "langgraph.json"
UNSEALED = {"LANGGRAPH_ENCRYPTION": ""}
TABLES = """SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
WHERE table_schema IN ('server', 'public') AND table_type = 'BASE TABLE'"""


@pytest.fixture(scope="module")
def sealed(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommunityServer]:
    for uri in clone(server, "template0", "sealed"):
        served = CommunityServer(tmp_path_factory.mktemp("sealed"), database=uri, config=SEALED)
        served.start_blocking()
        yield served
        served.stop_blocking(9)


@pytest.fixture
async def ann(sealed: CommunityServer) -> AsyncIterator[LangGraphClient]:
    async with sealed.sdk(headers={"x-user": "ann"}) as client:
        yield client


def found(uri: str, text: str) -> list[str]:
    """Every row, of any table, in which the text is readable: as text, in bytes, or in base64 of bytes."""
    world = World(uri)
    rows = [
        f"{table['name']}: {row['row']}"
        for table in world.ask(TABLES)
        for row in world.ask(f"SELECT t::text AS row FROM {table['name']} t")
    ]
    hidden = text.encode().hex()
    return [row for row in rows if text in row or hidden in row.lower()]


@asynccontextmanager
async def receiver() -> AsyncIterator[tuple[str, asyncio.Queue[bytes]]]:
    """A place for webhooks: its URL, and the requests as they came."""
    got = asyncio.Queue[bytes]()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length")
        )
        await got.put(await reader.readexactly(length))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook", got


async def paused(client: LangGraphClient, **given: Any) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """A thread with secrets everywhere that waits for an answer; the run, and the question."""
    assistant = await client.assistants.create(
        "sealed", context={"word": SECRET}, metadata={"label": SECRET}, name=f"n-{uuid4()}"
    )
    thread = (await client.threads.create(metadata={"label": SECRET}))["thread_id"]
    run = await client.runs.create(
        thread, assistant["assistant_id"], input={"word": SECRET, "messages": [SECRET]},
        metadata={"why": SECRET}, stream_resumable=True, stream_mode=["values", "updates"], **given,
    )  # fmt: skip
    await client.runs.join(thread, run["run_id"])
    state: Any = await client.threads.get_state(thread)
    return thread, dict(run), state["interrupts"][0]


async def test_a_conversation_works_and_leaves_nothing_readable(
    sealed: CommunityServer, ann: LangGraphClient
) -> None:
    async with receiver() as (url, hooks):
        thread, run, question = await paused(ann, webhook=url)
        assert question["value"] == {"about": SECRET}
        assert SECRET.encode() in await asyncio.wait_for(hooks.get(), 20)
    assert run["metadata"]["why"] == SECRET and run["kwargs"]["context"] == {"word": SECRET}
    events = [part async for part in ann.runs.join_stream(thread, run["run_id"], last_event_id="-")]
    assert any(SECRET in str(part.data) for part in events)
    row: Any = await ann.threads.get(thread)
    assert row["values"]["word"] == SECRET and row["metadata"]["label"] == SECRET
    assert [one["value"] for several in row["interrupts"].values() for one in several] == [{"about": SECRET}]
    (listed,) = await ann.threads.search(ids=[thread])
    assert listed["values"] == row["values"] and listed["interrupts"] == row["interrupts"]
    await ann.crons.create("sealed", schedule="0 3 1 1 *", input={"word": SECRET}, metadata={"m": SECRET})
    (cron,) = await ann.crons.search()
    assert cron["payload"]["input"] == {"word": SECRET}
    assert found(sealed.database, SECRET) == []
    await ann.runs.wait(thread, run["assistant_id"], command={"resume": {question["id"]: f"yes {SECRET}"}})
    state: Any = await ann.threads.get_state(thread)
    assert state["values"]["word"] == f"{SECRET} {SECRET} yes {SECRET}" and state["values"]["count"] == 1
    history: Any = await ann.threads.get_history(thread, limit=20)
    assert history[-1]["metadata"]["source"] == "input" and history[-1]["metadata"]["why"] == SECRET
    assert history[0]["metadata"]["label"] == SECRET and found(sealed.database, thread)
    assert found(sealed.database, SECRET) == []


async def test_the_store_of_graph_and_api_is_one(sealed: CommunityServer, ann: LangGraphClient) -> None:
    _, run, _ = await paused(ann, webhook="http://127.0.0.1:9/nobody-listens")
    assert World(sealed.database).ask("SELECT 1 FROM server.outbox WHERE run_id = %s", run["run_id"])
    item: Any = await ann.store.get_item(["notes"], "last")
    assert item["value"] == {"text": SECRET}
    await ann.store.put_item(["notes"], "mine", {"text": f"{SECRET} again"})
    hits: Any = await ann.store.search_items(["notes"], query=SECRET)
    assert {hit["value"]["text"] for hit in hits["items"]} == {SECRET, f"{SECRET} again"}
    assert all(hit["score"] is not None for hit in hits["items"])
    assert found(sealed.database, SECRET) == []


async def test_a_failure_a_change_of_state_and_a_copy_are_sealed_as_well(
    sealed: CommunityServer, ann: LangGraphClient
) -> None:
    thread = (await ann.threads.create())["thread_id"]
    run = await ann.runs.create(thread, "sealed", input={"word": f"bad {SECRET}", "messages": []})
    await ann.runs.join(thread, run["run_id"])
    row: Any = await ann.threads.get(thread)
    assert row["status"] == "error" and SECRET in row["error"]["message"]
    await ann.threads.update_state(thread, {"word": f"better {SECRET}"}, as_node="note")
    copied: Any = await ann.threads.copy(thread)
    state: Any = await ann.threads.get_state(copied["thread_id"])
    assert state["values"]["word"] == f"better {SECRET}"
    await ann.runs.wait(copied["thread_id"], "sealed", input=None)
    asked: Any = await ann.threads.get_state(copied["thread_id"])
    assert asked["interrupts"][0]["value"] == {"about": f"better {SECRET}"}
    assert found(sealed.database, SECRET) == []


async def test_conditions_and_signatures_are_understood(
    sealed: CommunityServer, ann: LangGraphClient
) -> None:
    thread, run, question = await paused(ann)
    condition = {"interrupt_id": question["id"], "digest": digest_of(question["value"], None)}
    with pytest.raises(ConflictError, match=question["id"]):
        await ann.runs.create(
            thread,
            "sealed",
            input={"word": "new", "messages": []},
            metadata={"stationmaster_refuse_input": True},
        )
    wrong = {"stationmaster_only_if": {**condition, "digest": "0" * 64}}
    with pytest.raises(ConflictError, match="waits for an answer"):
        await ann.runs.create(thread, "sealed", command={"resume": {question["id"]: 1}}, metadata=wrong)
    right = {"stationmaster_only_if": condition}
    taken = await ann.runs.create(
        thread, run["assistant_id"], command={"resume": {question["id"]: "yes"}}, metadata=right
    )
    await ann.runs.join(thread, taken["run_id"])
    state: Any = await ann.threads.get_state(thread)
    assert state["values"]["answer"] == "yes"
    known = run["assistant_id"]
    said = {"stationmaster_expected_version": 7, "stationmaster_author": "ann"}
    with pytest.raises(ConflictError, match="version 7"):
        await ann.assistants.update(known, metadata=said)
    await ann.assistants.update(known, metadata={**said, "stationmaster_expected_version": 1, "more": SECRET})
    (newest, _) = await ann.assistants.get_versions(known)
    assert newest["metadata"]["label"] == SECRET and newest["metadata"]["more"] == SECRET  # pyright: ignore[reportOptionalSubscript]
    assert found(sealed.database, SECRET) == []


async def test_each_has_a_key_of_its_own(sealed: CommunityServer, ann: LangGraphClient) -> None:
    """The worker seals with the context of the request that made the run: another key opens nothing."""
    await paused(ann)
    async with sealed.sdk(headers={"x-user": "bob"}) as bob:
        thread, _, question = await paused(bob)
        assert question["value"] == {"about": SECRET}
    rows = World(sealed.database).ask(
        "SELECT metadata -> '__encryption_context__' ->> 'tenant' AS tenant FROM checkpoints WHERE thread_id = %s",
        thread,
    )
    assert {row["tenant"] for row in rows} == {"bob"}


async def test_a_key_that_would_go_unheeded_stops_the_start(tmp_path: Any, empty_database: str) -> None:
    env = {"LANGGRAPH_AES_KEY": "0123456789abcdef"}
    served = CommunityServer(tmp_path / "server", database=empty_database, env=env)
    process = served.spawn()
    assert await asyncio.to_thread(process.wait, 60) != 0
    assert "LANGGRAPH_AES_KEY is not supported" in served.log


async def test_what_was_there_before_goes_on_and_is_sealed_from_then_on(
    sealed: CommunityServer, ann: LangGraphClient, tmp_path: Any
) -> None:
    """Values that stood in the checkpoint itself have to become blobs, also those that no step writes any more."""
    word = f"readable-{uuid4()}"
    plain = CommunityServer(tmp_path / "server", database=sealed.database, config=SEALED, env=UNSEALED)
    plain.start_blocking()
    try:
        async with plain.sdk(headers={"x-user": "ann"}) as before:
            thread = (await before.threads.create())["thread_id"]
            await before.runs.wait(thread, "sealed", input={"word": word, "messages": [], "count": 5})
    finally:
        plain.kill_blocking()
    assert found(sealed.database, word)
    state: Any = await ann.threads.get_state(thread)
    assert state["values"]["count"] == 1
    resume: Any = {"resume": {state["interrupts"][0]["id"]: word}}
    await ann.runs.wait(thread, "sealed", command=resume)
    after: Any = await ann.threads.get_state(thread)
    assert after["values"]["count"] == 1 and after["values"]["answer"] == word
    newest = "SELECT checkpoint::text AS kept FROM checkpoints WHERE thread_id = %s ORDER BY checkpoint_id DESC LIMIT 1"
    assert word not in World(sealed.database).ask(newest, thread)[0]["kept"]


async def test_an_answer_that_still_waits_is_given_again_by_the_next_attempt(
    sealed: CommunityServer, ann: LangGraphClient
) -> None:
    """It is sealed where the queue looks at it; what was taken and asked anew must not be answered by it."""
    world, thread = World(sealed.database), (await ann.threads.create())["thread_id"]
    await ann.runs.wait(thread, "pair", input={"seconds": 0.0})
    await ann.threads.update_state(thread, {"seconds": 1.0}, as_node="__start__")
    await ann.runs.wait(thread, "pair", input=None)
    state: Any = await ann.threads.get_state(thread)
    asked = {question["value"]: question["id"] for question in state["interrupts"]}
    command: Any = {"resume": {asked["quick?"]: f"quick {SECRET}", asked["slow?"]: f"slow {SECRET}"}}
    run = (await ann.runs.create(thread, "pair", command=command))["run_id"]
    taken = "SELECT 1 FROM checkpoint_writes WHERE run_id = %s AND channel = '__interrupt__'"
    await world.until(lambda: world.ask(taken, run), "the quick one has asked again")
    world.ask(HAND_BACK, run)
    assert await world.ended(run) == "success"
    assert world.run(run)["epoch"] == 2
    after: Any = await ann.threads.get_state(thread)
    assert [question["value"] for question in after["interrupts"]] == ["quick again?"]
    await ann.runs.wait(thread, "pair", command={"resume": "at last"})
    done: Any = (await ann.threads.get_state(thread))["values"]
    assert done["quick"] == [f"quick {SECRET}", "at last"] and done["slow"] == f"slow {SECRET}"
    assert found(sealed.database, SECRET) == []


async def test_without_the_handlers_nothing_is_given_away(
    sealed: CommunityServer, ann: LangGraphClient, tmp_path: Any
) -> None:
    thread, _, _ = await paused(ann)
    other = CommunityServer(tmp_path / "server", database=sealed.database, config=SEALED, env=UNSEALED)
    other.start_blocking()
    try:
        async with httpx.AsyncClient(base_url=other.url, headers={"x-user": "ann"}) as http:
            row = f"/threads/{thread}"
            for path in (row, f"{row}/state", f"{row}/history"):
                answer = await http.get(path)
                assert SECRET not in answer.text and (answer.status_code == 500) == (path != row)
            resumed = await http.post(
                f"{row}/runs/wait", json={"assistant_id": "sealed", "command": {"resume": 1}}
            )
            assert "encrypted data" in resumed.text
    finally:
        other.kill_blocking()
