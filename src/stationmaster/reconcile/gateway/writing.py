"""Assistants made, written whole and read back, and taken away: each only as it was seen before."""

from langgraph_sdk.errors import ConflictError, NotFoundError

from stationmaster.reconcile.bodies import applied_marks, change, config_of, gone_labels, marks
from stationmaster.reconcile.errors import Conflict
from stationmaster.reconcile.gateway.assistants import Assistants
from stationmaster.reconcile.reading_back import assistant_from
from stationmaster.reconcile.resources import CHANGE, Assistant, ServedAssistant, Signature
from stationmaster.reconcile.translating import gone_is_well, said


class WrittenAssistants(Assistants):
    """What is written there. Conflict where somebody else wrote it since."""

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


def _moved_on(before: ServedAssistant, now: ServedAssistant | None) -> Conflict:
    name = before.known_as or before.name
    if now is None:
        return Conflict(f"assistant {name}: somebody deleted it meanwhile; nothing was written. Plan again")
    who = now.change.get("author")
    return Conflict(
        f"assistant {name}: version {before.version} was expected and {now.version} is current"
        f"{f', by {who}' if who else ''}; nothing was written. Look at it, then do it again"
    )
