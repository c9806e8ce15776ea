"""Which server this runtime was written and tested for; another minor is refused before anything is touched."""

import sys
from importlib.metadata import version

SUPPORTED = (0, 16)


def mismatch(found: str) -> str | None:
    """Why the runtime does not go with a version of langgraph-api; None where it does."""
    if tuple(int(part) for part in found.split(".")[:2]) == SUPPORTED:
        return None
    wanted = ".".join(map(str, SUPPORTED))
    return (
        f"the community runtime was tested with langgraph-api {wanted}.x, this is {found}: "
        f"install langgraph-api~={wanted}.0, or set STATIONMASTER_RUNTIME_EDITION=inmem"
    )


def require_supported() -> None:
    """End the process with one line where the server is another minor: its interface may have moved."""
    if reason := mismatch(version("langgraph-api")):
        sys.stderr.write(f"error: {reason}\n")
        raise SystemExit(2)
