"""Whether code runs for a request or by the server's own doing. A client can't change which of the two it is."""

from contextvars import ContextVar

from starlette.types import ASGIApp, Receive, Scope, Send

_IN_REQUEST: ContextVar[bool] = ContextVar("stationmaster_in_request", default=False)


class Requests:
    """Marks what is done for a request, in-process calls included; tasks that a request starts inherit the mark."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":  # the scheduler is started there
            await self.app(scope, receive, send)
            return
        token = _IN_REQUEST.set(True)
        try:
            await self.app(scope, receive, send)
        finally:
            _IN_REQUEST.reset(token)


def in_request() -> bool:
    """Whether this is done for somebody who asked."""
    return _IN_REQUEST.get()
