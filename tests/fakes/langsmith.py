"""A LangSmith on the loopback: takes the runs that its client posts, as one JSON batch after the other."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

# What the client asks first; without multipart it sends plain JSON.
_INFO = {
    "version": "0.0.0",
    "batch_ingest_config": {
        "use_multipart_endpoint": False, "size_limit": 100, "size_limit_bytes": 20_000_000,
        "scale_up_nthreads_limit": 1, "scale_up_qsize_trigger": 1_000, "scale_down_nempty_trigger": 4,
    },
}  # fmt: skip


class LangSmith(ThreadingHTTPServer):
    """`runs` by id, each as posted and then patched; `connections` counts whoever came at all."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.runs: dict[str, dict[str, Any]] = {}
        self.keys: set[str | None] = set()
        self.connections = 0

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Self]:
        server = cls()
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections += 1
        super().process_request(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: LangSmith  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(_INFO)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "{}")
        self.server.keys.add(self.headers.get("x-api-key"))
        for run in (*body.get("post", ()), *body.get("patch", ())):
            told = {name: value for name, value in run.items() if value is not None}
            self.server.runs.setdefault(run["id"], {}).update(told)
        self._answer({})

    def log_message(self, *_: object, **__: object) -> None:
        """Requests are remembered, not printed."""

    def _answer(self, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
