"""The client, whose errors are told as ours, and reading page by page."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from langgraph_sdk.client import LangGraphClient

from stationmaster.reconcile.translating import translated

PAGE = 1000
"""The most that a server gives at once."""


@dataclass
class Asking:
    """A client of one server, at `url`."""

    client: LangGraphClient
    url: str = ""

    async def _all(self, search: Callable[..., Awaitable[Any]], **order: Any) -> list[Any]:
        return [row async for row in self._rows(search, order)]

    async def _rows(
        self, search: Callable[..., Awaitable[Any]], order: Mapping[str, Any]
    ) -> AsyncIterator[Any]:
        offset = 0
        while True:
            with self._translated():
                page = await search(limit=PAGE, offset=offset, **order)
            for row in page:
                yield row
            if len(page) < PAGE:
                return
            offset += PAGE

    def _translated(self) -> AbstractContextManager[None]:
        return translated(self.url)


def once(rows: Sequence[Any], key: str) -> list[Any]:
    """Rows may move between pages while they are read."""
    return list({row[key]: row for row in rows}.values())
