"""A small OpenAI-compatible server on the loopback: scripted per request, remembers what it was asked.

    with OpenAIServer.running(by_rules(rules)) as server:   # answers every request by rules
        server.script(Status(429, headers={"Retry-After": "1"}), Say("hello"))   # but first these
        ... OPENAI_BASE_URL=server.url ...
        assert len(server.calls) == 2

Only what PATHS names can be POSTed to. Plain threads and sockets, so that a connection can be torn anywhere.
"""

import json
import socket
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from typing import Any, Self

from tests.fakes.openai_answers import (
    Action,
    Call,
    Completion,
    Cut,
    Hang,
    Raw,
    Responder,
    Say,
    Status,
    completion,
    stream_of,
)

PATHS = ("/v1/chat/completions", "/v1/embeddings", "/search")


def _nothing_scripted(_: Call) -> Action:
    return Status(500, "nothing was scripted for this request; call script() or pass a responder")


class OpenAIServer(ThreadingHTTPServer):
    """`url` is what OPENAI_BASE_URL has to be; `calls` lists the requests in the order of their arrival."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, responder: Responder = _nothing_scripted) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.responder = responder
        self.calls: list[Call] = []
        self.stopped = threading.Event()
        self._script: deque[Action] = deque()
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()

    @classmethod
    @contextmanager
    def running(cls, responder: Responder = _nothing_scripted) -> Iterator[Self]:
        server = cls(responder)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.stopped.set()
            server.shutdown()
            server.close_connections()
            server.server_close()
            thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def script(self, *actions: Action) -> None:
        """Answer the next requests with these, one each, before the responder gets its turn again."""
        self._script.extend(actions)

    def next_action(self, call: Call) -> Action:
        with self._lock:
            self.calls.append(call)
            scripted = self._script.popleft() if self._script else None
        return scripted or self.responder(call)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def close_connections(self) -> None:
        """Wake the threads that wait on a kept-alive connection."""
        for connection in tuple(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: OpenAIServer  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path not in PATHS:
            message = f"only {', '.join(PATHS)} exist, not {self.path}"
            return self._send_json(404, {"error": {"message": message}})
        headers = {name.lower(): value for name, value in self.headers.items()}
        call = Call(self.path, headers, json.loads(text))
        with suppress(ConnectionError):  # the client went away, as a client under test may
            self._act(call, self.server.next_action(call))
        return None

    def log_message(self, *_: object, **__: object) -> None:
        """Requests are remembered, not printed."""

    def _act(self, call: Call, action: Action) -> None:
        match action:
            case Say():
                self._complete(call, completion(call, action))
            case Completion(body):
                self._complete(call, body)
            case Status(code, message, error_code, headers):
                error = {"message": message, "type": "fake", "param": None, "code": error_code}
                self._send_json(code, {"error": error}, headers)
            case Raw(body, content_type):
                self._send(200, body, {"Content-Type": content_type})
            case Hang(chunks):
                if chunks:
                    self._send_some_chunks(call, Cut(chunks=chunks))
                self.server.stopped.wait()
                self.close_connection = True
            case Cut():
                self._cut(call, action)

    def _complete(self, call: Call, body: dict[str, Any]) -> None:
        if not call.body.get("stream"):
            return self._send_json(200, body)
        self._start_stream()
        include_usage = bool((call.body.get("stream_options") or {}).get("include_usage"))
        for chunk in stream_of(body, include_usage=include_usage):
            self._send_chunk(f"data: {json.dumps(chunk)}\n\n")
        self._send_chunk("data: [DONE]\n\n")
        self._send_chunk("")
        return None

    def _cut(self, call: Call, cut: Cut) -> None:
        self.close_connection = True
        if call.body.get("stream"):
            self._send_some_chunks(call, cut)
            if cut.politely:
                self._send_chunk("")
            return
        whole = json.dumps(completion(call, Say(cut.text))).encode()
        half = whole[: len(whole) // 2]
        length = len(half) if cut.politely else len(whole)
        self._send(200, half, {"Content-Type": "application/json", "Content-Length": str(length)})

    def _send_some_chunks(self, call: Call, cut: Cut) -> None:
        self._start_stream()
        for chunk in islice(stream_of(completion(call, Say(cut.text)), include_usage=False), cut.chunks):
            self._send_chunk(f"data: {json.dumps(chunk)}\n\n")

    def _start_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _send_chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def _send_json(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        kind = {"Content-Type": "application/json"}
        self._send(status, json.dumps(body).encode(), kind | (headers or {}))

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
