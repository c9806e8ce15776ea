"""Where a node runs: on which thread, by whose key, and on whose rows."""

from typing import Any

from langgraph.config import get_config
from langgraph.runtime import Runtime

from agents.shared.callers import LOCAL, Caller, caller_of
from agents.shared.thread_tenants import tenant_of


def caller() -> Caller:
    """Whose key the run came with; LOCAL for a node that is called by hand."""
    try:
        return caller_of(get_config())
    except RuntimeError:  # outside of a run
        return LOCAL


async def tenant_on(runtime: Runtime[Any]) -> str:
    """Whose rows the run works on: the inbox acts for the tenant that began the thread.

    Raises OtherTenant and DatabaseUnavailable: call it where they are given up on.
    """
    return await tenant_of(caller(), thread_if_any(runtime))


def thread_id(runtime: Runtime[Any]) -> str:
    """The thread's id, of which keys are made: runs without one would take each other's effects for their own."""
    found = thread_if_any(runtime)
    if not found:
        raise ValueError("this graph needs a thread: run it with a checkpointer and a thread_id")
    return found


def thread_if_any(runtime: Runtime[Any]) -> str:
    """The same for graphs whose keys are made of something else: empty without a checkpointer."""
    return (runtime.execution_info.thread_id if runtime.execution_info else None) or ""
