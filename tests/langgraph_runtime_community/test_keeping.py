"""What is kept, what is removed, and that nothing is left of what is removed."""

import asyncio
from typing import Any

import pytest

from tests.langgraph_runtime_community.world import World, key

TABLES = {
    "server.threads": "thread_id::text", "server.runs": "thread_id::text", "server.events": "thread_id::text",
    "server.crons": "thread_id::text", "checkpoints": "thread_id", "checkpoint_blobs": "thread_id",
    "checkpoint_writes": "thread_id", "server.outbox": "thread_id::text", "server.run_keys": "thread_id::text",
    "server.replaced_writes": "thread_id",
}  # fmt: skip

RUN_OUT = {"server.listeners"}
"""Marks that run out by themselves within two minutes, and say nothing of a thread."""


@pytest.fixture
def world(served_database: str) -> World:
    return World(served_database)


def rows(world: World, thread: str) -> dict[str, int]:
    """How many rows there are of a thread, by table."""
    return {
        table: world.ask(f"SELECT count(*) AS n FROM {table} WHERE {column} = %s", thread)[0]["n"]
        for table, column in TABLES.items()
    }


async def waiting(client: Any) -> str:
    """A thread with a question, a cron, kept events, an idempotency key, and a webhook that nobody takes."""
    thread = (await client.threads.create())["thread_id"]
    body = {"key": key(), "question": ["q"]}
    events = client.runs.stream(
        thread, "plain", input=body, stream_resumable=True, webhook="http://127.0.0.1:9/gone",
        headers={"idempotency-key": key()},
    )  # fmt: skip
    async for _ in events:
        pass
    await client.crons.create_for_thread(thread, "plain", schedule="0 0 1 1 *", input=body)
    return thread


async def test_a_deleted_thread_leaves_no_row_of_any_kind(client: Any, world: World) -> None:
    thread = await waiting(client)
    await client.runs.wait(thread, "plain", input=None)  # asks again, in the place of the first question
    assert all(rows(world, thread).values()), rows(world, thread)
    await client.threads.delete(thread)
    assert not any(rows(world, thread).values())


def test_every_table_with_threads_is_looked_at(world: World) -> None:
    found = world.ask(
        "SELECT table_schema || '.' || table_name AS name FROM information_schema.columns "
        "WHERE column_name = 'thread_id' AND table_schema IN ('server', 'public')"
    )
    assert {row["name"].removeprefix("public.") for row in found} - RUN_OUT == set(TABLES)


async def test_a_time_to_live_is_shown(client: Any) -> None:
    thread = (await client.threads.create(ttl={"strategy": "delete", "ttl": 60}))["thread_id"]
    shown = (await client.threads.get(thread, include=["ttl"]))["ttl"]
    assert shown["strategy"] == "delete" and shown["ttl_minutes"] == 60


async def test_keep_latest_leaves_the_newest_state_and_it_goes_on(client: Any, world: World) -> None:
    thread = (await client.threads.create())["thread_id"]
    for _ in range(2):
        await client.runs.wait(thread, "steps", input={"key": key(), "slow": 0})
    before = await client.threads.get_state(thread)
    assert (await client.threads.prune([thread], strategy="keep_latest"))["pruned_count"] == 1
    assert len(world.checkpoints(thread)) == 1
    after = await client.threads.get_state(thread)
    assert after["values"] == before["values"]
    values: Any = await client.runs.wait(thread, "steps", input={"key": key(), "slow": 0})
    assert len(values["done"]) == 30


async def test_a_pruned_question_can_still_be_answered(client: Any) -> None:
    thread = await waiting(client)
    await client.threads.prune([thread], strategy="keep_latest")
    (question,) = (await client.threads.get_state(thread))["interrupts"]
    values: Any = await client.runs.wait(thread, "plain", command={"resume": {question["id"]: "yes"}})
    assert values["answer"] == "yes"


async def test_a_cancelled_answer_in_the_queue_leaves_the_thread_waiting(client: Any) -> None:
    """In the in-memory runtime its row reads `idle` afterwards, although the question is still pending."""
    thread = await waiting(client)
    run = await client.runs.create(thread, "plain", command={"resume": {"0" * 32: "no"}}, after_seconds=3600)
    assert (await client.threads.get(thread))["status"] == "busy"
    await client.runs.cancel(thread, run["run_id"])
    row = await client.threads.get(thread)
    assert row["status"] == "interrupted" and row["interrupts"]


async def test_the_store_finds_by_meaning_and_forgets_in_time(client: Any, world: World) -> None:
    root = key()
    for name, text in {"first": "aaaa", "second": "bbbb", "third": "aabb"}.items():
        await client.store.put_item([root], name, {"text": text})
    found = (await client.store.search_items([root], query="a a a", limit=3))["items"]
    assert [item["key"] for item in found] == ["first", "third", "second"]
    assert found[0]["score"] > found[1]["score"] > found[2]["score"]
    # The API says "no time to live" where a client says nothing; a graph that says nothing gets the project's.
    await client.runs.wait(None, "talk", input={"messages": ["hi"]})
    (kept,) = world.ask("SELECT ttl_minutes, expires_at FROM store WHERE prefix = 'talks' AND key = 'last'")
    assert kept["ttl_minutes"] == 60 and kept["expires_at"] is not None


async def test_storage_is_told_by_table_and_channel(client: Any, community: Any) -> None:
    import httpx

    thread = await waiting(client)
    told = await asyncio.to_thread(httpx.get, f"{community.url}/threads/{thread}/storage", trust_env=False)
    assert told.status_code == 200 and told.json()["total_bytes"] > 0
