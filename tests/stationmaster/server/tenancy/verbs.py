"""Every verb of the SDK, aimed at somebody's ids by somebody else; and every search, which must not find them."""

from collections.abc import Awaitable, Callable
from typing import Any

from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import RunCreate

from tests.stationmaster.server.tenancy.place import Owned

Call = Callable[[LangGraphClient, Owned], Awaitable[Any]]


async def _drain(stream: Any) -> list[Any]:
    return [part.data async for part in stream]


async def _joined(client: LangGraphClient, it: Owned) -> Any:
    return await _drain(await client.threads.join_stream(it.thread))


async def _streamed_by_protocol(client: LangGraphClient, it: Owned) -> Any:
    """The thread's own stream, which stays open: its first bytes would be the leak."""
    body = {"channels": ["values", "lifecycle"]}
    path = f"/threads/{it.thread}/stream/events"
    async with client.http.client.stream("POST", path, json=body, timeout=5) as answer:
        answer.raise_for_status()
        return [line async for line in answer.aiter_lines()]


INPUT = {"n": 5}
THREADS: dict[str, Call] = {
    "get": lambda c, it: c.threads.get(it.thread),
    "update": lambda c, it: c.threads.update(it.thread, metadata={"tenant": "globex"}),
    "delete": lambda c, it: c.threads.delete(it.thread),
    "copy": lambda c, it: c.threads.copy(it.thread),
    "state": lambda c, it: c.threads.get_state(it.thread),
    "state of subgraphs": lambda c, it: c.threads.get_state(it.thread, subgraphs=True),
    "state at a checkpoint": lambda c, it: c.threads.get_state(it.thread, checkpoint_id=it.checkpoint),
    "update state": lambda c, it: c.threads.update_state(it.thread, {"n": 9}, as_node="ask"),
    "history": lambda c, it: c.threads.get_history(it.thread),
    "create, if it exists": lambda c, it: c.threads.create(thread_id=it.thread, if_exists="do_nothing"),
    "create again": lambda c, it: c.threads.create(thread_id=it.thread),
    "join stream": _joined,
    "its own stream": _streamed_by_protocol,
    "prune": lambda c, it: c.threads.prune([it.thread]),
}
RUNS: dict[str, Call] = {
    "create": lambda c, it: c.runs.create(it.thread, "tiny", input=INPUT),
    "create, if there is none": lambda c, it: c.runs.create(
        it.thread, "tiny", input=INPUT, if_not_exists="create"
    ),
    "wait": lambda c, it: c.runs.wait(it.thread, "tiny", input=INPUT),
    "stream": lambda c, it: _drain(c.runs.stream(it.thread, "tiny", input=INPUT)),
    "resume": lambda c, it: c.runs.wait(it.thread, "tiny", command={"resume": 5}),
    "fork": lambda c, it: c.runs.wait(it.thread, "tiny", input=None, checkpoint_id=it.checkpoint),
    "replace": lambda c, it: c.runs.create(it.thread, "tiny", input=INPUT, multitask_strategy="rollback"),
    "list": lambda c, it: c.runs.list(it.thread),
    "get": lambda c, it: c.runs.get(it.thread, it.run),
    "join": lambda c, it: c.runs.join(it.thread, it.run),
    "join stream": lambda c, it: _drain(c.runs.join_stream(it.thread, it.run)),
    "cancel": lambda c, it: c.runs.cancel(it.thread, it.run),
    "cancel many": lambda c, it: c.runs.cancel_many(thread_id=it.thread, run_ids=[it.run]),
    "delete": lambda c, it: c.runs.delete(it.thread, it.run),
    "the assistant, on a thread of one's own": lambda c, it: _with_own_thread(c, it),
    "the assistant, without a thread": lambda c, it: c.runs.wait(None, it.assistant, input=INPUT),
    "the assistant, in a batch": lambda c, it: c.runs.create_batch(
        [RunCreate(assistant_id=it.assistant, input=INPUT)]  # pyright: ignore[reportCallIssue]
    ),
}


async def _with_own_thread(client: LangGraphClient, it: Owned) -> Any:
    thread = (await client.threads.create())["thread_id"]
    return await client.runs.create(thread, it.assistant, input=INPUT)


ASSISTANTS: dict[str, Call] = {
    "get": lambda c, it: c.assistants.get(it.assistant),
    "graph": lambda c, it: c.assistants.get_graph(it.assistant),
    "schemas": lambda c, it: c.assistants.get_schemas(it.assistant),
    "subgraphs": lambda c, it: c.assistants.get_subgraphs(it.assistant),
    "versions": lambda c, it: c.assistants.get_versions(it.assistant),
    "update": lambda c, it: c.assistants.update(it.assistant, name="taken"),
    "set latest": lambda c, it: c.assistants.set_latest(it.assistant, 1),
    "delete": lambda c, it: c.assistants.delete(it.assistant),
    "create, if it exists": lambda c, it: c.assistants.create(
        "tiny", assistant_id=it.assistant, if_exists="do_nothing"
    ),
}
CRONS: dict[str, Call] = {
    "update": lambda c, it: c.crons.update(it.cron, schedule="0 0 2 1 *"),
    "pause": lambda c, it: c.crons.update(it.cron, enabled=False),
    "delete": lambda c, it: c.crons.delete(it.cron),
    "delete, of a thread": lambda c, it: c.crons.delete(it.thread_cron),
    "create for a thread": lambda c, it: c.crons.create_for_thread(
        it.thread, "tiny", schedule="0 0 1 1 *", input=INPUT
    ),
    "create for an assistant": lambda c, it: c.crons.create(it.assistant, schedule="0 0 1 1 *", input=INPUT),
}
STORE: dict[str, Call] = {
    "get": lambda c, it: c.store.get_item(it.namespace, "k"),
    "put": lambda c, it: c.store.put_item(it.namespace, "k", {"note": "mine now"}),
    "delete": lambda c, it: c.store.delete_item(it.namespace, "k"),
    "search": lambda c, it: c.store.search_items(it.namespace),
    "search above": lambda c, it: c.store.search_items(it.namespace[:1]),
    "list namespaces": lambda c, it: c.store.list_namespaces(prefix=list(it.namespace[:1])),
}
VERBS = {
    f"{room}: {name}": call
    for room, calls in (
        ("threads", THREADS),
        ("runs", RUNS),
        ("assistants", ASSISTANTS),
        ("crons", CRONS),
        ("store", STORE),
    )
    for name, call in calls.items()
}
SEARCHES: dict[str, Call] = {
    "threads": lambda c, it: c.threads.search(limit=1000),
    "threads by id": lambda c, it: c.threads.search(ids=[it.thread]),
    "threads by another's mark": lambda c, it: c.threads.search(metadata={"tenant": "acme"}),
    "threads that wait": lambda c, it: c.threads.search(status="interrupted", limit=1000),
    "assistants": lambda c, it: c.assistants.search(limit=1000),
    "assistants by another's mark": lambda c, it: c.assistants.search(metadata={"tenant": "acme"}),
    "crons": lambda c, it: c.crons.search(limit=1000),
    "crons of a thread": lambda c, it: c.crons.search(thread_id=it.thread),
    "crons of an assistant": lambda c, it: c.crons.search(assistant_id=it.assistant),
    "store": lambda c, it: c.store.search_items([]),
    "namespaces": lambda c, it: c.store.list_namespaces(),
}
