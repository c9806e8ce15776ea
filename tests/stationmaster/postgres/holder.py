"""A process that needs the database: `python holder.py DATA_DIR`, told what to do line by line.

Prints the URI once it has it. Then `release` gives the handle back, and the end of its input ends it.
"""

import asyncio
import os
import sys

from stationmaster.errors import StationmasterError
from stationmaster.postgres import ensure, release
from stationmaster.settings import load_settings


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


async def main(data_dir: str) -> None:
    os.environ["STATIONMASTER_DATA_DIR"] = data_dir
    settings = load_settings()
    say(await ensure(settings))
    while line := await asyncio.to_thread(sys.stdin.readline):
        if line.strip() == "release":
            await release(settings)
            say("released")
        else:
            say(await ensure(settings))


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1]))
    except StationmasterError as error:
        say(f"error: {error}")
        sys.exit(error.exit_code)
