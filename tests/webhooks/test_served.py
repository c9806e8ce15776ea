"""A real server's hooks: every run has one, with nothing in it that should stay; a pause becomes one review."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any, cast
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import RunCreate
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stationmaster.reviews.agent_server import connect
from stationmaster.reviews.database import open_pool
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.sweep import sweep
from tests.agents.support.client import Conversation
from tests.fakes.agent_server import CONFIG, AgentServer, free_port
from tests.fakes.shop import Ledger, place_order
from tests.stationmaster.server.tiny import GRAPH
from tests.webhooks.receiving import SECRET, Reception, app, bearer, serving, settings, until
from tests.webhooks.test_worker import Everybody
from webhooks import receiver, worker

KEY = "the-key-of-the-tests"
LOCAL_KEY = "the-local-key-of-up"
ALLOWED = set(json.loads(CONFIG.read_text())["webhooks"]["allowed_fields"])


@pytest.fixture(scope="module")
def console_port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def served(
    served_shop: str, console_port: int, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AgentServer]:
    """`langgraph dev` with the support graph and a tiny one, keys, and a console that is there now and then."""
    directory = tmp_path_factory.mktemp("hooked")
    (directory / "tiny.py").write_text(GRAPH)
    config = json.loads(CONFIG.read_text())
    config["graphs"]["tiny"] = "tiny:graph"
    path = directory / "langgraph.json"
    path.write_text(json.dumps(config))
    env = {
        "STATIONMASTER_DATABASE_URI": served_shop,
        "STATIONMASTER_WEBHOOK_URL": f"http://127.0.0.1:{console_port}{receiver.PATH}",
        "LG_WEBHOOK_SECRET": SECRET,
        "STATIONMASTER_API_KEYS": f"tests:{KEY}",
        "STATIONMASTER_LOCAL_KEY": LOCAL_KEY,
        "OPENAI_API_KEY": "",
    }
    server = AgentServer(directory, env=env, config=path)
    server.start_blocking()
    yield server
    server.kill_blocking()


@pytest.fixture
async def client(served: AgentServer) -> AsyncIterator[LangGraphClient]:
    async with served.sdk(KEY) as client:
        yield client


@asynccontextmanager
async def receiving(database: str, port: int) -> AsyncIterator[Reception]:
    """The console is up for as long as the block lasts, where the server looks for it."""
    async with (
        open_pool(database) as pool,
        serving(app(pool, settings()), port) as at,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{at}", trust_env=False) as http,
    ):
        yield Reception(at, pool, http)


@pytest.fixture
async def console(database: str, console_port: int) -> AsyncIterator[Reception]:
    async with receiving(database, console_port) as at:
        yield at


async def hook_of(at: Reception, run_id: str) -> dict[str, Any]:
    """The body of the run's hook, once it is there."""
    await until(lambda: has_hook(at, run_id))
    (body,) = [json.loads(bytes(row["body"])) for row in await at.rows() if row["run_id"] == run_id]
    return body


async def has_hook(at: Reception, run_id: str) -> bool:
    return any(row["run_id"] == run_id for row in await at.rows())


async def has_hooks(at: Reception, count: int) -> bool:
    return len(await at.rows()) >= count


async def test_every_way_to_make_a_run_has_its_hook(
    served: AgentServer, client: LangGraphClient, console: Reception
) -> None:
    """Plain, waited, streamed, stateless, in a batch, as a command, by an assistant of one's own."""
    own = await client.assistants.create("tiny", name="Careful", if_exists="do_nothing")
    thread_id = (await client.threads.create())["thread_id"]
    asks: dict[str, Any] = {"input": {"n": 1}}
    made = [await client.runs.create(thread_id, "tiny", **asks)]
    await client.runs.join(thread_id, made[0]["run_id"])
    (question,) = (await client.threads.get_state(thread_id))["interrupts"]
    made.append(await client.runs.create(thread_id, "tiny", command={"resume": {question["id"]: 1}}))
    await client.runs.join(thread_id, made[1]["run_id"])
    made.append(await client.runs.create(thread_id, own["assistant_id"], **asks))
    await client.runs.join(thread_id, made[2]["run_id"])
    made += await client.runs.create_batch([cast("RunCreate", {"assistant_id": "tiny", **asks})] * 3)
    made.append(await client.runs.create(None, "tiny", on_completion="keep", **asks))
    hooks = [await hook_of(console, run["run_id"]) for run in made]
    assert [hook["metadata"]["assistant_name"] for hook in hooks] == [
        "tiny",
        "tiny",
        "Careful",
        *["tiny"] * 4,
    ]
    assert {hook["metadata"]["assistant_id"] for hook in hooks} == {hook["assistant_id"] for hook in hooks}
    assert {hook["metadata"]["assistant_version"] for hook in hooks} == {1}
    before = len(await console.rows())
    await client.runs.wait(thread_id, "tiny", **asks)
    await client.runs.wait(None, "tiny", **asks)
    async for _ in client.runs.stream(thread_id, "tiny", **asks):
        pass
    command = {"id": 1, "method": "run.start", "params": {"assistant_id": "tiny", **asks}}
    headers = {"x-api-key": KEY}
    async with httpx.AsyncClient(base_url=served.url, headers=headers, trust_env=False) as http:
        assert (await http.post(f"/threads/{thread_id}/commands", json=command)).json()["type"] == "success"
    await until(lambda: has_hooks(console, before + 4))
    assert {row["sender"] for row in await console.rows()} == {"bearer"}


async def test_a_cron_has_its_hook(client: LangGraphClient, console: Reception) -> None:
    thread_id = (await client.threads.create())["thread_id"]
    cron: Any = await client.crons.create_for_thread(
        thread_id, "tiny", schedule="* * * * * *", input={"n": 1}, metadata={"managed_by": "tests"}
    )
    await until(lambda: has_hooks(console, 1))
    await client.crons.delete(cron["cron_id"])
    row = (await console.rows())[0]
    assert row["thread_id"] == thread_id
    metadata = json.loads(bytes(row["body"]))["metadata"]
    assert (metadata["managed_by"], metadata["assistant_name"]) == ("tests", "tiny")


async def test_a_hook_holds_allowed_fields_and_no_secret(client: LangGraphClient, console: Reception) -> None:
    thread_id = (await client.threads.create())["thread_id"]
    good = await client.runs.create(thread_id, "tiny", input={"n": 1})
    body = await hook_of(console, good["run_id"])
    await client.runs.create(thread_id, "tiny", input={"n": "x"})  # asks again
    await client.runs.create(thread_id, "tiny", command={"resume": 1})  # and fails
    await until(lambda: has_hooks(console, 3))
    assert set(body) <= ALLOWED
    for row in await console.rows():
        raw = bytes(row["body"]).decode()
        assert set(json.loads(raw)) <= ALLOWED
        assert all(secret not in raw for secret in (KEY, LOCAL_KEY, SECRET, "langgraph_auth", "permissions"))
    assert json.loads(bytes((await console.rows())[2]["body"]))["status"] == "error"


async def test_a_callers_own_webhook_keeps_its_run(client: LangGraphClient, console: Reception) -> None:
    got: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def theirs(request: Request) -> Response:
        await got.put(await request.json())
        return Response(status_code=204)

    async with serving(Starlette(routes=[Route("/theirs", theirs, methods=["POST"])])) as port:
        thread_id = (await client.threads.create())["thread_id"]
        run = await client.runs.create(
            thread_id, "tiny", input={"n": 1}, webhook=f"http://127.0.0.1:{port}/theirs"
        )
        body = await asyncio.wait_for(got.get(), 30)
        assert body["run_id"] == run["run_id"]
        assert body["metadata"]["assistant_name"] == "tiny"
        later = await client.runs.create(thread_id, "tiny", input={"n": 1})
        await hook_of(console, later["run_id"])
    assert not await has_hook(console, run["run_id"])


@asynccontextmanager
async def desk(served: AgentServer, at: Reception) -> AsyncIterator[Desk]:
    async with connect(served.url, KEY) as server:
        yield Desk(at.pool, server, Everybody(), "tests")


async def reviews(at: Reception) -> list[dict[str, Any]]:
    async with at.pool.connection() as conn:
        return await (await conn.execute("select * from reviews.reviews order by opened_at")).fetchall()


async def has_review(at: Reception, thread_id: str) -> bool:
    return any(row["thread_id"] == thread_id for row in await reviews(at))


async def paused(client: LangGraphClient, ledger: Ledger) -> Conversation:
    """A support ticket that waits for a person."""
    talk = await Conversation.open(client, f"hook-{uuid4()}", order_id=place_order(ledger.uri))
    values = await talk.want_refund()
    assert values["outcome"] == "refund_proposed"
    return talk


async def test_a_pause_is_told_and_becomes_one_review(
    served: AgentServer, client: LangGraphClient, console: Reception, ledger: Ledger
) -> None:
    async with desk(served, console) as at_work:
        stop = asyncio.Event()
        working = asyncio.create_task(worker.run(at_work, stop))
        talk = await paused(client, ledger)
        await until(lambda: has_review(console, talk.thread_id))
        stop.set()
        await working
    (review,) = await reviews(console)
    question = await talk.question()
    assert (review["state"], review["interrupt_id"]) == ("open", question["id"])
    assert json.loads(review["payload"]) == question["value"]
    assert (review["graph"], review["assistant_name"]) == ("support", "support")
    (delivery,) = await console.rows()
    assert (delivery["state"], delivery["tries"], delivery["run_id"]) == ("done", 1, review["run_id"])


async def test_the_same_hook_fifty_times_is_one_delivery_and_one_review(
    served: AgentServer, client: LangGraphClient, console: Reception, ledger: Ledger
) -> None:
    talk = await paused(client, ledger)
    await until(lambda: has_hooks(console, 1))
    body = bytes((await console.rows())[0]["body"])
    async with desk(served, console) as at_work:

        async def again() -> None:
            assert (await console.post(body, bearer())).status_code == 204
            await worker.work_due(at_work)

        await asyncio.gather(*(again() for _ in range(50)))
        await worker.work_due(at_work)
    (delivery,) = await console.rows()
    assert (delivery["repeats"], delivery["state"]) == (50, "done")
    assert [review["thread_id"] for review in await reviews(console)] == [talk.thread_id]


async def test_fifty_different_hooks_of_one_pause_are_one_review(
    served: AgentServer, client: LangGraphClient, console: Reception, ledger: Ledger
) -> None:
    talk = await paused(client, ledger)
    await until(lambda: has_hooks(console, 1))
    body = json.loads(bytes((await console.rows())[0]["body"]))
    for number in range(50):
        await console.post(json.dumps({**body, "webhook_sent_at": number}).encode(), bearer())
    async with desk(served, console) as at_work:
        await asyncio.gather(*(worker.work_due(at_work) for _ in range(4)))
    assert {row["state"] for row in await console.rows()} == {"done"}
    assert [review["thread_id"] for review in await reviews(console)] == [talk.thread_id]


async def test_with_the_receiver_down_a_sweep_finds_the_pause_once(
    served: AgentServer, client: LangGraphClient, database: str, console_port: int, ledger: Ledger
) -> None:
    """Three tries in some five seconds, then the server forgets the hook: what is left is the thread itself."""
    before = lost(served)
    talk = await paused(client, ledger)
    await until(lambda: gave_up(served, before))
    async with receiving(database, console_port) as console:
        async with desk(served, console) as at_work:
            assert await worker.work_due(at_work) == 0
            for _ in range(2):
                await sweep(at_work, None, full=True)
        (review,) = [each for each in await reviews(console) if each["thread_id"] == talk.thread_id]
        assert (review["state"], review["interrupt_id"]) == ("open", (await talk.question())["id"])


def lost(served: AgentServer) -> int:
    """How many hooks the server has given up; its log line names no run."""
    return served.log.count("Background worker failed to call webhook")


async def gave_up(served: AgentServer, before: int) -> bool:
    return lost(served) > before


async def test_a_receiver_that_comes_back_in_time_gets_the_hook(
    served: AgentServer, client: LangGraphClient, database: str, console_port: int
) -> None:
    refused = asyncio.Event()

    async def away(_: Request) -> Response:
        refused.set()
        return Response(status_code=503)

    thread_id = (await client.threads.create())["thread_id"]
    async with serving(Starlette(routes=[Route(receiver.PATH, away, methods=["POST"])]), console_port):
        run = await client.runs.create(thread_id, "tiny", input={"n": 1})
        await asyncio.wait_for(refused.wait(), 30)
    async with receiving(database, console_port) as console:
        await hook_of(console, run["run_id"])


async def test_without_a_console_runs_have_no_webhook_of_ours(client_of_plain: LangGraphClient) -> None:
    thread_id = (await client_of_plain.threads.create())["thread_id"]
    run = await client_of_plain.runs.create(
        thread_id, "support", input={"ticket_id": "plain", "messages": []}
    )
    found: Any = await client_of_plain.runs.get(thread_id, run["run_id"])
    assert not found["kwargs"].get("webhook")
    assert found["metadata"]["assistant_name"] == "support"


@pytest.fixture
async def client_of_plain(support: AgentServer) -> AsyncIterator[LangGraphClient]:
    """The suite's plain `langgraph dev`: no console, no secret."""
    async with support.sdk() as client:
        yield client
