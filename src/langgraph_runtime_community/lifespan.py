"""The life of a server process: everything that the stock server leaves to its runtime, in order, and undone."""

import asyncio
import signal
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Any

import structlog

from langgraph_runtime_community import database, metrics, migrate, premises
from langgraph_runtime_community.config import config
from langgraph_runtime_community.errors import LeaseLapsed
from langgraph_runtime_community.heartbeat import QUERIES as HEARTBEAT
from langgraph_runtime_community.heartbeat import Asked, Heartbeat
from langgraph_runtime_community.hooks import signing
from langgraph_runtime_community.hooks.sending import SENDER
from langgraph_runtime_community.identity import WORKER_ID
from langgraph_runtime_community.notices import listen
from langgraph_runtime_community.queue import Queue
from langgraph_runtime_community.stopping import STOP
from langgraph_runtime_community.streams.keeping import KEEPER
from langgraph_runtime_community.streams.watching import WATCHER
from langgraph_runtime_community.supervision import kept_up
from langgraph_runtime_community.sweeping import sweep
from langgraph_runtime_community.work import BENCH

logger = structlog.stdlib.get_logger(__name__)
_last: dict[str, BaseException] = {}


def get_last_error() -> BaseException | None:
    """What stopped the last start; the server's launcher shows it."""
    return _last.get("error")


@asynccontextmanager
async def lifespan(
    app: Any = None,
    cancel_event: asyncio.Event | None = None,
    taskset: Any = None,
    *,
    with_cron_scheduler: bool = True,
    **_: Any,
) -> AsyncIterator[None]:
    """Around the server's life."""
    from langgraph_api.graph import GraphLoadError

    _last.clear()
    try:
        async with AsyncExitStack() as undo:
            await _start(undo, cancel_event, with_cron_scheduler)
            yield
    except GraphLoadError as error:
        _last["error"] = error
        raise


async def _start(undo: AsyncExitStack, cancel_event: asyncio.Event | None, with_crons: bool) -> None:
    from langgraph_api import config as server
    from langgraph_api.asyncio import SimpleTaskGroup, set_event_loop

    set_event_loop(asyncio.get_running_loop())
    undo.callback(STOP.watch())
    uri = _uri()
    signing.require_usable()
    await _services(undo, uri)
    group = SimpleTaskGroup(cancel=True, cancel_event=cancel_event, taskgroup_name="Lifespan")
    tasks = await undo.enter_async_context(group)
    await _graphs(tasks)
    gauges = metrics.register()
    undo.callback(_unregister, gauges)
    if server.N_JOBS_PER_WORKER > 0:
        await _queue(undo, tasks, uri, server.N_JOBS_PER_WORKER)
    for name, work in {
        "notices": partial(listen, uri), "streams": WATCHER.run, "webhooks": SENDER.run, "housekeeping": sweep
    }.items():  # fmt: skip
        tasks.create_task(kept_up(name, work))
    if with_crons and server.FF_CRONS_ENABLED:
        from langgraph_api.cron_scheduler import cron_scheduler

        tasks.create_task(cron_scheduler())


def _uri() -> str:
    from langgraph_api.config import DATABASE_URI

    if not DATABASE_URI or not DATABASE_URI.startswith(("postgres://", "postgresql://")):
        raise RuntimeError(
            "the community runtime keeps everything in Postgres: set DATABASE_URI=postgresql://..."
        )
    return DATABASE_URI


async def _services(undo: AsyncExitStack, uri: str) -> None:
    """What requests and graphs need: HTTP clients, schema, pool, checkpointer, user interfaces, metrics."""
    from langgraph_api import _checkpointer as checkpointer
    from langgraph_api import graph
    from langgraph_api.http import start_http_client, stop_http_client, stop_webhook_http_client
    from langgraph_api.js.ui import start_ui_bundler, stop_ui_bundler
    from langgraph_api.metrics_otlp import (
        COUNTER_SERVER_REQUESTED_TO_STOP,
        COUNTER_SERVER_STARTED,
        COUNTER_SERVER_STOPPED,
        get_otlp_metrics_reporter,
    )

    reporter = get_otlp_metrics_reporter()
    undo.callback(reporter.shutdown)
    undo.callback(reporter.inc_counter, COUNTER_SERVER_STOPPED)
    await start_http_client()
    undo.push_async_callback(stop_http_client)
    undo.push_async_callback(stop_webhook_http_client)
    await _prepare(uri)
    await database.start_pool(uri)
    undo.push_async_callback(database.stop_pool)
    _refuse_custom_persistence()
    await checkpointer.start_checkpointer()
    undo.push_async_callback(checkpointer.exit_checkpointer)
    await start_ui_bundler()
    undo.push_async_callback(stop_ui_bundler)
    undo.push_async_callback(graph.stop_remote_graphs)
    reporter.initialize()
    reporter.inc_counter(COUNTER_SERVER_STARTED)
    undo.callback(reporter.inc_counter, COUNTER_SERVER_REQUESTED_TO_STOP)


async def _prepare(uri: str) -> None:
    """The schema. The store's tables depend on its index, so that it is made twice: here on a single connection."""
    from langgraph_api.config import STORE_CONFIG

    from langgraph_runtime_community.store import make

    await premises.require(uri, vectors=bool((STORE_CONFIG or {}).get("index")))
    await migrate.prepare(uri, make)


def _refuse_custom_persistence() -> None:
    from langgraph_api.config import CHECKPOINTER_CONFIG, STORE_CONFIG

    for name, section in (("checkpointer", CHECKPOINTER_CONFIG), ("store", STORE_CONFIG)):
        if section and section.get("path"):
            raise RuntimeError(
                f"langgraph.json sets {name}.path: what it keeps would be neither fenced nor durable here. "
                f"Remove {name}.path, or serve the project with STATIONMASTER_RUNTIME_EDITION=inmem"
            )


async def _graphs(tasks: Any) -> None:
    """Store first, for factories may ask for it; then the project's graphs."""
    from langchain_core.runnables.config import var_child_runnable_config
    from langgraph._internal._constants import CONFIG_KEY_RUNTIME
    from langgraph.constants import CONF
    from langgraph.runtime import Runtime
    from langgraph_api import graph
    from langgraph_api import store as api_store
    from langgraph_api.metadata import metadata_loop
    from langgraph_api.metrics_collector import collector_loop

    tasks.create_task(metadata_loop())
    tasks.create_task(collector_loop())
    await api_store.collect_store_from_env()
    store: Any = await api_store.get_store()
    tasks.create_task(store.start_ttl_sweeper())
    var_child_runnable_config.set({CONF: {CONFIG_KEY_RUNTIME: Runtime(store=store)}})
    graph.patch_packages_distributions()
    await graph.collect_graphs_from_env(True)


async def _queue(undo: AsyncExitStack, tasks: Any, uri: str, places: int) -> None:
    """Heartbeat before queue: nothing is claimed without a lease. At the end the other way round."""
    loop = asyncio.get_running_loop()

    def asked(what: Asked) -> None:
        loop.call_soon_threadsafe(_heed, what)

    heartbeat = Heartbeat(uri, asked)
    await asyncio.to_thread(heartbeat.start)
    undo.push_async_callback(_leave, heartbeat)
    tasks.create_task(_show_life(heartbeat))
    queue = Queue(places)
    STOP.tell(queue.close)
    undo.push_async_callback(_drained, queue)
    tasks.create_task(_vital(queue.run()))


def _heed(asked: Asked) -> None:
    """What the heartbeat found is wanted of a run, if this process still has it."""
    bench = BENCH.get()
    lease = bench.leases.get(asked.run_id) if bench else None
    if bench is None or lease is None or lease.epoch != asked.epoch:
        return
    if asked.gone:
        # Not while its end or its way back is being written: then it is gone because of that.
        if not (lease.leaving or lease.ended):
            lease.lose()
        return
    lease.shared = True
    if asked.cancel:
        bench.cancel(asked.run_id, asked.cancel, asked.cancel_reason)


async def _vital(work: Coroutine[Any, Any, None]) -> None:
    """A queue that fails would leave a server that accepts runs and ends none: better the whole process stops."""
    try:
        await work
    except Exception as error:
        logger.exception("the queue failed, the server stops", exc_info=error)
        signal.raise_signal(signal.SIGTERM)
        raise


async def _show_life(heartbeat: Heartbeat) -> None:
    """Tell the heartbeat that the loop turns; and stop what this process has no lease for any more."""
    while True:
        heartbeat.loop_is_alive()
        for lease in list(bench.leases.values()) if (bench := BENCH.get()) else []:
            with suppress(LeaseLapsed):
                lease.require()
        await asyncio.sleep(min(1.0, config().lease_s / 5))


async def _drained(queue: Queue) -> None:
    await queue.drain(config().drain_s - STOP.seconds_ago())
    await KEEPER.flush()


async def _leave(heartbeat: Heartbeat) -> None:
    await asyncio.to_thread(heartbeat.stop)
    await database.execute(HEARTBEAT["leave"], {"worker": WORKER_ID})


def _unregister(gauges: Any) -> None:
    from prometheus_client import REGISTRY

    REGISTRY.unregister(gauges)


lifespan.get_last_error = get_last_error  # pyright: ignore[reportFunctionMemberAccess]
