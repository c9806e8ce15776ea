"""A server's assistants and their versions, read."""

from typing import Any

from langgraph_sdk.errors import NotFoundError

from stationmaster.reconcile.gateway.asking import PAGE, Asking, once
from stationmaster.reconcile.reading_back import assistant_from
from stationmaster.reconcile.resources import ServedAssistant


class Assistants(Asking):
    """What stands there."""

    async def assistants(self) -> tuple[ServedAssistant, ...]:
        """All of them: owned, other people's, and the one that the server makes for each graph."""
        rows = await self._all(self.client.assistants.search, sort_by="created_at", sort_order="asc")
        return tuple(assistant_from(row) for row in once(rows, "assistant_id"))

    async def assistant(self, assistant_id: str) -> ServedAssistant | None:
        """It as it is now; None where there is none."""
        with self._translated():
            try:
                return assistant_from(await self.client.assistants.get(assistant_id))
            except NotFoundError:
                return None

    async def versions(self, assistant_id: str) -> tuple[ServedAssistant, ...]:
        """Every version, newest first; `updated_at` is when it was made."""
        found: list[Any] = []
        with self._translated():
            while True:
                page = await self.client.assistants.get_versions(assistant_id, limit=PAGE, offset=len(found))
                found += page
                if len(page) < PAGE:
                    break
        rows = once(found, "version")
        return tuple(sorted(map(assistant_from, rows), key=lambda version: -version.version))

    async def versions_before(
        self, assistant_id: str, before: int | None, most: int
    ) -> tuple[ServedAssistant, ...]:
        """At most so many versions, newest first, of those older than `before`: a page costs what it shows.

        Servers number them without a gap and give the newest first; one that does otherwise is read whole.
        """
        if before is not None and before <= 1:
            return ()  # stock servers say 404 to an offset behind the last one
        with self._translated():
            offset = 0
            if before is not None:
                top = await self.client.assistants.get_versions(assistant_id, limit=1)
                offset = max(0, max((assistant_from(row).version for row in top), default=0) - before + 1)
            page: Any = await self.client.assistants.get_versions(assistant_id, limit=most, offset=offset)
        found = tuple(map(assistant_from, page))
        numbers = [version.version for version in found]
        first = numbers[0] if before is None and numbers else (before or 1) - 1
        if numbers == list(range(first, first - len(numbers), -1)):
            return found
        older = (
            each for each in await self.versions(assistant_id) if before is None or each.version < before
        )
        return tuple(older)[:most]
