"""Starts, widens, and ends canaries, and pins keys: each is a version of the live assistant with the same content."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import uuid4

from stationmaster.assistants.errors import AssistantsError, CanaryRuns, NoCanary, NothingToDo
from stationmaster.assistants.fitting import require_arm
from stationmaster.assistants.proposing import require_current
from stationmaster.assistants.routes import Arm, Canary, Routes, percent, read_spec
from stationmaster.assistants.versions import find, find_ours, name_of
from stationmaster.assistants.writing import Written, reroute
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import ServedAssistant, Signature


@dataclass(frozen=True)
class Routed:
    """What was written, and the canary and pins before and after."""

    written: Written
    before: Routes
    after: Routes


async def start(gateway: Gateway, spec: str, author: str, reason: str) -> Routed:
    """`support=support-next:10%`; see `begin`."""
    return await begin(gateway, *read_spec(spec), author, reason)


async def begin(
    gateway: Gateway, live_name: str, arm_name: str, share: float, author: str, reason: str,
    *, expected: int | None = None,
) -> Routed:  # fmt: skip
    """Give a share of one's threads the other's content; for a canary of the same two that runs, another share.

    CanaryRuns when another one does; Unfit when the other assistant's content can't take the live one's place;
    Conflict if `expected` is not current.
    """
    live, other = (
        require_current(await find_ours(gateway, live_name), expected),
        await find(gateway, arm_name),
    )
    if live.assistant_id == other.assistant_id:
        raise AssistantsError(
            f"{arm_name} can't be its own canary: name another assistant of graph {live.graph}"
        )
    await require_arm(gateway, live, other, name_of(other))
    before = Routes.of(live.metadata)
    canary = before.canary
    if canary and canary.arm.assistant_id != other.assistant_id:
        raise CanaryRuns(
            f"a canary of {canary.arm.name} runs on {live_name}: "
            f"`stationmaster assistants canary end {live_name}` or promote it first"
        )
    if canary and canary.share == share:
        raise NothingToDo(f"{arm_name} gets {percent(share)} of {live_name} already")
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    after = replace(canary, share=share) if canary else Canary(
        canary_id=str(uuid4()), arm=Arm(other.assistant_id, name_of(other)), share=share, started_at=now,
        by=author, reason=reason,
    )  # fmt: skip
    by = Signature(author, f"canary {name_of(other)} {percent(share)}", reason)
    return await _reroute(gateway, live, replace(before, canary=after), by)


async def end(
    gateway: Gateway, name: str, author: str, reason: str, *, expected: int | None = None
) -> Routed:
    """Every thread gets the live assistant's own content again. Conflict if `expected` is not current."""
    live = require_current(await find_ours(gateway, name), expected)
    routes = Routes.of(live.metadata)
    if routes.canary is None:
        raise NoCanary(f"{name} has no canary: nothing is to be ended")
    by = Signature(author, f"canary end {routes.canary.arm.name}", reason)
    return await _reroute(gateway, live, replace(routes, canary=None), by)


async def pin(gateway: Gateway, name: str, key: str, other_name: str, author: str, reason: str) -> Routed:
    """Runs of `name` whose client names this key get the other assistant's content, canary or not. The live one's own
    name keeps a key out of every canary."""
    live, other = await find_ours(gateway, name), await find(gateway, other_name)
    if live.assistant_id != other.assistant_id:
        await require_arm(gateway, live, other, name_of(other))
    routes = Routes.of(live.metadata)
    arm = Arm(other.assistant_id, name_of(other))
    if routes.pins.get(key) == arm:
        raise NothingToDo(f"{key} is pinned to {arm.name} already")
    by = Signature(author, f"pin {key} to {arm.name}", reason)
    return await _reroute(gateway, live, replace(routes, pins={**routes.pins, key: arm}), by)


async def unpin(gateway: Gateway, name: str, key: str, author: str, reason: str) -> Routed:
    """The key gets what everybody gets."""
    live = await find_ours(gateway, name)
    routes = Routes.of(live.metadata)
    if key not in routes.pins:
        pinned: Mapping[str, Arm] = routes.pins
        raise NothingToDo(f"{key} is not pinned on {name}: {', '.join(sorted(pinned)) or 'no key'} is")
    pins = {other: arm for other, arm in routes.pins.items() if other != key}
    return await _reroute(
        gateway, live, replace(routes, pins=pins), Signature(author, f"unpin {key}", reason)
    )


async def _reroute(gateway: Gateway, live: ServedAssistant, after: Routes, by: Signature) -> Routed:
    written = await reroute(gateway, live, after, by)
    return Routed(written, Routes.of(live.metadata), Routes.of(written.after.metadata))
