"""Which assistant's content a run gets: a canary's share of threads, and keys that are pinned. Pure; no I/O.

Kept in the metadata of the live assistant under `canary`, so that every replica reads the same after any restart.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from stationmaster.errors import StationmasterError

KEY = "canary_key"
"""What a client may name in a run's metadata (or config.configurable) instead of the thread: a tenant, a customer."""
ArmName: TypeAlias = Literal["live", "canary", "pinned"]

_SHARE = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,4})?)\s*%")
_SPEC = re.compile(r"(?P<live>[^=:%]+)=(?P<arm>[^=:%]+):(?P<share>[^:]+)")


class BadSpec(StationmasterError):
    """A canary that is not written as one."""


@dataclass(frozen=True)
class Arm:
    """Another assistant, whose content takes the place of the live one's."""

    assistant_id: str
    name: str


@dataclass(frozen=True)
class Canary:
    """A share of threads that runs with another assistant's content. `share` is between 0 and 1."""

    canary_id: str
    arm: Arm
    share: float
    started_at: str
    by: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Routes:
    """What the live assistant's metadata says. `pins`: a client's key -> the assistant that it always gets."""

    canary: Canary | None = None
    pins: Mapping[str, Arm] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.canary or self.pins)

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> "Routes":
        """What can't be read counts as nothing: whatever somebody wrote there, no run may fail for it."""
        kept = metadata.get("canary")
        if not isinstance(kept, Mapping):
            return cls()
        pins = kept.get("pins")
        arms = {str(key): _arm(arm) for key, arm in pins.items()} if isinstance(pins, Mapping) else {}
        return cls(_canary(kept), {key: arm for key, arm in arms.items() if arm})

    def kept(self) -> dict[str, Any] | None:
        """The JSON for the metadata; None for nothing, since PATCH merges and removes no key."""
        if not self:
            return None
        canary = self.canary
        return {
            **({
                "id": canary.canary_id, "assistant": canary.arm.name, "assistant_id": canary.arm.assistant_id,
                "share": canary.share, "started_at": canary.started_at, "by": canary.by, "reason": canary.reason,
            } if canary else {}),
            "pins": {
                key: {"assistant": arm.name, "assistant_id": arm.assistant_id} for key, arm in self.pins.items()
            },
        }  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """What a run gets, and the arm to stamp on it; `arm` None is the live assistant's own content."""

    name: ArmName
    arm: Arm | None = None


LIVE = Choice("live")


def choose(
    routes: Routes,
    live_id: str,
    *,
    key: str | None,
    thread: str,
    before: Mapping[str, Any] | None,
    resumes: bool,
) -> Choice:
    """The arm of a run. `thread` is its thread's id (a run's own id where it has none); `before` is what the thread's
    last run was stamped with, {} for none, None if that is not known.

    A resume never changes the arm, so that an answer is used by the content that asked, whoever gives it and whatever
    key it names; only a pin or a canary that is gone by now is. For other runs a pinned key comes first, and a thread
    keeps its arm as long as the canary lasts, whatever becomes of the share. A stamp with a `why` is of a
    run that did not get what was its thread's: the thread's next message is decided as if it were the first. Where
    nothing is known, the hash says for a resume too what it said for the run that asked.
    """
    if resumes and before and before.get("arm") == "pinned":
        return next((Choice("pinned", arm) for arm in routes.pins.values() if _is(arm, before)), LIVE)
    if key is not None and (pinned := routes.pins.get(key)) and not (resumes and before):
        return LIVE if pinned.assistant_id == live_id else Choice("pinned", pinned)
    canary = routes.canary
    if canary is None:
        return LIVE
    if before is not None and before.get("id") == canary.canary_id and (resumes or not before.get("why")):
        return Choice("canary", canary.arm) if before.get("arm") == "canary" else LIVE
    if before is not None and resumes:
        return LIVE
    inside = bucket(live_id, canary.arm.assistant_id, key or thread) < canary.share
    return Choice("canary", canary.arm) if inside else LIVE


def _is(arm: Arm, stamp: Mapping[str, Any]) -> bool:
    return arm.assistant_id == stamp.get("assistant_id")


def bucket(live_id: str, arm_id: str, key: str) -> float:
    """Where a key stands between 0 and 1; the same in every process, and for the same two assistants again."""
    text = "\0".join((live_id, arm_id, key))
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def read_spec(text: str) -> tuple[str, str, float]:
    """`support=support-experimental:10%` as (live name, other name, share)."""
    found = _SPEC.fullmatch(text.strip())
    if not found:
        raise BadSpec(
            f"{text!r} is no canary: write it as LIVE=OTHER:SHARE, such as support=support-next:10%"
        )
    return found["live"].strip(), found["arm"].strip(), read_share(found["share"])


def read_share(text: str) -> float:
    """`10%` as 0.1. Above 0 and below 100: all is a promote, nothing is an end."""
    found = _SHARE.fullmatch(text.strip())
    share = float(found["number"]) / 100 if found else -1.0
    if not 0 < share < 1:
        raise BadSpec(
            f"{text.strip()!r} is no share: write a percentage above 0 and below 100, such as 10%; "
            "for everybody use promote, for nobody `canary end`"
        )
    return share


def percent(share: float) -> str:
    """0.1 as `10%`, 0.025 as `2.5%`."""
    return f"{share * 100:.4f}".rstrip("0").rstrip(".") + "%"


def _canary(kept: Mapping[str, Any]) -> Canary | None:
    arm, share, canary_id = _arm(kept), kept.get("share"), kept.get("id")
    if arm is None or not isinstance(canary_id, str) or isinstance(share, bool):
        return None
    if not isinstance(share, (int, float)) or not 0 < share < 1:
        return None
    said = {name: str(kept.get(name) or "") for name in ("started_at", "by", "reason")}
    return Canary(canary_id, arm, float(share), **said)


def _arm(kept: object) -> Arm | None:
    if not isinstance(kept, Mapping):
        return None
    assistant_id, name = kept.get("assistant_id"), kept.get("assistant")
    return Arm(assistant_id, name) if isinstance(assistant_id, str) and isinstance(name, str) else None
