"""`GET /stationmaster/about`: that our handlers run in this server, on which runtime; `plan` tells what follows."""

import sys
from importlib.metadata import version

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

DURABLE = frozenset({"community"})
_PREFIX = "langgraph_runtime_"


def edition() -> str:
    """The runtime under this server, such as inmem: the server names its modules after the package that it took."""
    module = sys.modules.get("langgraph_runtime.ops")
    package = getattr(module, "__name__", "").partition(".")[0]
    return package.removeprefix(_PREFIX) if package.startswith(_PREFIX) else "unknown"


async def about(_: Request) -> JSONResponse:
    found = edition()
    return JSONResponse(
        {"stationmaster": version("stationmaster"), "edition": found, "durable": found in DURABLE}
    )


ROUTES = [Route("/stationmaster/about", about)]
