"""What saving an edited form would write: checked against the graph's own schema, with changes and consequences."""

from collections.abc import Iterator, Mapping
from typing import Any

from stationmaster.assistants.differing import written
from stationmaster.assistants.errors import AssistantsError, NothingToDo, NotOurs
from stationmaster.assistants.impact import impact_of
from stationmaster.assistants.proposing import Proposal
from stationmaster.assistants.routes import Routes
from stationmaster.assistants.versions import name_of, ref
from stationmaster.keepable import unkeepable
from stationmaster.reconcile.errors import Conflict
from stationmaster.reconcile.files.contexts import Place, wrong_in
from stationmaster.reconcile.files.secrets import secrets_in, telling
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import Assistant, ServedAssistant
from stationmaster.reviews.database import Pool


class HeldByFile(AssistantsError):
    """A file describes it, and the console may not make it differ."""


def held_by_file(assistant: ServedAssistant, *, allow_drift: bool) -> bool:
    """Whether only its file may change it: an apply wrote it, and drift is not allowed."""
    return assistant.owned and bool(assistant.applied) and not allow_drift


def require_editable(assistant: ServedAssistant, *, allow_drift: bool) -> None:
    """NotOurs, HeldByFile; each says where it can be changed."""
    name = name_of(assistant)
    if not assistant.owned:
        whose = "the server makes it anew for its graph" if assistant.system else "somebody else made it"
        raise NotOurs(
            f"{name} is not Stationmaster's ({whose}), so it is not changed here: download it as a file and apply that"
        )
    if held_by_file(assistant, allow_drift=allow_drift):
        raise HeldByFile(
            f"a file describes {name} (assistants/{name}.yaml) and drift is not allowed: change the file and apply it, "
            "or set STATIONMASTER_ALLOW_DRIFT=true for the console"
        )


async def propose_edit(
    gateway: Gateway, pool: Pool | None, target: ServedAssistant, content: Assistant, *, expected: int
) -> Proposal:
    """The content as the next version; canary and pins stay. Conflict if `expected` is not current; NothingToDo."""
    if target.version != expected:
        who = target.change.get("author")
        raise Conflict(
            f"{name_of(target)} is at version {target.version}{f', by {who}' if who else ''}, and you edited version "
            f"{expected}: nothing was written. Compare the two, then save it again"
        )
    changes = written(target, content)
    if not changes:
        raise NothingToDo(f"nothing differs from version {target.version}: there is nothing to save")
    return Proposal(
        verb="edit", target=target, origin=ref(target), content=content, changes=changes,
        impact=await impact_of(gateway, pool, target), routes=Routes.of(target.metadata),
    )  # fmt: skip


def wrong(content: Assistant, schema: Mapping[str, Any] | None) -> list[tuple[Place, str]]:
    """Places of the content, as `("context", "tone")`, each with what is wrong there and what to write."""
    shown = {"description": content.description, "tags": content.tags, "context": content.context}
    if found := list(unkeepable(shown)):
        return found  # neither schemas nor messages can be relied on with such values
    if schema is not None:
        found += [
            (("context", *place), said) for place, said in wrong_in(content.context, schema, content.graph)
        ]
    return found + list(_secrets(shown))


def _secrets(shown: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """By what a text looks like anywhere, or by the name over it: the same that a file may not hold."""
    said = "looks as if it held {}: settings are read by many, so keep it elsewhere"
    found = {place: said.format(kind) for place, text in _texts(shown, ()) for _, kind in secrets_in(text)}
    for place, _ in telling(dict(shown["context"]), ("context",)):
        found.setdefault(place, said.format("a secret under a telling name"))
    yield from found.items()


def _texts(value: Any, place: Place) -> Iterator[tuple[Place, str]]:
    """Every text, however deep."""
    match value:
        case str():
            yield place, value
        case Mapping():
            for key, inner in value.items():
                yield from _texts(inner, (*place, str(key)))
        case list() | tuple():
            for number, inner in enumerate(value):
                yield from _texts(inner, (*place, number))
        case _:
            return
