"""The format of assistant and cron files; editors complete and check them by the JSON Schemas of `schema.py`."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from stationmaster.reconcile.files.schedules import check_schedule, check_zone
from stationmaster.reconcile.resources import FRESH, RESERVED, UTC_ZONE

NAME = r"^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"
TEXT_FILE = "text_file"
Name = Annotated[str, Field(pattern=NAME, max_length=64, strict=True)]
Text = Annotated[str, Field(strict=True)]
Flag = Annotated[bool, Field(strict=True)]
Label = Annotated[str, Field(strict=True, min_length=1, max_length=200)]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AssistantFile(Part):
    """One assistant: a graph with a context of its own, under a name."""

    name: Name = Field(
        description="a name of its own in small letters, digits and hyphens, like support-experimental"
    )
    graph: Label = Field(description="the name of a graph of langgraph.json, like support")
    description: Text = Field(default="", max_length=2000, description="what it is for, in a sentence")
    live: Flag = Field(default=False, description="true for one that client apps use, else false")
    context: dict[Label, Any] = Field(
        default_factory=dict,
        description="settings of the graph, like {tone: formal}; a text may stand in a file: {text_file: prompt.md}",
    )
    recursion_limit: Annotated[int, Field(strict=True, ge=1, le=10_000)] | None = Field(
        default=None, description="the most super-steps of a run, like 40; left out: the graph's own"
    )
    tags: tuple[Label, ...] = Field(default=(), description="a list of words, like [shop, refunds]")
    metadata: dict[Label, Any] = Field(default_factory=dict, description="labels, like {team: support}")

    @field_validator("metadata")
    @classmethod
    def _labels_of_ones_own(cls, value: dict[str, Any]) -> dict[str, Any]:
        if reserved := sorted({*RESERVED, "created_by"} & set(value)):
            raise ValueError(f"has the reserved key {reserved[0]}: write another name for the label")
        if nulls := sorted(key for key, item in value.items() if item is None):
            raise ValueError(f"has no value for {nulls[0]}: write one, or remove the key")
        return value


class ReviewHints(Part):
    """What reviews of this cron's runs are told: stricter than the policy says, never weaker."""

    due: Annotated[str, Field(pattern=r"^[1-9]\d{0,3}[mhd]$")] | None = Field(
        default=None, description="how long they have, like 30m, 4h or 2d"
    )
    risk: Literal["low", "normal", "high"] | None = Field(default=None, description="low, normal or high")


class CronFile(Part):
    """One schedule: when an assistant is run, and with what."""

    name: Name = Field(
        description="a name of its own in small letters, digits and hyphens, like weekday-digest"
    )
    assistant: Name = Field(description="the name of an assistant that has a file, like support")
    schedule: Text = Field(description="minute, hour, day of month, month, day of week, like '0 9 * * 1-5'")
    timezone: Text = Field(default=UTC_ZONE, description="a time zone, like Europe/London or UTC")
    input: dict[Label, Any] = Field(
        default_factory=dict,
        description="what each run is started with, like {messages: [{role: user, content: hi}]}",
    )
    thread: Name = Field(
        default=FRESH,
        description="fresh for a thread of its own each time, or the name of the one that all runs share",
    )
    overlap: Literal["skip", "queue", "replace"] = Field(
        default="skip",
        description="while the run before is under way or waits for a person: skip this time, queue behind it, or "
        "replace it",
    )
    missed: Literal["once", "skip"] = Field(
        default="once", description="times missed while the server was down: once for all of them, or skip"
    )
    keep: Annotated[int, Field(strict=True, ge=1, le=3650)] = Field(
        default=30, description="days for which threads of its runs are kept, like 30"
    )
    enabled: Flag = Field(default=True, description="true, or false while it should not run")
    review: ReviewHints = Field(
        default=ReviewHints(), description="hints for reviews, like {due: 4h, risk: high}"
    )

    @field_validator("schedule")
    @classmethod
    def _fires(cls, value: str) -> str:
        return check_schedule(value)

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        return check_zone(value)
