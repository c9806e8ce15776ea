"""How writes meet in the state: the conversation's window, what became of each sub-question, and the trail. Pure."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, cast

from langchain_core.messages import AnyMessage, SystemMessage
from langgraph.graph.message import Messages, add_messages
from typing_extensions import TypedDict

from agents.shared.shop.text import storable

WINDOW = 12
"""Messages of the conversation that stay, besides the system message: six questions with their answers."""

Status: TypeAlias = Literal["planned", "skipped", "failed", "nothing", "found"]
_ORDER: tuple[Status, ...] = ("planned", "skipped", "failed", "nothing", "found")


class Event(TypedDict):
    """Something that happened to one sub-question; `searched` is how often it was looked into."""

    sub_id: str
    question: str
    status: Status
    passages: int
    searched: int


class Standing(TypedDict):
    """What a sub-question came to so far."""

    question: str
    status: Status
    passages: int
    searched: int


class Step(TypedDict):
    """One line of the trail: what a node did for the thread's question number `turn`."""

    turn: int
    node: str
    did: str


def readable(left: str | None, right: str) -> str:
    """The newest text, as Postgres can hold it: a reducer, since a caller's input is kept before any node sees it."""
    return storable(right) if isinstance(right, str) else right


def sliding_window(left: Sequence[AnyMessage] | None, right: Messages) -> list[AnyMessage]:
    """The newest messages, and before them the system message, however old: what a model is told.

    As `add_messages` otherwise: a message with a known id replaces it. For new messages it makes no difference whether
    they come together or one by one.
    """
    merged = cast("list[AnyMessage]", add_messages(cast("Messages", list(left or [])), right))
    system = [message for message in merged if isinstance(message, SystemMessage)]
    others = [message for message in merged if not isinstance(message, SystemMessage)]
    return [*system[:1], *others[-WINDOW:]]


def conversation(left: Sequence[AnyMessage] | None, right: Messages) -> list[AnyMessage]:
    """The same window without a system message: a reducer.

    What a state holds is read and streamed by whoever may read the thread, and written by whoever may write it. The
    assistant's prompt is neither theirs to read nor theirs to give: it comes from the context whenever a model
    is asked.
    """
    kept = sliding_window(left, right)
    return [message for message in kept if not isinstance(message, SystemMessage)]


def note_events(left: dict[str, Standing] | None, right: Event | Sequence[Event]) -> dict[str, Standing]:
    """What became of each sub-question, from what happened: a reducer that takes events and keeps a dict.

    Order and repetition change nothing: what was searched more often counts, then what came of it.
    """
    standings = dict(left or {})
    for event in [right] if isinstance(right, dict) else right:
        news = Standing(
            question=event["question"], status=event["status"], passages=event["passages"], searched=event["searched"]
        )  # fmt: skip
        known = standings.get(event["sub_id"])
        standings[event["sub_id"]] = max(known, news, key=_weight) if known else news
    return standings


def add_counts(left: dict[str, int] | None, right: dict[str, int]) -> dict[str, int]:
    """The sum by name: a reducer under which order makes no difference."""
    counts = dict(left or {})
    for name, number in right.items():
        counts[name] = counts.get(name, 0) + number
    return counts


def append_only(left: Sequence[Step] | None, right: Sequence[Step]) -> list[Step]:
    """The trail with what is new behind it: a reducer under which nothing that was written is changed or lost.

    Who writes the whole trail back (an edited state does) adds what is new in it, and nothing twice.
    """
    written = list(left or [])
    is_whole = bool(written) and list(right[: len(written)]) == written
    return written + list(right[len(written) :] if is_whole else right)


def _weight(standing: Standing) -> tuple[int, int, int, str]:
    return standing["searched"], _ORDER.index(standing["status"]), standing["passages"], standing["question"]
