"""What the project's auth handlers let a caller see and do, by every operation."""

import asyncio
from contextlib import suppress
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk.errors import ConflictError, NotFoundError

from tests.langgraph_runtime_community.world import World


@pytest.fixture
async def ann(served: Any) -> Any:
    async with served.sdk(headers={"x-user": "ann"}) as client:
        yield client


@pytest.fixture
async def bob(served: Any) -> Any:
    async with served.sdk(headers={"x-user": "bob"}) as client:
        yield client


async def question(owner: Any) -> tuple[str, str]:
    """A thread of the owner that waits, and its run."""
    thread = (await owner.threads.create())["thread_id"]
    await owner.runs.wait(thread, "plain", input={"key": str(uuid4()), "question": "really?"})
    return thread, (await owner.runs.list(thread))[0]["run_id"]


async def test_a_thread_is_its_owners(ann: Any, bob: Any) -> None:
    thread, _ = await question(ann)
    assert (await ann.threads.get(thread))["metadata"]["owner"] == "ann"
    assert [row["thread_id"] for row in await ann.threads.search(ids=[thread])] == [thread]
    assert await bob.threads.search(ids=[thread]) == []
    assert await bob.threads.count(metadata={"graph_id": "plain"}) < await ann.threads.count(
        metadata={"graph_id": "plain"}
    )
    for call in (
        lambda: bob.threads.get(thread),
        lambda: bob.threads.get_state(thread),
        lambda: bob.threads.get_history(thread),
        lambda: bob.threads.update(thread, metadata={"x": 1}),
        lambda: bob.threads.delete(thread),
    ):
        with pytest.raises(NotFoundError):
            await call()
    with pytest.raises(ConflictError):
        await bob.threads.create(thread_id=thread, if_exists="do_nothing")
    await ann.threads.delete(thread)


async def test_a_run_is_its_threads_owners(ann: Any, bob: Any) -> None:
    thread, run = await question(ann)
    body = {"key": "k", "question": "q"}
    for call in (
        lambda: bob.runs.get(thread, run),
        lambda: bob.runs.list(thread),
        lambda: bob.runs.join(thread, run),
        lambda: bob.runs.create(thread, "plain", input=body),
        lambda: bob.runs.cancel(thread, run),
        lambda: bob.runs.delete(thread, run),
    ):
        with pytest.raises((NotFoundError, httpx.HTTPStatusError), match=r"(?i)not found|no runs found"):
            await call()
    with pytest.raises(NotFoundError):
        async for _ in bob.runs.stream(thread, "plain", input={"key": "k", "question": "q"}):
            pass
    assert len(await ann.runs.list(thread)) == 1


async def test_a_run_at_work_is_not_reached_through_a_thread_of_ones_own(
    ann: Any, bob: Any, served_database: str
) -> None:
    """Neither its events nor its end: not by joining it, nor by going away from it again."""
    world, name = World(served_database), str(uuid4())
    hers, his = [(await owner.threads.create())["thread_id"] for owner in (ann, bob)]
    body = {"key": name, "slow": 3, "seconds": 3.0}
    run = (await ann.runs.create(hers, "steps", input=body, stream_mode="values"))["run_id"]
    await world.until(lambda: "step 3" in world.effects(name), "step 3 begins")
    got: list[Any] = []
    with suppress(TimeoutError, NotFoundError, httpx.HTTPError):
        async with asyncio.timeout(1):
            async for part in bob.runs.join_stream(his, run, cancel_on_disconnect=True):
                got.append(part.data)  # noqa: PERF401  cut off in the middle
    with suppress(NotFoundError, httpx.HTTPError):
        got.append(await asyncio.wait_for(bob.runs.join(his, run), 10))
    assert name not in str(got)
    await ann.runs.join(hers, run)
    assert (await ann.runs.get(hers, run))["status"] == "success"


async def test_a_result_comes_though_the_thread_is_gone_with_its_run(ann: Any) -> None:
    """A stateless run's thread is deleted at its end, which may be before anybody waits for it."""
    said = [str(number) for number in range(100)]
    waited = [ann.runs.wait(None, "echo", input={"said": word}) for word in said]
    assert [values["said"] for values in await asyncio.gather(*waited)] == said


async def test_an_assistant_is_changed_by_its_owner_only(ann: Any, bob: Any) -> None:
    made = (await ann.assistants.create("talk", name="ann's"))["assistant_id"]
    with pytest.raises(NotFoundError):
        await bob.assistants.update(made, name="bob's")
    with pytest.raises(NotFoundError):
        await bob.assistants.delete(made)
    assert (await ann.assistants.update(made, name="mine"))["version"] == 2


async def test_a_cron_is_its_owners(ann: Any, bob: Any) -> None:
    cron = await ann.crons.create("plain", schedule="0 0 1 1 *", input={"key": "k", "question": "q"})
    found = await ann.crons.search(limit=100)
    assert cron["cron_id"] in {row["cron_id"] for row in found}
    assert cron["cron_id"] not in {row["cron_id"] for row in await bob.crons.search(limit=100)}
    with pytest.raises(NotFoundError):
        await bob.crons.update(cron["cron_id"], schedule="0 0 2 1 *")
    with pytest.raises(NotFoundError):
        await bob.crons.delete(cron["cron_id"])
    await ann.crons.delete(cron["cron_id"])


async def test_the_caller_reaches_the_graph(ann: Any) -> None:
    thread, run = await question(ann)
    row = await ann.runs.get(thread, run)
    assert row["kwargs"]["config"]["configurable"]["langgraph_auth_user_id"] == "ann"
    assert row["metadata"]["owner"] == "ann"
