"""Whether code runs for a request or by the server's own doing, and which trace the request belongs to.

A client can't change which of the two it is.
"""

from contextvars import ContextVar

from starlette.types import ASGIApp, Receive, Scope, Send

_IN_REQUEST: ContextVar[bool] = ContextVar("stationmaster_in_request", default=False)
_TRACEPARENT: ContextVar[str | None] = ContextVar("stationmaster_traceparent", default=None)


class Requests:
    """Marks what is done for a request, in-process calls included; tasks that a request starts inherit the mark."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":  # the scheduler is started there
            await self.app(scope, receive, send)
            return
        token = _IN_REQUEST.set(True)
        sent = next((value for name, value in scope["headers"] if name == b"traceparent"), None)
        # A call in the process is made for the request around it, and says nothing of its own.
        traced = _TRACEPARENT.set(sent.decode("latin-1") if sent else _TRACEPARENT.get())
        try:
            await self.app(scope, receive, send)
        finally:
            _TRACEPARENT.reset(traced)
            _IN_REQUEST.reset(token)


def in_request() -> bool:
    """Whether this is done for somebody who asked."""
    return _IN_REQUEST.get()


def traceparent() -> str | None:
    """The W3C trace context that came with the request, as it was sent."""
    return _TRACEPARENT.get()
