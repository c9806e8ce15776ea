"""Writes a proposal as a new version, reads it back, and says what changed."""

from dataclasses import dataclass, replace

from stationmaster.assistants.differing import Difference, compare, differences
from stationmaster.assistants.errors import KeptOtherwise, NotKeepable
from stationmaster.assistants.proposing import Proposal
from stationmaster.assistants.routes import Routes
from stationmaster.assistants.versions import name_of
from stationmaster.keepable import unkeepable
from stationmaster.reconcile.fields import served, wanted
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import CANARY, Assistant, ServedAssistant, Signature


@dataclass(frozen=True)
class Written:
    """What stands on the server now, and what it changed: both as they were read back."""

    before: ServedAssistant
    after: ServedAssistant
    changes: tuple[Difference, ...]


async def carry_out(gateway: Gateway, proposal: Proposal, author: str, reason: str) -> Written:
    """Write it. Conflict if the target is not current any more, or somebody else wrote in the same moment."""
    by = Signature(author=author, source=proposal.source, reason=reason)
    content = replace(proposal.content, metadata=proposal.metadata)
    return await write(gateway, proposal.target, content, by, exact=proposal.exact)


async def reroute(gateway: Gateway, before: ServedAssistant, routes: Routes, by: Signature) -> Written:
    """Write other canary and pins, and nothing else: the same content as a new version."""
    content = before.content()
    return await write(
        gateway, before, replace(content, metadata={**content.metadata, CANARY: routes.kept()}), by
    )


async def write(
    gateway: Gateway, before: ServedAssistant, content: Assistant, by: Signature, *, exact: bool = False
) -> Written:
    """The content, with `canary` in its metadata, as the version after `before`. NotKeepable, KeptOtherwise."""
    _require_keepable(content)
    after = await gateway.update_assistant(before, content, by, exact=exact)
    _require_kept(content, after)
    return Written(before, after, differences(before, after))


def _require_keepable(content: Assistant) -> None:
    """Asked before writing: what comes back otherwise is a version already, and may break every run."""
    for place, said in unkeepable(vars(content)):
        where = ".".join(map(str, place))
        raise NotKeepable(f"{content.name}: {where} {said}; nothing was written")


def _require_kept(content: Assistant, after: ServedAssistant) -> None:
    """KeptOtherwise names the fields in which the server has something else than what was written."""
    asked = wanted(replace(content, metadata={**after.content().metadata, **_labels(content)}))
    have = {name: value for name, value in served(after).items() if not name.startswith("config.")}
    wrong = [difference.field for difference in compare(asked, have)]
    if Routes.of(content.metadata) != Routes.of(after.metadata):
        wrong.append("canary")
    if wrong:
        raise KeptOtherwise(
            f"{name_of(after)}: version {after.version} was written, and the server has {', '.join(wrong)} otherwise: "
            f"compare it with what was meant before anybody uses it"
        )


def _labels(content: Assistant) -> dict[str, object]:
    return {key: value for key, value in content.metadata.items() if key != CANARY and value is not None}
