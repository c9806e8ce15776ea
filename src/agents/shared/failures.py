"""What a node could not do: noted in state in words for callers, and kept once where operators look for it."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.runtime import Runtime
from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from agents.shared.resilience import GivenUp, giving_up
from agents.shared.running import caller, tenant_on, thread_id
from agents.shared.shop import dead_letters
from agents.shared.thread_tenants import OtherTenant

_log = logging.getLogger(__name__)
Update = dict[str, Any]


@with_config(ConfigDict(extra="forbid"))
class Failure(TypedDict):
    """What a node could not do, after its retries; it ends in the dead letters."""

    node: str
    reason: str


def degraded(node: str, given_up: GivenUp) -> Update:
    """What callers are told of work that could not be done."""
    return {"degraded": [f"{node}: {reason}" for reason in given_up.reasons]}


def failed(node: str, given_up: GivenUp) -> Update:
    """The same, for work without which the graph can't go on."""
    return {
        **degraded(node, given_up),
        "failures": [Failure(node=node, reason=reason) for reason in given_up.reasons],
    }


async def buried(
    runtime: Runtime[Any],
    failures: Sequence[Failure],
    *,
    graph: str,
    request: str,
    ticket_id: str | None = None,
    detail: Mapping[str, object],
) -> Update:
    """Keep for operators, once, what a request of a thread came to. Returns what is to be said of that in state: why it
    failed, if even this did.

    `request` names it on the thread, such as its number. The work of a node `dead_letter` with `retry_policy=RETRY`.
    """
    thread = thread_id(runtime)
    if not failures:
        raise ValueError(
            "there is nothing to keep for operators; a node that gives up notes it in `failures`"
        )
    async with giving_up(runtime) as given_up:
        tenant = await _whose(runtime)
        await dead_letters.bury(
            tenant=tenant,
            key=f"dead-letter:{graph}:{tenant}:{thread}:{request}",
            graph=graph,
            node=failures[0]["node"],
            ticket_id=ticket_id,
            thread_id=thread,
            reason="; ".join(f"{failure['node']}: {failure['reason']}" for failure in failures),
            detail={"tenant": tenant, **detail},
        )
    if given_up.reasons:
        _log.error("dead letter not stored: %s, thread %s, %s", graph, thread, failures)
    return degraded("dead_letter", given_up)


async def _whose(runtime: Runtime[Any]) -> str:
    """The thread's tenant; of a run that another one's key was refused on, that one."""
    try:
        return await tenant_on(runtime)
    except OtherTenant:
        return caller().tenant
