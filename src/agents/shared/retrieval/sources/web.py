"""A search of the web over HTTP, for installations that have a key for one.

    POST <url>                        {"query": "...", "max_results": 5}
    Authorization: Bearer <key>
    200                               {"results": [{"title": "...", "url": "https://...", "content": "..."}]}

That is Tavily's search API, which others speak too; more fields are passed over. What is found is quoted from the
answer: no page is opened, so that a result can send nobody into the house's own network.
"""

import asyncio
import json
import ssl
from dataclasses import dataclass, field

import httpx
from pydantic import BaseModel, Field, ValidationError

from agents.shared.errors import PermanentError, TransientError
from agents.shared.resilience import RETRIES, Retries, breaker, retrying
from agents.shared.resilience.retry import read_retry_after
from agents.shared.retrieval.passages import LONGEST, Hit
from agents.shared.shop.text import storable

LONGEST_QUERY = 400
LARGEST_ANSWER = 2_000_000
"""Bytes; a longer answer is no answer to a search."""
MOST_RESULTS = 100
"""Of one answer; each is checked on the event loop."""
_PASSING = frozenset({408, 425, 429})


class SearchUnavailable(TransientError):
    """The web search is away, overloaded, too slow, or answers with something unreadable; its tries are used up."""


class SearchRefused(PermanentError):
    """The web search refuses our key or our request."""


class _Result(BaseModel):
    title: str = ""
    url: str = Field(pattern=r"^https?://[^\s<>\"\x00-\x1f]+$", max_length=2_000)
    content: str = ""


class _Answer(BaseModel):
    results: list[object]


@dataclass
class WebSearch:
    """Where to ask, and with which key; `timeout_s` bounds each try as a whole."""

    url: str
    key: str = field(repr=False)
    timeout_s: float = 10.0
    retries: Retries = RETRIES
    _tls: ssl.SSLContext | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if httpx.URL(self.url).scheme not in {"http", "https"}:
            raise ValueError(f"the web search's URL is {self.url!r}; it must start with http:// or https://")

    async def search(self, query: str, limit: int) -> list[Hit]:
        """What was found, best first. Three tries, with their pauses as the service asks.

        Raises SearchUnavailable, SearchRefused and BreakerOpen.
        """
        body = {"query": query.strip()[:LONGEST_QUERY], "max_results": limit}
        async for attempt in retrying(self.retries):
            with attempt:
                async with breaker("web_search"):
                    return _hits(await self._post(body))[:limit]
        raise AssertionError("retrying ends with a result or an error")

    async def _post(self, body: dict[str, object]) -> bytes:
        if self._tls is None:  # reads certificate files, which would block the event loop
            self._tls = await asyncio.to_thread(httpx.create_ssl_context)
        try:
            async with (
                asyncio.timeout(self.timeout_s),
                httpx.AsyncClient(verify=self._tls, timeout=self.timeout_s) as client,
                client.stream(
                    "POST", self.url, json=body, headers={"Authorization": f"Bearer {self.key}"}
                ) as response,
            ):
                _judge(response)
                return await _read(response)
        except (httpx.TransportError, httpx.DecodingError, TimeoutError) as error:
            detail = str(error) or type(error).__name__
            raise SearchUnavailable("web search broke off", detail=detail) from error


def _judge(response: httpx.Response) -> None:
    status = response.status_code
    if status in _PASSING or status >= 500:
        wait = read_retry_after(response.headers)
        raise SearchUnavailable(f"web search answered {status}", retry_after_s=wait)
    if not response.is_success:
        raise SearchRefused(f"web search refused with {status}: check WEB_SEARCH_URL and WEB_SEARCH_API_KEY")


async def _read(response: httpx.Response) -> bytes:
    content = bytearray()
    async for part in response.aiter_bytes():
        content += part
        if len(content) > LARGEST_ANSWER:
            raise SearchUnavailable(f"web search answered with more than {LARGEST_ANSWER:,} bytes")
    return bytes(content)


def _hits(content: bytes) -> list[Hit]:
    """The usable results; one without a text or a URL is passed over."""
    try:
        results = _Answer.model_validate(json.loads(content)).results
    except (ValueError, RecursionError) as error:
        raise SearchUnavailable("web search gave an unreadable answer") from error
    return [hit for hit in map(_hit, results[:MOST_RESULTS]) if hit]


def _hit(result: object) -> Hit | None:
    try:
        found = _Result.model_validate(result)
    except ValidationError:
        return None
    title, text = storable(found.title).strip(), storable(found.content).strip()
    return Hit(title[:300] or found.url, found.url, text[:LONGEST]) if text else None


@dataclass
class _State:
    """One per process."""

    search: WebSearch | None = None


_state = _State()


def configure(search: WebSearch | None) -> None:
    """Offer a web search, or none: called where the process is put together."""
    _state.search = search


def is_offered() -> bool:
    """Whether there is a web search."""
    return _state.search is not None


def web_search() -> WebSearch:
    """The web search. Raises SearchRefused where there is none."""
    if _state.search is None:
        raise SearchRefused("there is no web search here: set WEB_SEARCH_API_KEY")
    return _state.search
