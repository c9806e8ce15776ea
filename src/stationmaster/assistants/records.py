"""What commands print with --json and pages are drawn from: plain JSON of this room's values. Pure."""

from collections.abc import Iterable
from typing import Any

from stationmaster.assistants.comparing import ArmReport, Report
from stationmaster.assistants.differing import Difference
from stationmaster.assistants.proposing import Proposal
from stationmaster.assistants.rates import Rate
from stationmaster.assistants.routes import Canary, Routes
from stationmaster.assistants.versions import Step, name_of
from stationmaster.assistants.writing import Written
from stationmaster.reconcile.resources import ServedAssistant

Json = dict[str, Any]


def assistant(served: ServedAssistant, waiting: int | None = None) -> Json:
    """An assistant, or one version of it. `waiting`: questions of it that wait for a person, where that is known."""
    routes = Routes.of(served.metadata)
    return {
        "assistant_id": served.assistant_id,
        "name": name_of(served),
        "graph": served.graph,
        "description": served.description,
        "context": dict(served.context),
        "recursion_limit": served.recursion_limit,
        "tags": list(served.tags),
        "metadata": served.labels,
        "live": served.live,
        "owned": served.owned,
        "version": served.version,
        "updated_at": served.updated_at,
        "change": dict(served.change) or None,
        "canary": canary(routes.canary) if routes.canary else None,
        "pins": {key: arm.name for key, arm in routes.pins.items()},
        **({} if waiting is None else {"waiting": waiting}),
    }


def canary(found: Canary) -> Json:
    return {
        "id": found.canary_id, "assistant": found.arm.name, "assistant_id": found.arm.assistant_id,
        "share": found.share, "started_at": found.started_at, "by": found.by, "reason": found.reason,
    }  # fmt: skip


def differences(found: Iterable[Difference]) -> list[Json]:
    """`before` is missing where the field is new, `after` where it is gone."""
    return [
        {
            "field": each.field,
            **({} if each.added else {"before": each.before}),
            **({} if each.removed else {"after": each.after}),
        }
        for each in found
    ]


def step(found: Step) -> Json:
    """One version in a history."""
    return {
        **assistant(found.version),
        "current": found.current,
        "changes": differences(found.changes),
        "routing": found.routing,
        "rerouted": found.rerouted,
    }


def proposal(found: Proposal) -> Json:
    """What would be written, and what becomes of what runs and waits."""
    return {
        "action": found.verb,
        "assistant": name_of(found.target),
        "from_version": found.target.version,
        "source": found.origin,
        "changes": differences(found.changes),
        "running": found.impact.running,
        "waiting": found.impact.waiting,
        "waiting_by_version": {str(version): n for version, n in found.impact.by_version.items()},
        "known_from": found.impact.known_from,
        "ends_canary": found.closes.arm.name if found.closes else None,
        "consequences": found.consequences(),
    }


def written(found: Written) -> Json:
    """What stands on the server now."""
    return {
        "assistant": name_of(found.after),
        "from_version": found.before.version,
        "version": found.after.version,
        "changes": differences(found.changes),
        "change": dict(found.after.change),
    }


def report(found: Report) -> Json:
    """How the arms of a canary do."""
    return {
        "assistant": found.live,
        "canary": canary(found.canary),
        "observed": rate(found.observed),
        "arms": [_arm(each) for each in found.arms],
        "differs": dict(found.differs),
    }


def rate(found: Rate) -> Json:
    return {
        "count": found.count,
        "of": found.of,
        "share": found.share,
        "low": found.low,
        "high": found.high,
    }


def _arm(found: ArmReport) -> Json:
    return {
        "arm": found.arm,
        "assistant": found.assistant,
        "versions": list(found.versions),
        "runs": found.runs,
        "threads": found.threads,
        "asked": found.asked,
        "waiting": found.waiting,
        **{name: rate(getattr(found, name)) for name in ("errors", "approved", "edited", "rejected")},
        "seconds_p50": found.seconds_p50,
        "seconds_p95": found.seconds_p95,
        "usd_per_thread": found.cost.usd_per_thread,
        "priced_threads": found.cost.threads,
        "unpriced": found.cost.unpriced,
        "last_at": found.last_at.isoformat() if found.last_at else None,
    }
