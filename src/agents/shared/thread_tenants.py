"""Whose a thread is, noted when it is first worked on: for graphs that work on a tenant's rows after an answer.

An answer may come with another key than the question: the inbox's belongs to the operators, who see every tenant's. The
tenant can't be read from state then, which callers may write.
"""

from agents.shared.callers import MAIN, Caller
from agents.shared.database import connection
from agents.shared.errors import PermanentError
from agents.shared.queries import load

_QUERIES = load(__file__)


class OtherTenant(PermanentError):
    """The thread belongs to another tenant than the key that the run came with."""


async def tenant_of(caller: Caller, thread_id: str) -> str:
    """Whose rows a run on the thread may work on: the first caller's tenant. Operators act for it.

    Raises OtherTenant for the key of a third tenant, DatabaseUnavailable.
    """
    if not thread_id:  # run without a checkpointer
        return caller.tenant
    values = {"thread_id": thread_id, "tenant": caller.tenant}
    async with connection() as conn:
        await conn.execute(_QUERIES["note"], values)
        row = await (await conn.execute(_QUERIES["noted"], values)).fetchone()
    if row is None:
        raise RuntimeError("shop.thread_tenants refused a row and holds none")
    if caller.tenant not in (row["tenant"], MAIN):
        raise OtherTenant(f"thread {thread_id} is not tenant {caller.tenant}'s: use a key of whose it is")
    return row["tenant"]
