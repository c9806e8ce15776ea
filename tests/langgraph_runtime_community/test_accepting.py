"""What a request says is told to its own run alone, once, and is judged again when the request is tried again."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from langgraph_runtime_community.lease import LEASE, Lease
from langgraph_runtime_community.ops.keys import KEYED
from langgraph_runtime_community.ops.slots import SLOT, Slot
from langgraph_runtime_community.queue import RUN, Queue
from langgraph_runtime_community.work import BENCH
from tests.fakes.community_server import CommunityServer
from tests.langgraph_runtime_community.test_conditions import asking, condition
from tests.langgraph_runtime_community.world import World, key


@pytest.fixture
def world(served_database: str) -> World:
    return World(served_database)


async def test_the_key_of_a_request_is_not_that_of_what_its_run_starts(
    client: LangGraphClient, community: CommunityServer, world: World
) -> None:
    """The run is claimed in the request that makes it, and begins there."""
    name, thread = key(), (await client.threads.create())["thread_id"]
    body = {"assistant_id": "calls", "input": {"key": name, "done": []}}
    async with httpx.AsyncClient(base_url=community.url, timeout=60, trust_env=False) as http:
        made = await http.post(f"/threads/{thread}/runs", json=body, headers={"idempotency-key": key()})
    assert await world.ended(made.json()["run_id"]) == "success"
    assert "started" in world.effects(name)


class Recording(Queue):
    """A queue whose workers note what they find around them."""

    found: list[tuple[Any, ...]]

    async def _work(self, lease: Lease) -> None:
        self.found.append((KEYED.get(), SLOT.get(), LEASE.get()))


async def test_a_worker_begins_with_nothing_of_the_request_that_made_its_run(stock_config: None) -> None:
    queue, row = Recording(1), dict.fromkeys(RUN, None)
    queue.found = []
    run: dict[str, Any] = {
        **row, "run_id": uuid4(), "thread_id": uuid4(), "kwargs": {}, "epoch": 1, "attempt": 1, "stream_base": 1,
        "watched": False, "origin": None, "cancel": None, "cancel_reason": None, "spares": False,
        "trouble": None,
    }  # fmt: skip
    lease = Lease(uuid4(), uuid4(), 1, 1, 1, {}, None)
    tokens = LEASE.set(lease), SLOT.set(Slot(UUID(int=1), datetime.now(UTC)))
    try:
        queue.bench.begin(run)
        queue.bench.begin({**run, "run_id": uuid4()})
    finally:
        LEASE.reset(tokens[0])
        SLOT.reset(tokens[1])
    await queue.drain(1)
    assert queue.found == [(None, None, None)] * 2
    assert BENCH.get() is None


async def test_a_condition_holds_for_the_second_try_of_a_request_too(
    client: LangGraphClient, world: World
) -> None:
    """The first is undone by the database, as by a deadlock; how the second came to its row is kept in it."""
    thread, name, shown = await asking(client)
    world.change("CREATE SEQUENCE tries")
    world.change("""
        CREATE FUNCTION undo_first() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE context text;
        BEGIN
            IF NEW.metadata ? 'undone' THEN
                IF nextval('tries') = 1 THEN
                    RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01';
                END IF;
                GET DIAGNOSTICS context = PG_CONTEXT;
                NEW.langsmith_session_name := context;
            END IF;
            RETURN NEW;
        END $$
    """)
    world.change(
        "CREATE TRIGGER undo_first BEFORE INSERT ON server.runs FOR EACH ROW EXECUTE FUNCTION undo_first()"
    )
    metadata = {"undone": 1, "stationmaster_refuse_input": True, **condition(shown)}
    command: Any = {"resume": {shown["id"]: "yes"}}
    try:
        run = await client.runs.create(thread, "plain", command=command, metadata=metadata)
    finally:
        world.change("DROP TRIGGER undo_first ON server.runs")
    assert "accept_guarded" in world.run(run["run_id"])["langsmith_session_name"]
    await world.ended(run["run_id"])
    assert world.effects(name) == ["answered"]


async def test_a_run_put_off_into_the_past_goes_ahead_of_nobody(
    client: LangGraphClient, world: World
) -> None:
    thread = (await client.threads.create())["thread_id"]
    steps: Any = {"key": key(), "slow": 1, "seconds": 0.5}
    runs = [await client.runs.create(thread, "steps", input=steps)]
    quick: Any = {"key": key(), "slow": 0}
    runs += [
        await client.runs.create(thread, "steps", input=quick, after_seconds=after) for after in (0, -3600)
    ]
    made = [run["run_id"] for run in runs]
    for run in made:
        assert await world.ended(run) == "success"
    rows = world.ask("SELECT run_id FROM server.runs WHERE thread_id = %s ORDER BY stream_base", thread)
    assert [str(row["run_id"]) for row in rows] == made


async def test_a_run_is_put_off_by_ten_years_at_most(
    community: CommunityServer, client: LangGraphClient
) -> None:
    thread = (await client.threads.create())["thread_id"]
    body = {"assistant_id": "steps", "input": {}, "after_seconds": 1e300}
    async with httpx.AsyncClient(base_url=community.url, timeout=60, trust_env=False) as http:
        refused = await http.post(f"/threads/{thread}/runs", json=body)
    assert refused.status_code == 422 and "after_seconds" in refused.text


async def test_a_client_does_not_say_which_version_its_run_has(client: LangGraphClient, world: World) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(
        thread, "fan", input={"key": key(), "fails": ""}, metadata={"assistant_version": 999}
    )
    row = world.run(run["run_id"])
    assert row["metadata"]["assistant_version"] == row["assistant_version"] == 1
    await world.ended(run["run_id"])
