"""Another process that opens a review: `python -m tests.stationmaster.console.pages.opener URI ORDER`."""

import asyncio
import sys

from stationmaster.reviews.database import open_pool
from tests.stationmaster.console.pages.questions import ask_refund


async def main(uri: str, order: int) -> None:
    async with open_pool(uri, max_size=2) as pool:
        await ask_refund(pool, order)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
