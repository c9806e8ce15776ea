"""A proxy between a console and its Agent Server, which lets a test hold a resume back, or keep its reply."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.fakes.agent_server import free_port

RESUME = re.compile(r"/threads/[^/]+/runs$")
# What belongs to one connection and not to the message.
OWN = frozenset({"content-length", "content-encoding", "transfer-encoding", "connection", "host"})


@dataclass
class Between:
    """`hold`: a resume is not passed on; `keep`: it is, and its reply never comes. `held` is set once it is so."""

    upstream: str
    port: int = field(default_factory=free_port)
    mode: Literal["pass", "hold", "keep"] = "pass"
    held: asyncio.Event = field(default_factory=asyncio.Event)
    _let_go: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def let_go(self) -> None:
        """Whoever waits is answered with nothing, and what comes from now on passes."""
        self.mode = "pass"
        self._let_go.set()

    async def pass_on(self, request: Request) -> Response:
        stopped = self.mode if request.method == "POST" and RESUME.search(request.url.path) else "pass"
        if stopped == "hold":
            return await self._never()
        body = await request.body()
        url = f"{self.upstream}{request.url.path}"
        headers = {name: value for name, value in request.headers.items() if name not in OWN}
        async with httpx.AsyncClient(trust_env=False, timeout=60) as http:
            found = await http.request(
                request.method, url, content=body, headers=headers, params=request.query_params
            )
        if stopped == "keep":
            return await self._never()
        kept = {name: value for name, value in found.headers.items() if name not in OWN}
        return Response(found.content, found.status_code, kept)

    async def _never(self) -> Response:
        self.held.set()
        await self._let_go.wait()
        return Response(status_code=502)


@asynccontextmanager
async def between(upstream: str) -> AsyncIterator[Between]:
    """The proxy in this process's loop, for as long as the block lasts."""
    made = Between(upstream)
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    app = Starlette(routes=[Route("/{path:path}", made.pass_on, methods=methods)])
    config = uvicorn.Config(app, port=made.port, log_config=None, timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    try:
        async with httpx.AsyncClient(trust_env=False, transport=httpx.AsyncHTTPTransport(retries=5)) as http:
            await http.get(f"{made.url}/ok")
        yield made
    finally:
        made.let_go()
        server.should_exit = True
        await serving
