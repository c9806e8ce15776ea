"""The format of a policy file. Editors draw completion from the JSON Schema of these models, see `schema.py`."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic.json_schema import JsonSchemaValue

from stationmaster.reviews.model import Risk
from stationmaster.reviews.policies.durations import WorkingHours
from stationmaster.reviews.policies.values import (
    SCALAR,
    Clock,
    Duration,
    Flag,
    Name,
    Names,
    Number,
    Part,
    Shorthand,
    Zone,
    many,
)

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
OnExpiry = Literal["none", "close", "approve", "reject", "answer"]


class Condition(Shorthand):
    """What a field of the payload has to be: a value alone, or comparisons that must all hold."""

    above: Number | None = Field(default=None, description="a number, like 100")
    at_least: Number | None = Field(default=None, description="a number, like 100")
    below: Number | None = Field(default=None, description="a number, like 100")
    at_most: Number | None = Field(default=None, description="a number, like 100")
    equals: Any = Field(default=None, description="any value")
    one_of: list[Any] | None = Field(
        default=None, alias="in", description="a list of values, like [damaged, late]"
    )
    exists: Flag | None = Field(default=None, description="true or false")

    @classmethod
    def short(cls) -> JsonSchemaValue:
        return SCALAR

    @model_validator(mode="before")
    @classmethod
    def _value_alone(cls, value: object) -> object:
        if isinstance(value, list):
            raise ValueError("is a list; for one of several values write {in: [...]}")  # noqa: TRY004
        if isinstance(value, dict) and not value:
            raise ValueError("is empty")
        return value if isinstance(value, dict) else {"equals": value}

    @property
    def has_equals(self) -> bool:
        return "equals" in self.model_fields_set

    @property
    def asks_for_a_value(self) -> bool:
        """False when nothing but `exists` is asked."""
        return bool(self.model_fields_set - {"exists"})


class Match(Part):
    """Which reviews: every key that is written has to fit."""

    graph: Names = Field(default=(), description="a graph's name, or a list of them")
    assistant: Names = Field(default=(), description="an assistant's name or id, or a list of them")
    shape: Names = Field(
        default=(), description="a shape, like typed, hitl_call or breakpoint, or a list of them"
    )
    node: Names = Field(default=(), description="the name of the node that asks, or a list of them")
    payload: dict[str, Condition] = Field(
        default_factory=dict,
        description="fields by dotted path, each with a value or a comparison, like {amount_usd: {above: 100}}",
    )


class TwoPeople(Shorthand):
    """Whether two different people have to agree."""

    always: Flag = Field(default=False, description="true or false")
    above_usd: Annotated[Number, Field(ge=0)] | None = Field(
        default=None, description="an amount in USD, like 500"
    )

    @classmethod
    def short(cls) -> JsonSchemaValue:
        return {"enum": ["always", "never"]}

    @model_validator(mode="before")
    @classmethod
    def _word(cls, value: object) -> object:
        return {"always": value == "always"} if value in ("always", "never") else value


class Expiry(Shorthand):
    """The answer that is given when nobody gave one in time."""

    decision: OnExpiry = Field(default="none", description="none, close, approve or reject")
    answer: Any = Field(default=None, description="the value that is sent, any JSON")
    reason: Name | None = Field(default=None, description="what a rejection gives as its reason")

    @classmethod
    def short(cls) -> JsonSchemaValue:
        return {"enum": ["none", "close", "approve", "reject"]}

    @model_validator(mode="before")
    @classmethod
    def _word(cls, value: object) -> object:
        if isinstance(value, dict) and "answer" in value and "decision" not in value:
            return {"decision": "answer", **value}
        return {"decision": value} if isinstance(value, str) else value


class Notify(Shorthand):
    """Which channel groups are told, and when; a group alone is told each time."""

    opened: Names = Field(default=(), description="a channel group, or a list of them")
    reminder: Names = Field(default=(), description="a channel group, or a list of them")
    escalation: Names = Field(default=(), description="a channel group, or a list of them")
    resolution: Names = Field(default=(), description="a channel group, or a list of them")

    @classmethod
    def short(cls) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}

    @model_validator(mode="before")
    @classmethod
    def _each_time(cls, value: object) -> object:
        return dict.fromkeys(cls.model_fields, value) if isinstance(value, str | list) else value


class Hours(Part):
    """The working hours in which this policy's durations count."""

    zone: Zone = Field(description="a time zone, like Europe/Berlin")
    days: Annotated[tuple[str, ...], BeforeValidator(many)] = Field(
        default=("mon", "tue", "wed", "thu", "fri"),
        description="a list of days, like [mon, tue, wed, thu, fri]",
        min_length=1,
    )
    start: Clock = Field(alias="from", description="a time of day in quotes, like '09:00'")
    end: Clock = Field(alias="to", description="a time of day in quotes, later than from, like '17:00'")

    @model_validator(mode="after")
    def _a_day_has_some(self) -> Self:
        if unknown := sorted(set(self.days) - set(DAYS)):
            raise ValueError(f"has the day {unknown[0]!r}: write days as {', '.join(DAYS)}")
        if self.end <= self.start:
            raise ValueError("end before they begin: write a later `to`")
        return self

    def counted(self) -> WorkingHours:
        return WorkingHours(self.zone, frozenset(map(DAYS.index, self.days)), self.start, self.end)


class Terms(Part):
    """What a policy lays down; the default policy is nothing else."""

    reviewers: Annotated[Names, Field(min_length=1)] = Field(
        description="the group of people who may answer, or a list of groups"
    )
    due: Duration | None = Field(default=None, description="how long people have, like 30m, 4h, 2d or 1d12h")
    remind: Duration | None = Field(
        default=None,
        description="when to remind, counted from the opening, like 2h; half of `due` unless said",
    )
    escalate_to: Name | None = Field(
        default=None, description="the group of people who may answer too once it is overdue"
    )
    expires: Duration | None = Field(
        default=None,
        description="when `on_expiry` is given, counted from the opening, like 2d; twice `due` unless said",
    )
    on_expiry: Expiry = Field(
        default=Expiry(),
        description="none (it stays open, overdue), close (nothing is sent), approve, reject, "
        "{decision: reject, reason: ...} or {answer: ...}",
    )
    two_people: TwoPeople = Field(
        default=TwoPeople(), description="always, never or an amount, like {above_usd: 500}"
    )
    risk: Risk = Field(default="normal", description="low, normal or high")
    bulk: Flag = Field(
        default=False, description="true or false: whether many may be decided at once (low risk only)"
    )
    editable: Names | None = Field(
        default=None, description="a list of fields that people may edit; [] for none"
    )
    decide_by_link: Flag = Field(
        default=False,
        description="true or false: whether messages carry single-use links with which to approve or reject",
    )
    notify: Notify = Field(
        default=Notify(),
        description="a channel group, a list of them, or groups for opened, reminder, escalation and resolution",
    )
    hours: Hours | None = Field(
        default=None, description="working hours, like {zone: Europe/Berlin, from: '09:00', to: '17:00'}"
    )

    @model_validator(mode="after")
    def _times_in_order(self) -> Self:
        if self.due is None and (self.remind or self.escalate_to):
            raise ValueError("reminds or escalates, but nothing is due: write `due`, like due: 4h")
        if self.due and self.remind and self.remind >= self.due:
            raise ValueError("reminds when it is due or later: write a `remind` shorter than `due`")
        if self.expires and self.due and self.expires < self.due:
            raise ValueError("expires before it is due: write an `expires` of at least `due`")
        if self.on_expiry.decision != "none" and not (self.expires or self.due):
            raise ValueError("has an answer for expiry, but never expires: write `due` or `expires`")
        if self.expires and self.on_expiry.decision == "none":
            raise ValueError("expires into nothing: write `on_expiry`, or leave `expires` out")
        return self

    @model_validator(mode="after")
    def _no_way_around_people(self) -> Self:
        two = self.two_people.always or self.two_people.above_usd is not None
        if self.bulk and (self.risk != "low" or two):
            raise ValueError("allows bulk decisions: write risk: low and no two_people, or bulk: false")
        if two and self.on_expiry.decision not in ("none", "close", "reject"):
            raise ValueError(
                "wants two people, but expires into an answer of nobody: write on_expiry: none, close or reject"
            )
        if self.decide_by_link and (self.risk == "high" or two):
            raise ValueError("is of high risk or wants two people: write decide_by_link: false")
        return self


class Policy(Terms):
    """A rule: reviews that match, and what is laid down for them."""

    name: Name = Field(description="a name of its own, shown to reviewers, like large-refunds")
    match: Match = Field(
        description="which reviews, like {graph: support, payload: {amount_usd: {above: 100}}}"
    )

    @model_validator(mode="after")
    def _not_everything(self) -> Self:
        if not self.match.model_fields_set:
            raise ValueError("matches everything: write a `match`, or make it the `default`")
        return self


class PolicyFile(Part):
    """One file of policies; the first that matches counts, files by name, and `default` if none does."""

    policies: tuple[Policy, ...] = Field(
        default=(), description="a list of policies, each with name, match and reviewers"
    )
    default: Terms | None = Field(
        default=None, description="what counts when no policy matches, like {reviewers: staff}"
    )
