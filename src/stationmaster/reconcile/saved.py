"""A plan in a file: what was reviewed is what is applied. The checksum guards it against edits and a changed server."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from stationmaster.reconcile.canonical import digest
from stationmaster.reconcile.diff import Desired
from stationmaster.reconcile.plan import Plan, as_json
from stationmaster.reconcile.reconciling import NotApplied
from stationmaster.reconcile.resources import Assistant, Cron

FORMAT = 1


@dataclass(frozen=True)
class Saved:
    """What a plan file says; `checksum` is the plan's."""

    target: str
    desired: Desired
    prune: bool
    keep_drift: bool
    checksum: str


def text_of(plan: Plan, *, keep_drift: bool) -> str:
    """The file's text. It holds the contexts of all assistants."""
    body = {
        "format": FORMAT,
        "target": plan.target,
        "prune": plan.prune,
        "keep_drift": keep_drift,
        "changes": [as_json(change) for change in plan.changes],
        "desired": {
            "assistants": [asdict(each) for each in plan.desired.assistants],
            "crons": [asdict(each) for each in plan.desired.crons],
        },
        "checksum": plan.checksum,
    }
    return json.dumps({**body, "file": digest(body)}, indent=2, ensure_ascii=False) + "\n"


def read(path: Path) -> Saved:
    """The plan of a file; NotApplied when it is none, or was edited."""
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotApplied(
            f"{path} can't be read as a plan ({error}): make one with `stationmaster plan --out {path}`"
        ) from None
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise NotApplied(f"{path} is no plan: make one with `stationmaster plan --out {path}`")
    if body.pop("file", None) != digest(body):
        raise NotApplied(f"{path} was edited after it was made: change the files, and plan again")
    return Saved(
        body["target"], _desired(body["desired"]), body["prune"], body["keep_drift"], body["checksum"]
    )


def _desired(said: Mapping[str, Any]) -> Desired:
    return Desired(
        tuple(Assistant(**{**each, "tags": tuple(each["tags"])}) for each in said["assistants"]),
        tuple(Cron(**each) for each in said["crons"]),
    )
