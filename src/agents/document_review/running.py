"""Where a node runs: on which thread, by whose key, and on whose rows."""

from langgraph.config import get_config
from langgraph.runtime import Runtime

from agents.document_review.context import Context
from agents.shared.callers import Caller, caller_of
from agents.shared.thread_tenants import tenant_of


def caller() -> Caller:
    """Whose key the run came with."""
    return caller_of(get_config())


async def tenant_on(runtime: Runtime[Context]) -> str:
    """Whose rows the run works on: the inbox acts for the tenant that began the thread.

    Raises OtherTenant and DatabaseUnavailable: call it where they are given up on.
    """
    return await tenant_of(caller(), thread_id(runtime))


def thread_id(runtime: Runtime[Context]) -> str:
    """The thread's id, of which every key is made: without one nobody could read the report before it is published."""
    found = runtime.execution_info.thread_id if runtime.execution_info else None
    if not found:
        raise ValueError("a review needs a thread: run it with a checkpointer and a thread_id")
    return found
