"""The end of a run, as its worker tells it: one transaction, fenced, with the webhook in it."""

from pathlib import Path
from typing import Any

import structlog
from starlette.exceptions import HTTPException

from langgraph_runtime_community import database
from langgraph_runtime_community.database import json
from langgraph_runtime_community.errors import LeaseLost
from langgraph_runtime_community.hooks.payload import hook_of
from langgraph_runtime_community.hooks.sending import SENDER
from langgraph_runtime_community.lease import LEASE, Lease
from langgraph_runtime_community.ops.snapshots import interrupts
from langgraph_runtime_community.sealing import objects
from langgraph_runtime_community.streams.keeping import KEEPER
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("ending.sql"))
logger = structlog.stdlib.get_logger(__name__)


async def end(
    status: str, graph_id: str, checkpoint: dict[str, Any] | None, exception: BaseException | None
) -> None:
    """End the run of the worker that runs here. LeaseLost if it is another's by now; nothing was written then."""
    lease = _lease()
    exception = lease.used_up or exception
    await _events_first(lease)
    questions = interrupts(checkpoint["tasks"]) if checkpoint else {}
    hook = hook_of(await _opened(lease), lease.started_at, status, exception, checkpoint, questions)
    params = {
        "run": lease.run_id,
        "epoch": lease.epoch,
        "status": status,
        "graph": graph_id,
        "settled": settled(checkpoint, exception),
        "error": json(await objects.seal_values(told(exception))),
        "state": checkpoint is not None,
        "values": json(await objects.seal_values(checkpoint["values"])) if checkpoint else None,
        "interrupts": json(await objects.seal_interrupts(questions)),
        "hook": json(await objects.seal_hook(hook)),
    }
    await _fenced(lease, "end", params)


async def end_stateless(lease: Lease, status: str, exception: BaseException | None) -> None:
    """End a run whose thread goes with it."""
    exception = lease.used_up or exception
    await _events_first(lease)
    hook = hook_of(await _opened(lease), lease.started_at, status, exception, None, {})
    params = {
        "run": lease.run_id,
        "epoch": lease.epoch,
        "hook": json(await objects.seal_hook(hook)),
        "keep_events": lease.shared,
    }
    await _fenced(lease, "end_stateless", params)


async def hand_back(lease: Lease) -> None:
    """Put the run back into the queue, unless it is another worker's by now: as an attempt that failed, or, from a
    drain, as none. Its events first: once another worker has it they count for nothing."""
    await _events_first(lease)
    params = {
        "run": lease.run_id,
        "epoch": lease.epoch,
        "counted": not lease.handing_back,
        "delay": 0.0 if lease.handing_back else lease.pause_s,
        "error": lease.failed or "unknown",
    }
    lease.leaving = True
    await database.execute(QUERIES["hand_back"], params)
    lease.ended = True


async def spared(lease: Lease) -> bool:
    """Whether the run was removed, since its thread waits for an answer by now, which it would take away."""
    lease.leaving = True
    row = await database.fetch_one(QUERIES["spare"], {"run": lease.run_id, "epoch": lease.epoch})
    if not row or not row["spared"]:
        lease.leaving = False
        return False
    lease.ended = lease.over = True
    logger.warning("a cron's run was not begun: somebody is asked on its thread", run_id=str(lease.run_id))
    return True


def settled(checkpoint: dict[str, Any] | None, exception: BaseException | None) -> str:
    """What a thread's status is after its run; a cancelled run is no error of the thread."""
    from langgraph_api.errors import UserInterrupt, UserRollback

    if exception is not None and not isinstance(exception, UserInterrupt | UserRollback):
        return "error"
    return "interrupted" if checkpoint and checkpoint["next"] else "idle"


def told(exception: BaseException | None) -> Any:
    """An exception as the API shows it."""
    from langgraph_api.serde import json_dumpb, json_loads

    return None if exception is None else json_loads(json_dumpb(exception))


async def _opened(lease: Lease) -> dict[str, Any]:
    """The run with its metadata as a webhook tells it; the worker opens the rest of the run only."""
    lease.run["metadata"] = await objects.open_object(lease.run["metadata"], "run")
    return lease.run


def _lease() -> Lease:
    lease = LEASE.get()
    if lease is None:
        raise HTTPException(404, "Run not found: only its worker can end it")
    return lease


async def _events_first(lease: Lease) -> None:
    """Whoever sees the end of a run must be able to see all that came before it."""
    if lease.shared or lease.kwargs.get("resumable"):
        await KEEPER.flush()


async def _fenced(lease: Lease, query: str, params: dict[str, Any]) -> None:
    if lease.lost:
        raise lease.lose()
    lease.leaving = True
    try:
        await database.execute(QUERIES[query], params)
    except LeaseLost:
        raise lease.lose() from None
    lease.ended = lease.over = True
    if params["hook"] is not None:
        SENDER.wake.set()
