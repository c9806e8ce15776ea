"""What a rule set gets to see of one call, and what it answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage


@dataclass(frozen=True)
class Request:
    """What a rule set gets to see of one call.

    `system` is the joined text of the system messages, `tools` the names of the bound tools, `forced` the
    one tool that has to be called, if any.
    """

    messages: Sequence[BaseMessage]
    system: str = ""
    tools: tuple[str, ...] = ()
    forced: str | None = None

    @property
    def last_human(self) -> str:
        """Text of the newest human message; empty when there is none."""
        humans = [message for message in self.messages if isinstance(message, HumanMessage)]
        return humans[-1].text if humans else ""


@dataclass(frozen=True)
class Reply:
    """What the rules answer: a text, or calls of tools as (name, arguments)."""

    text: str = ""
    tool_calls: tuple[tuple[str, dict[str, Any]], ...] = ()


Rules = Callable[[Request], Reply]


def request_of(
    messages: list[BaseMessage], names: tuple[str, ...], choice: str | dict[str, Any] | bool | None
) -> Request:
    """The request as rules see it; `names` are the bound tools, `choice` is OpenAI's tool_choice.

    Raises ValueError when the choice names a tool that is not bound.
    """
    if isinstance(choice, dict):
        choice = cast("str | None", choice.get("function", {}).get("name"))
    if choice == "none":
        names = ()
    elif isinstance(choice, str) and choice not in {*names, "auto", "any", "required"}:
        raise ValueError(f"tool_choice names {choice!r}, which is not bound; bound are: {', '.join(names)}")
    forced = choice if choice in names else None
    if choice in {"any", "required", True} and len(names) == 1:
        forced = names[0]
    system = "\n\n".join(message.text for message in messages if isinstance(message, SystemMessage))
    return Request(messages=messages, system=system, tools=names, forced=cast("str | None", forced))
