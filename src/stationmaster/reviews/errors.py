"""What the review service refuses, one class a reason, each with its HTTP status and a code that never changes."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from stationmaster.errors import StationmasterError


class ReviewError(StationmasterError):
    """The root: `status` for HTTP, `code` for programs, `detail()` for what a caller may want to show."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "review_error"

    def detail(self) -> dict[str, Any]:
        """JSON beside the message; never more than the caller may see."""
        return {}


class NotFound(ReviewError):
    """No such review, or none that this identity may see: the two read the same."""

    status, code = 404, "not_found"

    def __init__(self, what: str = "review") -> None:
        super().__init__(f"no such {what}, or it is not yours to see: look in the list for what is")


class Forbidden(ReviewError):
    """The identity sees it and may not do this."""

    status, code = 403, "forbidden"


class Conflict(ReviewError):
    """The request was right and the moment was not; look again."""

    status, code = 409, "conflict"


class AlreadyDecided(Conflict):
    """Somebody else's answer came first; it stays."""

    code = "already_decided"

    def __init__(self, by: str, at: datetime, decision: str) -> None:
        super().__init__(
            f"{by} has already answered this with `{decision}` at {at:%Y-%m-%d %H:%M:%S %Z}: nothing is left to do"
        )
        self.by, self.at, self.decision = by, at, decision

    def detail(self) -> dict[str, Any]:
        return {"by": self.by, "at": self.at.isoformat(), "decision": self.decision}


class Stale(Conflict):
    """The question is no longer asked; `state` says what became of it, `replaced_by` is the new review's id."""

    code = "stale"

    def __init__(self, state: str, why: str, replaced_by: str | None = None) -> None:
        way_out = f"answer {replaced_by} instead" if replaced_by else "look at the thread"
        super().__init__(f"this question is no longer asked ({why}): {way_out}")
        self.state, self.why, self.replaced_by = state, why, replaced_by

    def detail(self) -> dict[str, Any]:
        return {"state": self.state, "why": self.why, "replaced_by": self.replaced_by}


class ClaimedByOther(Conflict):
    """Somebody else has taken it to work on."""

    code = "claimed"

    def __init__(self, by: str, since: datetime) -> None:
        super().__init__(
            f"{by} has claimed this at {since:%Y-%m-%d %H:%M:%S %Z}: ask them to release it, or have a lead do so"
        )
        self.by, self.since = by, since

    def detail(self) -> dict[str, Any]:
        return {"by": self.by, "since": self.since.isoformat()}


class TooLate(Conflict):
    """The undo window is over, or there is nothing to undo."""

    code = "too_late"


class SecondPersonNeeded(Conflict):
    """The two-person rule: whoever answered first can't also confirm."""

    code = "second_person_needed"


class KeyReused(ReviewError):
    """An Idempotency-Key came again with another request."""

    status, code = 422, "idempotency_key_reused"


class AnswerRefused(ReviewError):
    """The answer does not fit the question. `fields`: field name (or "" for the whole) -> what is wrong with it."""

    status, code = 422, "answer_refused"

    def __init__(self, fields: Mapping[str, str]) -> None:
        said = "; ".join(f"{name}: {text}" if name else text for name, text in fields.items())
        super().__init__(f"the answer does not fit ({said}): correct it and send it again")
        self.fields = dict(fields)

    def detail(self) -> dict[str, Any]:
        return {"fields": self.fields}


class TooSlow(ReviewError):
    """What was asked for takes longer to find than one page may keep the database busy."""

    status, code = 503, "too_slow"


class AgentServerUnavailable(ReviewError):
    """The Agent Server can't be reached or is failing; nothing of the request is certain until state was read."""

    status, code = 502, "agent_server_unavailable"


class AgentServerRefused(ReviewError):
    """The Agent Server understood and refused; `http_status` is its status."""

    status, code = 502, "agent_server_refused"

    def __init__(self, message: str, http_status: int) -> None:
        super().__init__(message)
        self.http_status = http_status
