"""`python -m tests.agents.support.dying URI THREAD DURABILITY` says yes to what THREAD asks, and is killed between the
row of that answer and the payment. The thread's checkpoints are in the same database as the shop.
"""

import asyncio
import os
import signal
import sys
from typing import Any, cast

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.types import Command, Durability

from agents.shared import database
from agents.support import tools
from agents.support.context import Context
from agents.support.graph import builder


async def _killed(*_: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


async def main(uri: str, thread_id: str, durability: str) -> None:
    """Ends by SIGKILL."""
    database.configure(uri)
    tools.pay_back = _killed
    async with AsyncPostgresSaver.from_conn_string(uri) as saver:
        graph = builder.compile(checkpointer=saver)
        await graph.ainvoke(
            Command(resume={"action": "approve"}),
            {"configurable": {"thread_id": thread_id}},
            context=Context(model="offline:rules"),
            durability=cast("Durability", durability),
        )


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
