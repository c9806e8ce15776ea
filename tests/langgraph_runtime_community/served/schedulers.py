"""Schedulers of the stock server, as many as asked, in a process without anything else of it, until it is killed."""

import asyncio
import os
import sys


async def main(count: int) -> None:
    """`count` of them on DATABASE_URI."""
    from langgraph_api import cron_scheduler as stock

    from langgraph_runtime_community import database

    await database.start_pool(os.environ["DATABASE_URI"])
    await asyncio.gather(*(stock.cron_scheduler() for _ in range(count)))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
