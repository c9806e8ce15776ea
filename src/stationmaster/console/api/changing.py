"""What the API takes to change assistants and crons, checked before anything is asked of a server."""

from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints

from stationmaster.console.api.bodies import MAX_REASON, Body, Word
from stationmaster.console.reasons import one_line
from stationmaster.reviews.errors import ReviewError

Tag = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
LEAST_SHARE = 0.000001
"""0.0001 %: the least that the command takes too, and that reads as more than none."""
Version = Annotated[int, Field(ge=1, lt=2**31)]


class Misfit(ReviewError):
    """What was sent can't be used; `fields` says what is wrong where."""

    status, code = 422, "bad_request"

    def __init__(self, fields: dict[str, str]) -> None:
        said = "; ".join(f"{name}: {text}" for name, text in fields.items())
        super().__init__(f"the request does not fit ({said}): correct it and send it again")
        self.fields = fields

    def detail(self) -> dict[str, Any]:
        return {"fields": self.fields}


def _said(text: str) -> str:
    if not (line := one_line(text)):
        raise ValueError("says nothing: the history keeps it")
    return line


Why = Annotated[str, StringConstraints(max_length=MAX_REASON), AfterValidator(_said)]


class Reasoned(Body):
    """A change, and why."""

    reason: Why = Field(description="Why; the history keeps it.")


class Ending(Reasoned):
    """The same, decided on a version, so that nobody else's is overtaken."""

    expect: Version | None = Field(
        None, description="The version that you saw: 409 if another one is current."
    )


class Proposed(Ending):
    """The same, which can be asked for without doing it."""

    dry_run: bool = Field(
        default=False, description="Only say what would change, and what becomes of the rest."
    )


class Edit(Reasoned):
    """New content. What is left out stays as it is; `context` is taken as a whole."""

    expect: Version = Field(description="The version that was edited: 409 if another one is current.")
    dry_run: bool = Field(
        default=False, description="Only say what would change, and what becomes of the rest."
    )
    context: dict[str, Any] = Field(
        default_factory=dict, description="All settings; {} leaves all to the graph."
    )
    description: Annotated[str, StringConstraints(max_length=2_000)] | None = None
    recursion_limit: Annotated[int, Field(strict=True, ge=1, le=10_000)] | None = Field(
        None, description="null takes the assistant's own limit away; the graph's then holds."
    )
    tags: list[Tag] | None = None


class Promote(Proposed):
    """Whose behaviour to take over."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    origin: Word | None = Field(
        None, alias="from", description="NAME or NAME@VERSION; without it the running canary's."
    )


class Rollback(Proposed):
    """Which version to restore."""

    to: Version | None = Field(None, description="Without it the last one that said something else.")


class Begin(Ending):
    """A canary, or another share for the one that runs."""

    assistant: Word
    share: float = Field(strict=True, ge=LEAST_SHARE, lt=1, description="0.1 is 10 % of the threads.")


class Pause(Reasoned):
    """Why a cron stands still; whoever finds it paused wants to know."""
