"""What the digest remembers of one run; times are ISO with their offset, in UTC.

Every key has one writer in a super-step, or a reducer. A new field must be optional and read with a default: threads
that were paused by an older version hold no value for it.
"""

import operator
from typing import Annotated, Any, NotRequired, TypeAlias

from typing_extensions import TypedDict

from agents.shared.limits import Usage, add_usage

Figures: TypeAlias = dict[str, Any]
"""Counts of one part for one span, such as {"count": 3, "usd": 120.5}."""


class Part(TypedDict):
    """One part of the report: its figures for the span and for the one before, and what is shown below them."""

    now: Figures
    before: Figures
    details: list[dict[str, Any]]


def merge_parts(left: dict[str, Part] | None, right: dict[str, Part] | None) -> dict[str, Part]:
    """All parts; each is written once."""
    return {**(left or {}), **(right or {})}


class Input(TypedDict):
    """What a caller sends: nothing for the newest slot, or a moment in an earlier one."""

    slot: NotRequired[str]


class State(TypedDict):
    """The whole state of a run."""

    slot: NotRequired[str]
    """The end of the time that is reported on."""
    since: NotRequired[str]
    before: NotRequired[str]
    """The beginning of the span that is compared with; it ends at `since`."""
    parts: Annotated[dict[str, Part], merge_parts]
    missing: Annotated[list[str], operator.add]
    """Parts that could not be read, with the reason."""
    headline: NotRequired[str]
    figures: NotRequired[dict[str, Any]]
    markdown: NotRequired[str]
    repeated: NotRequired[bool]
    """Whether the slot's report was made before: then it is that one."""
    mailed: NotRequired[list[str]]
    """To whom it was mailed by this run; nobody gets it twice."""
    degraded: Annotated[list[str], operator.add]
    usage: Annotated[Usage, add_usage]


class Output(TypedDict):
    """What a run comes to: the report as data and as text."""

    slot: NotRequired[str]
    since: NotRequired[str]
    figures: NotRequired[dict[str, Any]]
    markdown: NotRequired[str]
    repeated: NotRequired[bool]
    mailed: NotRequired[list[str]]
    degraded: NotRequired[list[str]]


Update: TypeAlias = dict[str, Any]
"""A partial state, as nodes return it; `Overwrite` values bypass a reducer."""
