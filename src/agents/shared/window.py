"""How much of a conversation a model sees: the newest messages that fit, never half of a tool call."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage, trim_messages
from langchain_core.messages.utils import count_tokens_approximately

NO_MESSAGE = "(no message)"
"""What a model reads where a customer sent nothing: some providers refuse an empty message."""
CHARACTERS_A_TOKEN = 3
"""Low on purpose: dense text has fewer characters a token than prose."""


def window(messages: Sequence[AnyMessage], max_tokens: int) -> list[AnyMessage]:
    """The newest messages that fit, from a customer's message on; never none, which some providers refuse.

    Of a request that is longer than the window alone all messages stay, cut: a tool result without its call, or a call
    without its result, would be refused by providers.
    """
    seen = trim_messages(
        messages,
        max_tokens=max_tokens,
        token_counter=count_tokens_approximately,
        strategy="last",
        start_on="human",
    )
    if seen:
        return list(seen)  # pyright: ignore[reportReturnType] - of what was given
    places = [place for place, message in enumerate(messages) if isinstance(message, HumanMessage)]
    newest = list(messages[places[-1] :]) if places else []
    longest = max_tokens * CHARACTERS_A_TOKEN // max(len(newest), 1)
    return [cut(message, longest) for message in newest] or [HumanMessage(NO_MESSAGE)]


def cut(message: AnyMessage, longest: int) -> AnyMessage:
    """The message with no more than so many characters of text; what it asks stands at its start."""
    if len(message.text) <= longest and (message.text or not isinstance(message, HumanMessage)):
        return message
    return message.model_copy(update={"content": message.text[:longest] or NO_MESSAGE})
