"""What a promote or a rollback would write, worked out before anything is: content, changes, consequences."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from stationmaster.assistants.differing import Difference, differences, written
from stationmaster.assistants.errors import AssistantsError, CanaryRuns, NoSuchAssistant, NothingToDo
from stationmaster.assistants.fitting import require_runnable
from stationmaster.assistants.impact import Impact, impact_of
from stationmaster.assistants.routes import Canary, Routes
from stationmaster.assistants.versions import find_ours, name_of, ref, referred, version_of
from stationmaster.reconcile.errors import Conflict
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import CANARY, Assistant, ServedAssistant
from stationmaster.reviews.database import Pool

LOOKED_AT = 20
"""Versions at once, when the newest one that says something else is looked for."""


@dataclass(frozen=True)
class Proposal:
    """A version that could be written after `target`, which is expected to be current then.

    `verb` is promote or rollback, `origin` the version whose content it is (`support-next@2`). `routes` are what the
    assistant's canary and pins shall be from then on; `closes` is the canary that this ends.
    """

    verb: str
    target: ServedAssistant
    origin: str
    content: Assistant
    changes: tuple[Difference, ...]
    impact: Impact
    routes: Routes
    closes: Canary | None = None
    exact: bool = False
    notes: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """What is kept as the change's source."""
        return f"{self.verb} {self.origin}"

    @property
    def metadata(self) -> Mapping[str, Any]:
        return {**self.content.metadata, CANARY: self.routes.kept()}

    def consequences(self) -> list[str]:
        """What becomes of what runs and waits, in words."""
        old, new = f"version {self.target.version}", f"version {self.target.version + 1}"
        said = self.impact.sentences(old, new)
        if self.closes:
            said.append(f"The canary of {self.closes.arm.name} ends: every thread gets {new}.")
        return [*said, *self.notes]


async def propose_promote(
    gateway: Gateway, pool: Pool | None, name: str, origin: str | None = None, *, expected: int | None = None
) -> Proposal:
    """`origin`'s behaviour (graph, context, limit) as the next version of the assistant called `name`.

    Without an origin it is the arm of the running canary. Description, tags and labels stay: they say what the
    assistant is, and `experiment` would no longer be true. Conflict if `expected` is not current.
    """
    target = require_current(await find_ours(gateway, name), expected)
    routes = Routes.of(target.metadata)
    source = await _origin(gateway, target, routes, origin)
    closes = routes.canary
    if closes and closes.arm.assistant_id != source.assistant_id:
        raise CanaryRuns(
            f"a canary of {closes.arm.name} runs on {name_of(target)}: promote that one, or end it first with "
            f"`stationmaster assistants canary end {name_of(target)}`"
        )
    content = replace(
        target.content(), graph=source.graph, context=source.context, recursion_limit=source.recursion_limit,
    )  # fmt: skip
    changes = written(target, content)
    if not changes and not closes:
        raise NothingToDo(f"{ref(target)} and {ref(source)} say the same: nothing would change")
    await require_runnable(gateway, content, ref(source))
    return Proposal(
        verb="promote", target=target, origin=ref(source), content=content, changes=changes,
        impact=await impact_of(gateway, pool, target), routes=replace(routes, canary=None), closes=closes,
        notes=_notes(target, source),
    )  # fmt: skip


async def propose_rollback(
    gateway: Gateway, pool: Pool | None, name: str, to: int | None = None, *, expected: int | None = None
) -> Proposal:
    """An earlier version's content, every field of it, as the next version.

    Without a number it is the newest one that says something else than the current. Whether it is live, and its canary,
    are no content and stay. Conflict if `expected` is not current.
    """
    target = require_current(await find_ours(gateway, name), expected)
    earlier = await _earlier(gateway, target, to)
    content = replace(earlier.content(), name=name_of(target), live=target.live)
    changes = written(target, content)
    if not changes:
        raise NothingToDo(f"version {earlier.version} of {name_of(target)} says what the current one says")
    await require_runnable(gateway, content, f"version {earlier.version} of {name_of(target)}")
    routes = Routes.of(target.metadata)
    notes = _notes(target, earlier)
    if canary := routes.canary:
        notes = (*notes, f"The canary of {canary.arm.name} goes on beside it.")
    return Proposal(
        verb="rollback", target=target, origin=ref(replace(earlier, metadata=target.metadata)), content=content,
        changes=changes, impact=await impact_of(gateway, pool, target), routes=routes, exact=True, notes=notes,
    )  # fmt: skip


async def _origin(
    gateway: Gateway, target: ServedAssistant, routes: Routes, origin: str | None
) -> ServedAssistant:
    if origin is not None:
        return await referred(gateway, origin)
    if routes.canary is None:
        raise AssistantsError(
            f"{name_of(target)} has no canary, so say whose content to promote: "
            f"`stationmaster assistants promote {name_of(target)} --from OTHER`"
        )
    found = await gateway.assistant(routes.canary.arm.assistant_id)
    if found is None:
        raise NoSuchAssistant(
            f"{routes.canary.arm.name}, the canary's assistant, is gone: end the canary instead"
        )
    return found


async def _earlier(gateway: Gateway, target: ServedAssistant, to: int | None) -> ServedAssistant:
    if to is not None:
        return await version_of(gateway, target, to)
    before = target.version
    while rows := await gateway.versions_before(target.assistant_id, before, LOOKED_AT):
        found = next((row for row in rows if _says_otherwise(target, row)), None)
        if found is not None:
            return found
        before = rows[-1].version
    raise NothingToDo(f"{name_of(target)} has no earlier version that says anything else")


def _says_otherwise(target: ServedAssistant, row: ServedAssistant) -> bool:
    return any(change.field not in ("live", "name") for change in differences(target, row))


def require_current(target: ServedAssistant, expected: int | None) -> ServedAssistant:
    """The same; Conflict unless it is at the version that somebody looked at."""
    if expected is not None and target.version != expected:
        who = target.change.get("author")
        raise Conflict(
            f"{name_of(target)} is at version {target.version}{f', by {who}' if who else ''}, and version {expected} "
            f"was expected: nothing was written; `stationmaster assistants diff {name_of(target)}@{expected} "
            f"{name_of(target)}` shows what changed"
        )
    return target


def _notes(target: ServedAssistant, source: ServedAssistant) -> tuple[str, ...]:
    notes = []
    if source.graph != target.graph:
        notes.append(
            f"The graph changes from {target.graph} to {source.graph}: threads that wait go on in the other graph, "
            "which may not know where they stand."
        )
    if lost := sorted({*source.config, *target.config}):
        notes.append(f"Not kept, since a file can't say it: config.{', config.'.join(lost)}.")
    return tuple(notes)
