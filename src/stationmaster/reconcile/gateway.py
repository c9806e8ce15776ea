"""The one module of these rooms that speaks to a server, through langgraph-sdk; it pages, writes whole, reads back."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError, NotFoundError

from stationmaster.reconcile.bodies import (
    applied_marks,
    change,
    config_of,
    cron_metadata,
    gone_labels,
    marks,
    note_for,
)
from stationmaster.reconcile.errors import Conflict, Missing, ServerRefused
from stationmaster.reconcile.reading_back import assistant_from, cron_from
from stationmaster.reconcile.resources import (
    CHANGE,
    MANAGED_BY,
    MANAGER,
    NAME,
    PAUSED,
    STRATEGIES,
    Assistant,
    Cron,
    ServedAssistant,
    ServedCron,
    Server,
    Signature,
    Work,
)
from stationmaster.reconcile.translating import gone_is_well, said, translated

ABOUT = "/stationmaster/about"
"""Where our handlers say that they are there."""
PAGE = 1000
"""The most that a server gives at once."""


@dataclass
class Gateway:
    """A server's assistants and crons. Errors are ReconcileError; a Conflict has written nothing unless it says so."""

    client: LangGraphClient
    url: str = ""
    _schemas: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    async def assistants(self) -> tuple[ServedAssistant, ...]:
        """All of them: owned, other people's, and the one that the server makes for each graph."""
        rows = await self._all(self.client.assistants.search, sort_by="created_at", sort_order="asc")
        return tuple(assistant_from(row) for row in _once(rows, "assistant_id"))

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
        rows = _once(found, "version")
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

    async def crons(self) -> tuple[ServedCron, ...]:
        """All of them, owned or not, oldest first."""
        rows = await self._all(self.client.crons.search, sort_by="created_at", sort_order="asc")
        return tuple(cron_from(row) for row in _once(rows, "cron_id"))

    async def cron(self, cron_id: str) -> ServedCron | None:
        """It as it is now; None where there is none. A server that gives no single ones is searched."""
        with self._translated():
            try:
                return cron_from(await self.client.http.get(f"/runs/crons/{cron_id}"))
            except NotFoundError:
                pass
        return next((cron for cron in await self.crons() if cron.cron_id == cron_id), None)

    async def crons_named(self, name: str) -> tuple[ServedCron, ...]:
        """The owned ones of that name: more than one is one too many."""
        marks = {MANAGED_BY: MANAGER, NAME: name}
        rows = await self._all(
            self.client.crons.search, metadata=marks, sort_by="created_at", sort_order="asc"
        )
        found = map(cron_from, _once(rows, "cron_id"))
        return tuple(
            cron for cron in found if cron.owned and cron.name == name
        )  # some servers ignore the filter

    async def schemas(self, graph: str) -> Mapping[str, Any]:
        """{input_schema, output_schema, state_schema, config_schema, context_schema} of a graph; kept.

        Missing when the server has no such graph.
        """
        if graph not in self._schemas:
            with self._translated():
                found = await self.client.assistants.search(
                    graph_id=graph, metadata={"created_by": "system"}, limit=PAGE
                )
                own = [row for row in map(assistant_from, found) if row.system and row.graph == graph]
                if not own:
                    raise Missing(f"the server has no graph {graph}: name one that langgraph.json has", 404)
                schemas = await self.client.assistants.get_schemas(own[0].assistant_id)
            self._schemas[graph] = {**schemas}
        return self._schemas[graph]

    async def server(self) -> Server:
        """Whether Stationmaster's handlers run there, and on which runtime."""
        try:
            with translated(self.url):
                about: Any = await self.client.http.get(ABOUT)
        except ServerRefused:
            return "foreign"
        known = isinstance(about, Mapping) and about.get("stationmaster")
        return ("durable" if about.get("durable") else "stock") if known else "foreign"

    async def work_under(self, assistant_id: str) -> Work:
        """What its threads say: a hint, since some that wait read `error` or `idle`; reviews know better."""
        of: Any = {"assistant_id": assistant_id}
        with self._translated():
            running = await self.client.threads.count(status="busy", metadata=of)
            return Work(running, await self.client.threads.count(status="interrupted", metadata=of))

    async def create_assistant(self, assistant: Assistant, by: Signature) -> ServedAssistant:
        """Make it, under its own id; Conflict when that id is taken."""
        metadata = {
            **assistant.metadata,
            **marks(assistant),
            **applied_marks(assistant),
            CHANGE: change(by, None),
        }
        with self._translated():
            try:
                made = await self.client.assistants.create(
                    assistant.graph, config_of(assistant), context=dict(assistant.context), metadata=metadata,
                    assistant_id=assistant.assistant_id, if_exists="raise", name=assistant.name,
                    description=assistant.description,
                )  # fmt: skip
            except ConflictError:
                raise Conflict(
                    f"assistant {assistant.name}: somebody made it meanwhile; plan again to see what it is"
                ) from None
        return assistant_from(made)

    async def update_assistant(
        self,
        before: ServedAssistant,
        content: Assistant,
        by: Signature,
        *,
        applied: bool = False,
        exact: bool = False,
    ) -> ServedAssistant:
        """Write the whole content as the version after `before`, and give it as it is read back.

        `applied`: note that a file says so, so that later changes by others show as drift. `exact`: take away labels
        that the content lacks, others' too. Conflict when `before` is no longer current, which is looked at right
        before; and when another version came in between all the same, or took its place at once: the message says so.
        """
        version = await self._next_version(before)
        now = await self.assistant(before.assistant_id)
        if now is None or now.version != before.version:
            raise _moved_on(before, now)
        metadata = {
            **gone_labels(now, content, exact=exact), **content.metadata, **marks(content),
            **(applied_marks(content) if applied else {}),
            CHANGE: change(by, before.version, None if version == before.version + 1 else version),
        }  # fmt: skip
        # Not `assistants.update`: it leaves out what is empty, and a description could never be cleared.
        body = {
            "graph_id": content.graph, "name": content.name, "description": content.description,
            "context": dict(content.context), "config": config_of(content), "metadata": metadata,
        }  # fmt: skip
        with self._translated():
            try:
                written = await self.client.http.patch(f"/assistants/{before.assistant_id}", json=body)
            except ConflictError as error:  # our own handlers look once more, right before the write
                raise Conflict(f"assistant {content.name}: {said(error)}") from None
        made = assistant_from(written)
        if made.version != version:
            raise Conflict(
                f"assistant {content.name}: version {version} was written by somebody else in the same "
                f"moment, and version {made.version} now stands above it; compare the two and write the right one again"
            )
        after = await self.assistant(before.assistant_id) or made
        if after.version != version:
            who = after.change.get("author") if after.signed else None
            raise Conflict(
                f"assistant {content.name}: version {version} was written, and version {after.version}"
                f"{f' by {who}' if who else ''} took its place at once: look at it, then do it again if that is still "
                "right"
            )
        return after

    async def _next_version(self, before: ServedAssistant) -> int:
        """The number that a write gets: above the highest, which need not be the current one (set as latest)."""
        with self._translated():
            try:
                rows = await self.client.assistants.get_versions(before.assistant_id, limit=1)
            except NotFoundError:  # or so: the look at the current one will say it
                rows = []
        return max(before.version, *(assistant_from(row).version for row in rows), 0) + 1

    async def delete_assistant(self, before: ServedAssistant) -> None:
        """Take it away, its crons with it as servers do; threads stay. Nothing happens if it is gone already."""
        now = await self.assistant(before.assistant_id)
        if now is None:
            return
        if now.version != before.version:
            raise _moved_on(before, now)
        with self._translated(), gone_is_well():
            await self.client.assistants.delete(before.assistant_id)

    async def create_cron(
        self, cron: Cron, by: Signature, *, paused: Mapping[str, Any] | None = None
    ) -> ServedCron:
        """Make it; with `paused` it stands still for that reason.

        Servers take no id for crons: whoever calls this has looked that there is none, under the lock of applies.
        """
        metadata = {
            **cron_metadata(cron),
            CHANGE: change(by, None),
            **({PAUSED: note_for(cron, paused)} if paused else {}),
        }
        common: dict[str, Any] = {
            "schedule": cron.schedule, "timezone": cron.timezone, "input": dict(cron.input), "metadata": metadata,
            "enabled": cron.enabled and not paused, "multitask_strategy": STRATEGIES[cron.overlap],
        }  # fmt: skip
        with self._translated():
            if cron.thread_id is None:
                made = await self.client.crons.create(
                    cron.assistant_id, on_run_completed="keep", **common
                )  # the default takes the thread away even when it waits for a person
            else:
                await self.client.threads.create(
                    thread_id=cron.thread_id, if_exists="do_nothing", metadata={MANAGED_BY: MANAGER}
                )
                made = await self.client.crons.create_for_thread(cron.thread_id, cron.assistant_id, **common)
        return cron_from(made)

    async def update_cron(
        self, before: ServedCron, cron: Cron, by: Signature, fields: Sequence[str]
    ) -> ServedCron:
        """Write the named fields. Of a paused one `enabled` is for when it is resumed.

        Schedule and zone go together with `enabled`: the server then counts the next time anew, and a cron that is
        enabled again does not fire for the past. Otherwise they stay out, or a slot that is due now would be lost.
        Conflict when somebody wrote it since `before`. One who pauses it in the very moment wins: it is stopped again.
        """
        await self.require_same(before)
        asked: dict[str, Any] = {"metadata": {**cron_metadata(cron), CHANGE: change(by, None)}}
        if {"schedule", "timezone", "enabled"} & set(fields):
            enabled = cron.enabled and not before.stopped
            asked |= {"schedule": cron.schedule, "timezone": cron.timezone, "enabled": enabled}
        if before.stopped and "enabled" in fields:
            asked["metadata"][PAUSED] = note_for(cron, before.paused or {})
        if "input" in fields:
            asked["input"] = dict(cron.input)
        if "on_run_completed" in fields and cron.thread_id is None:
            asked["on_run_completed"] = "keep"
        if "end_time" in fields:
            asked["end_time"] = None
        after = await self.patch_cron(before.cron_id, **asked)
        if before.paused is None and after.paused is not None:
            if after.enabled:
                await self.patch_cron(before.cron_id, enabled=False)
            raise Conflict(
                f"cron {cron.name}: somebody paused it in the same moment, and it stays so. Plan again"
            )
        return after

    async def require_same(self, before: ServedCron) -> None:
        """Conflict when somebody wrote or deleted it since; that it fired is nothing."""
        _require_same(before, await self.cron(before.cron_id))

    async def remove_cron(self, before: ServedCron) -> None:
        """Take it away as it was seen; Conflict when somebody wrote it since. Nothing happens if it is gone already."""
        now = await self.cron(before.cron_id)
        if now is not None:
            _require_same(before, now)
            await self.delete_cron(before.cron_id)

    async def patch_cron(self, cron_id: str, **asked: Any) -> ServedCron:
        """Write what is asked, as `crons.update` takes it; metadata merges, and null takes a key away."""
        with self._translated():
            return cron_from(await self.client.crons.update(cron_id, **asked))

    async def delete_cron(self, cron_id: str) -> None:
        """Take it away; nothing happens if it is gone already."""
        with self._translated(), gone_is_well():
            await self.client.crons.delete(cron_id)

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


def _once(rows: Sequence[Any], key: str) -> list[Any]:
    """Rows may move between pages while they are read."""
    return list({row[key]: row for row in rows}.values())


def _moved_on(before: ServedAssistant, now: ServedAssistant | None) -> Conflict:
    name = before.known_as or before.name
    if now is None:
        return Conflict(f"assistant {name}: somebody deleted it meanwhile; nothing was written. Plan again")
    who = now.change.get("author")
    return Conflict(
        f"assistant {name}: version {before.version} was expected and {now.version} is current"
        f"{f', by {who}' if who else ''}; nothing was written. Look at it, then do it again"
    )


def _require_same(before: ServedCron, now: ServedCron | None) -> None:
    if now is None or not now.same_as(before):
        what = "deleted" if now is None else "paused" if now.stopped and not before.stopped else "changed"
        raise Conflict(
            f"cron {before.name or before.cron_id}: somebody {what} it meanwhile; nothing was written. Plan again"
        )
