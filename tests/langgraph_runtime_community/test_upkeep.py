"""Upkeep beside the real server: what it may not delete, webhooks sent after all, and a database that comes back."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from stationmaster.postgres.dumping import backup, restore
from stationmaster.upkeep import dead_webhooks
from stationmaster.upkeep.database import opened
from stationmaster.upkeep.pruning import Rule, prune
from tests.conftest import clone
from tests.fakes.community_server import CommunityServer
from tests.langgraph_runtime_community.test_hooks import Receiver
from tests.langgraph_runtime_community.world import World, key


@pytest.fixture
def world(served_database: str) -> World:
    return World(served_database)


async def paused(client: Any, seconds: float = 0) -> tuple[str, str]:
    """A thread that waits for an answer, and the key of its effects."""
    thread, name = (await client.threads.create())["thread_id"], key()
    await client.runs.wait(thread, "gates", input={"key": name, "seconds": seconds})
    return thread, name


async def answer(client: Any, thread: str, value: Any) -> Any:
    """Answer the question of a thread."""
    (question,) = (await client.threads.get_state(thread))["interrupts"]
    return await client.runs.wait(thread, "gates", command={"resume": {question["id"]: value}})


async def test_a_year_old_question_can_be_answered_after_a_prune(
    client: Any, world: World, tmp_path: Path
) -> None:
    asks, _ = await paused(client)
    talked = (await client.threads.create(metadata={"keep": True}))["thread_id"]
    done = (await client.threads.create())["thread_id"]
    for thread in (talked, done):
        await client.runs.wait(thread, "steps", input={"key": key(), "slow": 0})
    # The row has been left behind: it says that nobody is asked.
    world.change(
        "UPDATE server.threads SET status = 'idle', settled = 'idle', interrupts = '{}' WHERE thread_id = %s",
        asks,
    )
    world.change(
        "UPDATE server.threads SET updated_at = now() - interval '1 year', "
        "state_updated_at = now() - interval '1 year' WHERE thread_id = ANY (%s::uuid[])",
        [asks, talked, done],
    )
    async with opened(world.uri) as conn:
        result = await prune(conn, Rule(30, tmp_path))
    assert result is not None and (result.deleted, result.trimmed, result.exported) == (1, 1, 1)
    assert not world.checkpoints(done) and len(world.checkpoints(talked)) == 1
    assert (await answer(client, asks, "yes"))["first"] == "yes"
    assert (await answer(client, asks, "again"))["second"] == "again"
    values: Any = await client.runs.wait(talked, "steps", input={"key": key(), "slow": 0})
    assert len(values["done"]) == 20


async def test_a_time_to_live_spares_a_question_and_a_run_that_comes_in_between(
    runtime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from langgraph_runtime_community.ops import pruning

    world, (asks, runs, goes) = World(runtime), (str(uuid4()) for _ in range(3))
    for thread in (asks, runs, goes):
        world.change(
            "INSERT INTO server.threads (thread_id, ttl_strategy, ttl_minutes, expires_at) "
            "VALUES (%s, 'delete', 1, now() - interval '1 hour')",
            thread,
        )
    world.change(
        "INSERT INTO checkpoints (thread_id, checkpoint_id, checkpoint, metadata) VALUES (%s, '1', '{}', '{}')",
        asks,
    )
    world.change(  # the thread's row does not tell
        "INSERT INTO checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, blob) "
        "VALUES (%s, '1', 't', -3, '__interrupt__', '')",
        asks,
    )
    fetch = pruning.database.fetch

    async def with_a_run_meanwhile(*arguments: Any) -> Any:
        found = await fetch(*arguments)
        world.change("UPDATE server.threads SET status = 'busy' WHERE thread_id = %s", runs)
        return found

    monkeypatch.setattr(pruning.database, "fetch", with_a_run_meanwhile)
    assert await pruning.sweep(10) == 1
    left = {str(row["thread_id"]) for row in world.ask("SELECT thread_id FROM server.threads")}
    assert left == {asks, runs}


async def test_a_webhook_that_was_given_up_is_sent_after_all(client: Any, world: World) -> None:
    receiver = Receiver()
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "fan", input={"key": key(), "fails": "none"}, webhook=receiver.url)
    tried = "SELECT hook_id FROM server.outbox WHERE run_id = %s AND last_error IS NOT NULL"
    (row,) = await world.until(lambda: world.ask(tried, run["run_id"]), "a try while nobody listens")
    given_up = (
        "UPDATE server.outbox SET dead_at = now(), created_at = now() - interval '2 days' WHERE run_id = %s"
    )
    world.change(given_up, run["run_id"])
    async with opened(world.uri) as conn:
        count, listed = await dead_webhooks.dead(conn, 1000)
        (own,) = [
            hook for hook in listed if hook["hook_id"] == row["hook_id"]
        ]  # others' tests share the server
        assert count == len(listed) and own["status"] == "success"
        async with receiver.listening():
            await dead_webhooks.replay(conn, [row["hook_id"]])
            (hook,) = await receiver.of(run["run_id"])
    assert hook["thread_id"] == thread
    assert receiver.got[0][0]["webhook-id"] == str(row["hook_id"])


async def test_a_restored_database_resumes_its_paused_threads(
    client: Any, world: World, server: str, tmp_path: Path
) -> None:
    thread, name = await paused(client)
    under_way, other = (await client.threads.create())["thread_id"], key()
    run = await client.runs.create(under_way, "steps", input={"key": other, "slow": 5, "seconds": 3.0})
    await world.until(lambda: world.saved_step(under_way) >= 4, "four steps are saved")
    await backup(world.uri, tmp_path / "all.dump")  # beside the server, in the middle of a run
    assert (await answer(client, thread, "lost"))["first"] == "lost"  # after the backup: not in it
    for uri in clone(server, "template0", "restored"):
        assert (await restore(uri, tmp_path / "all.dump")).before is None
        again, here = CommunityServer(tmp_path / "again", database=uri, env={"LEDGER_URI": uri}), World(uri)
        await again.start()
        try:
            async with again.sdk() as restored:
                assert (await restored.threads.get(thread))["status"] == "interrupted"
                assert (await answer(restored, thread, "kept"))["first"] == "kept"
                assert (await answer(restored, thread, "end"))["second"] == "end"
                # The run that was under way has no worker there: it is picked up where its last step was saved.
                assert await here.ended(run["run_id"]) == "success"
                values: Any = (await restored.threads.get_state(under_way))["values"]
                assert values["done"] == list(range(1, 11))
            assert here.effects(name) == ["working"]
        finally:
            await asyncio.to_thread(again.stop_blocking, 9)
    assert await world.ended(run["run_id"]) == "success"
