"""`python -m langgraph_runtime_community`: bring the schema of DATABASE_URI up to date, and start nothing."""

import asyncio
import os
import sys

from langgraph_runtime_community.migrate import prepare
from stationmaster.errors import StationmasterError


def main() -> None:
    """Exit code 2, with a line that says why, where it can't be done. An index of the store is left to the server."""
    try:
        asyncio.run(prepare(os.environ["DATABASE_URI"]))
    except StationmasterError as error:
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(error.exit_code) from None


if __name__ == "__main__":
    main()
