"""What a delivery tells of a canary: which arm its run was in, and when it began and ended."""

from datetime import UTC, datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, ValidationError

Moment = Annotated[datetime, AfterValidator(lambda at: at if at.tzinfo else at.replace(tzinfo=UTC))]
Name = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^\x00-\x1f]+$")]


class Stamp(BaseModel):
    """What the server's handler wrote into the run's metadata (stationmaster.server.arms)."""

    id: Name
    arm: Literal["live", "canary", "pinned"]
    assistant: Name
    version: Annotated[int, Field(ge=0, lt=2**31)] | None = None


class _Metadata(BaseModel):
    canary: Stamp


class ArmRun(BaseModel):
    """A run under a canary, as its webhook tells of it."""

    run_id: UUID
    thread_id: UUID
    status: Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]
    metadata: _Metadata
    created_at: Moment | None = None
    run_started_at: Moment | None = None
    run_ended_at: Moment | None = None


def read_arm(body: bytes) -> ArmRun | None:
    """The run, if it was under a canary; None for all others, which are most, and for what can't be read."""
    if b'"canary"' not in body:
        return None
    try:
        return ArmRun.model_validate_json(body)
    except ValidationError:
        return None
