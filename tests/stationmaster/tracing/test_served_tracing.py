"""Runs of a real server arrive at a real collector: on the durable runtime, and (slow) on `langgraph dev` alike."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.conftest import clone
from tests.fakes.agent_server import CONFIG, ROOT, AgentServer
from tests.fakes.collector import Collector, Span, drawn
from tests.fakes.community_server import CommunityServer

SECRET = "Bearer very-secret"
RUNTIMES = [pytest.param("community"), pytest.param("inmem", marks=pytest.mark.slow)]
TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with Collector.running() as made:
        yield made


def a_server(edition: str, directory: Path, database: str, collector: Collector) -> AgentServer:
    """The real langgraph.json around the graphs of this room; spans leave five times a second."""
    config = json.loads(CONFIG.read_text())
    room = "tests.stationmaster.tracing.slowly"
    config["graphs"] = {
        "supervisor": "tests.fakes.graphs.supervisor:graph", "asks": f"{room}:asks", "slowly": f"{room}:slowly",
    }  # fmt: skip
    (directory / "langgraph.json").write_text(json.dumps(config))
    env = {
        "STATIONMASTER_DATABASE_URI": database, "PYTHONPATH": str(ROOT), "OTEL_BSP_SCHEDULE_DELAY": "200",
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20very-secret",
    }  # fmt: skip
    if edition == "community":
        return CommunityServer(directory, database=database, config=directory / "langgraph.json", env=env)
    return AgentServer(directory, config=directory / "langgraph.json", env=env)


@pytest.fixture(scope="module", params=RUNTIMES)
def traced_server(
    request: pytest.FixtureRequest, server: str, migrated_template: str, collector: Collector,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[AgentServer]:  # fmt: skip
    for uri in clone(server, migrated_template):
        made = a_server(request.param, tmp_path_factory.mktemp("traced"), uri, collector)
        made.start_blocking()
        yield made
        made.kill_blocking()


@pytest.fixture
async def client(traced_server: AgentServer) -> AsyncIterator[Any]:
    async with traced_server.sdk() as made:
        yield made


async def run(client: Any, collector: Collector, graph: str, thread: str | None, **asked: Any) -> list[Span]:
    """The spans of one run that was waited for."""
    thread = thread or (await client.threads.create())["thread_id"]
    before = {each["run_id"] for each in await client.runs.list(thread)}
    await client.runs.wait(thread, graph, **asked)
    (made,) = [each["run_id"] for each in await client.runs.list(thread) if each["run_id"] not in before]
    return await asyncio.to_thread(collector.of, made)


async def test_a_run_with_hand_offs_is_one_tree_that_says_whose_it_is(
    client: Any, collector: Collector
) -> None:
    spans = await run(client, collector, "supervisor", None, input={"task": "a lamp for Ada"})
    assert len(spans) == 25 and len(drawn(spans)) == 25
    (root,) = [span for span in spans if not span.parent]
    (assistant,) = await client.assistants.search(graph_id="supervisor")
    for span in spans:
        said = span.attributes
        assert said["langgraph.assistant_id"] == assistant["assistant_id"]
        assert said["langgraph.assistant_version"] == assistant["version"] and said["langgraph.attempt"] == 1
        assert said["langgraph.run_id"] == root.attributes["langgraph.run_id"]
        assert said["langgraph.thread_id"] == root.attributes["gen_ai.conversation.id"]
    assert b"Ada" not in collector.raw and b"very-secret" not in collector.raw
    assert collector.requests[0]["authorization"] == SECRET


async def test_a_question_and_its_answer_are_two_traces_of_one_thread(
    client: Any, collector: Collector
) -> None:
    thread = (await client.threads.create())["thread_id"]
    first = await run(client, collector, "asks", thread, input={"n": 1})
    second = await run(client, collector, "asks", thread, command={"resume": 2})
    assert [span.attributes["langgraph.outcome"] for span in first] == ["interrupted"] * 2
    assert [span.attributes["langgraph.outcome"] for span in second] == ["done"] * 2
    assert {span.attributes["langgraph.thread_id"] for span in (*first, *second)} == {thread}
    (root,) = [span for span in second if not span.parent]
    assert root.links == (first[0].trace,)
    assert not any(span.failed for span in (*first, *second))


async def test_a_clients_trace_goes_on_into_its_run_and_not_into_the_next(
    traced_server: AgentServer, client: Any, collector: Collector
) -> None:
    header = {"traceparent": f"00-{TRACE}-{CALLER}-01"}
    thread = str(uuid4())
    async with traced_server.sdk(headers=header) as tracing:
        # The run makes its thread, which gets the run's metadata.
        await tracing.runs.wait(thread, "slowly", input={"n": 1}, if_not_exists="create")
    found = await asyncio.to_thread(
        collector.wait_for, lambda spans: any(span.parent == CALLER for span in spans)
    )
    assert {span.name for span in found if span.trace == TRACE} == {"invoke_agent slowly", "begin", "work"}
    spans = await run(client, collector, "slowly", thread, input={"n": 1})
    assert len(spans) == 3  # under the run's own id: nothing of the header is left on the thread


async def test_a_caller_cannot_say_whose_run_it_is(client: Any, collector: Collector) -> None:
    """What callers put into metadata under the names of what identifies a run."""
    said = {
        "run_id": "another",
        "thread_id": "another",
        "assistant_version": 99,
        "run_attempt": 99,
        "assistant_id": "another",
        "graph_id": "another",
        "assistant_name": "another",
        "ls_temperature": "another",
    }
    thread = (await client.threads.create())["thread_id"]
    named: Any = {"run_name": "another"}
    spans = await run(client, collector, "slowly", thread, input={"n": 1}, metadata=said, config=named)
    assert "invoke_agent slowly" in {span.name for span in spans}
    told = {name: value for span in spans for name, value in span.attributes.items()}
    assert told["langgraph.thread_id"] == thread and told["langgraph.attempt"] == 1
    assert told["langgraph.assistant_version"] == 1 and "another" not in told.values()


async def test_nothing_blocks_the_servers_loop_and_nothing_else_is_sent(
    traced_server: AgentServer, collector: Collector
) -> None:
    assert "Blocking call" not in traced_server.log and "Error in Spans" not in traced_server.log
    assert {request[":path"] for request in collector.requests} == {"/v1/traces"}


@pytest.mark.slow
async def test_a_stop_delivers_what_is_drained(database: str, tmp_path: Path, collector: Collector) -> None:
    """The run ends after the signal; its spans are there when the process is gone. (`dev` drains nothing.)"""
    server = a_server("community", tmp_path, database, collector)
    server.env["OTEL_BSP_SCHEDULE_DELAY"] = "60000"
    await server.start()
    async with server.sdk() as client:
        thread = (await client.threads.create())["thread_id"]
        made = await client.runs.create(thread, "slowly", input={"n": 1, "takes_s": 1.0})
        async for state in looks(client, thread):
            if state["values"].get("n") == 2:
                break
    await server.sigterm()
    spans = [span for span in collector.spans if span.trace == made["run_id"].replace("-", "")]
    assert {span.name: span.attributes["langgraph.outcome"] for span in spans} == dict.fromkeys(
        ["invoke_agent slowly", "begin", "work"], "done"
    )


async def looks(client: Any, thread: str) -> AsyncIterator[Any]:
    """The thread's state, again and again."""
    while True:
        yield await client.threads.get_state(thread)
        await asyncio.sleep(0.02)


@pytest.mark.slow
async def test_a_collector_that_hangs_is_one_line_in_the_log_and_no_more(
    database: str, tmp_path: Path
) -> None:
    """Runs end, and so does the server, within its usual time."""
    with Collector.running() as hanging:
        hanging.hangs = True
        server = a_server("community", tmp_path, database, hanging)
        server.env["OTEL_EXPORTER_OTLP_TIMEOUT"] = "1"
        await server.start()
        async with server.sdk() as client:
            thread = (await client.threads.create())["thread_id"]
            for _ in range(20):
                values: Any = await client.runs.wait(thread, "slowly", input={"n": 1})
                assert values["n"] == 3
        assert await server.sigterm() in (0, -signal.SIGTERM)
    assert server.log.count("spans can't be delivered") <= 1
    assert "Traceback" not in server.log and "opentelemetry" not in server.log


@pytest.mark.slow
async def test_both_attempts_of_a_run_whose_process_was_killed_are_in_one_trace(
    database: str, tmp_path: Path, collector: Collector
) -> None:
    server = a_server("community", tmp_path, database, collector)
    await server.start()
    try:
        async with server.sdk() as client:
            thread = (await client.threads.create())["thread_id"]
            made = await client.runs.create(thread, "slowly", input={"n": 1, "takes_s": 3.0})
            trace = made["run_id"].replace("-", "")
            await asyncio.to_thread(
                collector.wait_for, lambda spans: any(span.trace == trace for span in spans)
            )
            await server.sigkill()
            await server.restart()
            await client.runs.join(thread, made["run_id"])
        spans = await asyncio.to_thread(collector.of, made["run_id"])
        said = [
            (span.name, span.attributes["langgraph.attempt"])
            for span in sorted(spans, key=lambda span: span.start)
        ]
        # The first attempt's graph and second node never ended: nobody was there to say so.
        assert said == [("begin", 1), ("invoke_agent slowly", 2), ("work", 2)]
    finally:
        server.kill_blocking()
