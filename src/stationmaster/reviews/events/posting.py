"""Post one signed event (Standard Webhooks). Nothing that comes back counts but the status."""

import asyncio
import ssl
from collections.abc import Mapping
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Self

import httpcore
from standardwebhooks import Webhook

from stationmaster.receivers import EventUrl
from stationmaster.reviews.events.addresses import AddressRefused, CheckedNetwork
from stationmaster.reviews.outbox.worker import AT_ONCE, NotAccepted

CONNECT_S = 5.0
READ_S = 10.0
TOTAL_S = 15.0
GONE = 410


class Poster:
    """A context manager: connections for one round of sending."""

    def __init__(self, *, private: bool) -> None:
        self._private = private
        self._stack = AsyncExitStack()
        self._pool: httpcore.AsyncConnectionPool | None = None
        self._opening = asyncio.Lock()
        self._agent = f"stationmaster/{version('stationmaster')}"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def post(self, to: EventUrl, message_id: str, body: str) -> None:
        """Returns once it was accepted with a 2xx; NotAccepted says why it was not."""
        try:
            async with asyncio.timeout(TOTAL_S):
                status = await self._status(to, message_id, body)
        except TimeoutError:
            raise NotAccepted(f"no answer within {TOTAL_S:.0f} s") from None
        except httpcore.TimeoutException as error:
            raise NotAccepted(_timed_out(error)) from None
        except AddressRefused:
            raise NotAccepted(
                "its address is private: name a public one, or set STATIONMASTER_EVENT_PRIVATE=true"
            ) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, ssl.SSLError) as error:
            raise NotAccepted(f"no connection, or one that was cut ({_said(error)})") from None
        if not 200 <= status < 300:
            raise NotAccepted(_refused(status), final=status == GONE)

    async def _status(self, to: EventUrl, message_id: str, body: str) -> int:
        data = body.encode()
        now = datetime.now(UTC)
        signatures = " ".join(
            Webhook(secret.get_secret_value()).sign(message_id, now, body) for secret in to.secrets
        )
        headers: Mapping[bytes | str, bytes | str] = {
            "content-type": "application/json", "content-length": str(len(data)), "user-agent": self._agent,
            "webhook-id": message_id, "webhook-timestamp": str(int(now.timestamp())), "webhook-signature": signatures,
        }  # fmt: skip
        timeout = {"connect": CONNECT_S, "read": READ_S, "write": READ_S, "pool": TOTAL_S}
        # The body that comes back is never read: it could be endless, and says nothing that we would believe.
        connections = await self._connections()
        async with connections.stream(
            "POST", to.url, headers=headers, content=data, extensions={"timeout": timeout}
        ) as response:
            return response.status

    async def _connections(self) -> httpcore.AsyncConnectionPool:
        """Made when something is sent: reading certificates takes its time, and most rounds send nothing."""
        async with self._opening:
            if self._pool is None:
                trusted = await asyncio.to_thread(ssl.create_default_context)
                self._pool = await self._stack.enter_async_context(
                    httpcore.AsyncConnectionPool(
                        ssl_context=trusted, max_connections=AT_ONCE, max_keepalive_connections=0,
                        network_backend=CheckedNetwork(private=self._private),
                    )
                )  # fmt: skip
            return self._pool


def _timed_out(error: httpcore.TimeoutException) -> str:
    connecting = isinstance(error, httpcore.ConnectTimeout)
    return f"no connection within {CONNECT_S:.0f} s" if connecting else f"no answer within {READ_S:.0f} s"


def _said(error: Exception) -> str:
    """The kind of failure, and what the system says of it: no text of the receiver's."""
    reason = error.__cause__ or error.__context__ or error
    return (getattr(reason, "strerror", None) or type(error).__name__)[:200]


def _refused(status: int) -> str:
    if 300 <= status < 400:
        return f"answered {status}, a redirect, which is not followed: configure the address it leads to"
    if status == GONE:
        return f"answered {status}: it wants no more of them; take it out of the settings"
    return f"answered {status}"
