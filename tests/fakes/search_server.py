"""A web search on the loopback, and vectors of a provider: answers for the scripted server of openai_server.py.

with SearchServer.running(finds(("Tulips", "https://a.example/", "They bloom in April."))) as server:
    server.script(Status(500), Hang())           # the first two requests; then it finds
    ... WebSearch(server.url, "key") ...
    assert [call.body["query"] for call in server.calls] == [...]
"""

import time
from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

from tests.fakes.openai_answers import Action, Call, Completion
from tests.fakes.openai_server import OpenAIServer

KEY = "search-key-that-is-never-real"
Result = tuple[str, str, str]
"""Title, URL and text."""


class SearchServer(OpenAIServer):
    """`url` is what WEB_SEARCH_URL has to be; the rest is as for models."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/search"

    def wait_for(self, calls: int, timeout_s: float = 20.0) -> None:
        """Block until it was asked so often. Raises TimeoutError."""
        until = time.monotonic() + timeout_s
        while len(self.calls) < calls:
            if time.monotonic() > until:
                raise TimeoutError(f"asked {len(self.calls)} times, not {calls}")
            time.sleep(0.01)

    @property
    def queries(self) -> list[str]:
        return [call.body["query"] for call in self.calls]


def finds(*results: Result) -> Callable[[Call], Action]:
    """Answers every search with these."""
    body = {"results": [{"title": title, "url": url, "content": text} for title, url, text in results]}
    return lambda _: Completion(body)


def vectors(dimension: int = 8) -> Callable[[Call], Action]:
    """Answers requests for embeddings: a text's words are counted in so many places."""

    def answer(call: Call) -> Action:
        return Completion(embedded([_vector(text, dimension) for text in call.body["input"]]))

    return answer


def embedded(rows: Sequence[Any]) -> dict[str, Any]:
    """The body of an answer with these vectors."""
    data = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
    return {"object": "list", "model": "fake", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def _vector(text: str, dimension: int) -> list[float]:
    counted = [0.01] * dimension
    for word in text.lower().split():
        counted[crc32(word.strip(".,?!").encode()) % dimension] += 1.0
    return counted
