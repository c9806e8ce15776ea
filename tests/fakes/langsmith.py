"""A LangSmith on the loopback: takes the runs that its client posts, as one JSON batch after the other."""

import json
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.fakes.loopback_server import LoopbackServer, Quiet

# What the client asks first; without multipart it sends plain JSON.
_INFO = {
    "version": "0.0.0",
    "batch_ingest_config": {
        "use_multipart_endpoint": False, "size_limit": 100, "size_limit_bytes": 20_000_000,
        "scale_up_nthreads_limit": 1, "scale_up_qsize_trigger": 1_000, "scale_down_nempty_trigger": 4,
    },
}  # fmt: skip


class LangSmith(LoopbackServer):
    """`runs` by id, each as posted and then patched; `keys` are those that came along."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: dict[str, dict[str, Any]] = {}
        self.keys: set[str | None] = set()


class _Handler(Quiet, BaseHTTPRequestHandler):
    server: LangSmith  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        self._say(_INFO)

    def do_POST(self) -> None:
        body = json.loads(self.body() or "{}")
        self.server.keys.add(self.headers.get("x-api-key"))
        for run in (*body.get("post", ()), *body.get("patch", ())):
            told = {name: value for name, value in run.items() if value is not None}
            self.server.runs.setdefault(run["id"], {}).update(told)
        self._say({})

    def _say(self, value: dict[str, Any]) -> None:
        self.answer(200, "application/json", json.dumps(value).encode())


LangSmith.handler = _Handler
