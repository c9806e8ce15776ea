"""Something that answers on a port: as a deployment with many threads does, or as none does."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answers = Callable[[str, Mapping[str, Any]], tuple[int, bytes]]


@contextmanager
def answering(answers: Answers) -> Iterator[str]:
    """The URL of a server that gives `answers(path, body)`: a status and a text."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
            self._answer(*answers(self.path, body))

        def do_GET(self) -> None:
            self._answer(*answers(self.path, {}))

        def _answer(self, status: int, text: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name above
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def status(code: int) -> Answers:
    return lambda path, body: (code, b'{"detail": "no"}')


def garbage(path: str, body: Mapping[str, Any]) -> tuple[int, bytes]:
    return 200, b"<html>it works</html>"


def other_json(path: str, body: Mapping[str, Any]) -> tuple[int, bytes]:
    return 200, b'{"hello": "world"}'


def slow(path: str, body: Mapping[str, Any]) -> tuple[int, bytes]:
    time.sleep(1.0)  # longer than the test's patience
    return 200, b"[]"


def holding(rows: Sequence[Mapping[str, Any]], nodes: Sequence[str], asked: list[str]) -> Answers:
    """A deployment of one graph, g, with these threads; what it is asked for is noted."""

    def answers(path: str, body: Mapping[str, Any]) -> tuple[int, bytes]:
        asked.append(path)
        if "/graph" in path:
            return 200, json.dumps({"nodes": [{"id": name} for name in nodes], "edges": []}).encode()
        if path == "/assistants/search":
            return 200, json.dumps(
                [{"assistant_id": "a", "graph_id": "g", "name": "g", "context": {}}]
            ).encode()
        there = [row for row in rows if row["status"] == body.get("status")]
        return 200, json.dumps(there[body["offset"] : body["offset"] + body["limit"]]).encode()

    return answers
