"""A payment provider on the loopback: keeps its own ledger by Idempotency-Key, and misbehaves on request.

    with PaymentProvider.running() as provider:
        provider.script(Status(500), CUT_AFTER_RECORDING)   # the first two requests; then it behaves
        ... HttpProvider(provider.url, provider.api_key) ...
        assert provider.refunds == [...]

It knows `POST /refunds`, and for the treasury `/transfers` and `/trades`, kept in `orders`. Plain threads and sockets,
so that a connection can be cut anywhere.
"""

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True)
class Status:
    """Answer with this status and record nothing."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = field(default_factory=lambda: {"error": "as scripted"})


@dataclass(frozen=True)
class Hang:
    """Say nothing until the server stops; recorded or not."""

    recorded: bool = False


@dataclass(frozen=True)
class Cut:
    """Close the connection without an answer; recorded or not."""

    recorded: bool = False


@dataclass(frozen=True)
class Garble:
    """Record, and answer 200 with what can't be read."""

    body: bytes = b"<html>welcome</html>"


@dataclass(frozen=True)
class Misstate:
    """Record, and answer with another amount than was asked for."""

    amount: str


Step = Status | Hang | Cut | Garble | Misstate


@dataclass(frozen=True)
class Refund:
    """A row of the provider's ledger; `amount` in USD as it was sent."""

    id: str
    key: str
    order_id: str
    amount: str


@dataclass(frozen=True)
class Order:
    """A transfer or a trade of the provider's ledger; `body` as it was sent."""

    id: str
    key: str
    path: str
    body: dict[str, str]


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    key: str | None
    authorization: str | None
    body: Any
    path: str = "/refunds"


class PaymentProvider(ThreadingHTTPServer):
    """`refunds` is its ledger, `asked` every request in the order of arrival."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    api_key = "provider-key"

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[Asked] = []
        self.stopped = threading.Event()
        self.hanging = threading.Event()
        self._steps: deque[Step] = deque()
        self._ledger: dict[str, Refund] = {}
        self._orders: dict[str, Order] = {}
        self._lock = threading.Lock()

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Self]:
        """A server that answers until the block ends; requests left hanging are let go then."""
        server = cls()
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.stopped.set()
            server.shutdown()
            thread.join()
            server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def refunds(self) -> list[Refund]:
        with self._lock:
            return list(self._ledger.values())

    @property
    def orders(self) -> list[Order]:
        """Transfers and trades that were carried out, in order."""
        with self._lock:
            return list(self._orders.values())

    def script(self, *steps: Step) -> None:
        """What to do with the next requests, one step each."""
        with self._lock:
            self._steps.extend(steps)

    def next_step(self, asked: Asked) -> Step | None:
        with self._lock:
            self.asked.append(asked)
            return self._steps.popleft() if self._steps else None

    def record(self, asked: Asked) -> tuple[Refund | None, bool]:
        """The key's refund and whether it was there before; None when the key was used for something else."""
        with self._lock:
            wanted = (asked.body["order_id"], asked.body["amount"])
            known = self._ledger.get(asked.key or "")
            if known is not None:
                return (known if (known.order_id, known.amount) == wanted else None), True
            refund = Refund(f"re_{len(self._ledger) + 1:04}", asked.key or "", *wanted)
            self._ledger[refund.key] = refund
            return refund, False

    def carry_out(self, asked: Asked) -> tuple[Order | None, bool]:
        """The same for a transfer or a trade."""
        with self._lock:
            known = self._orders.get(asked.key or "")
            if known is not None:
                return (known if (known.path, known.body) == (asked.path, asked.body) else None), True
            order = Order(f"tx_{len(self._orders) + 1:04}", asked.key or "", asked.path, asked.body)
            self._orders[order.key] = order
            return order, False


class _Handler(BaseHTTPRequestHandler):
    server: PaymentProvider  # type: ignore[assignment]

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length))
        asked = Asked(self.headers.get("Idempotency-Key"), self.headers.get("Authorization"), body, self.path)
        step = self.server.next_step(asked)
        if isinstance(step, Hang | Cut):
            self._vanish(step, asked)
        elif isinstance(step, Status):
            self._answer(step.status, json.dumps(step.body).encode(), step.headers)
        elif self.path not in ("/refunds", "/transfers", "/trades"):
            self._answer(404, b'{"error": "no such path"}')
        elif asked.authorization != f"Bearer {self.server.api_key}":
            self._answer(401, b'{"error": "unknown key"}')
        elif not asked.key:
            self._answer(400, b'{"error": "an Idempotency-Key is required"}')
        else:
            (self._refund if self.path == "/refunds" else self._order)(asked, step)

    def _vanish(self, step: Hang | Cut, asked: Asked) -> None:
        if step.recorded:
            (self.server.record if asked.path == "/refunds" else self.server.carry_out)(asked)
        if isinstance(step, Hang):
            self.server.hanging.set()
            self.server.stopped.wait()
        self.close_connection = True

    def _refund(self, asked: Asked, step: Garble | Misstate | None) -> None:
        refund, repeated = self.server.record(asked)
        if refund is None:
            self._answer(422, b'{"error": "this key was used for another refund"}')
        elif isinstance(step, Garble):
            self._answer(200, step.body)
        else:
            amount = step.amount if isinstance(step, Misstate) else refund.amount
            body = {"id": refund.id, "order_id": refund.order_id, "amount": amount, "currency": "USD"}
            headers = {"Idempotent-Replayed": "true"} if repeated else {}
            self._answer(200 if repeated else 201, json.dumps(body).encode(), headers)

    def _order(self, asked: Asked, step: Garble | Misstate | None) -> None:
        order, repeated = self.server.carry_out(asked)
        if order is None:
            self._answer(422, b'{"error": "this key was used for something else"}')
        elif isinstance(step, Garble):
            self._answer(200, step.body)
        else:
            body = {"id": order.id, "amount": step.amount if step else order.body["amount"]}
            headers = {"Idempotent-Replayed": "true"} if repeated else {}
            self._answer(200 if repeated else 201, json.dumps(body).encode(), headers)

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Quiet."""
