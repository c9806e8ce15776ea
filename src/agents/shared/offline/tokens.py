"""Token counts where no provider counts them."""

import json

from langchain_core.messages import AIMessage, BaseMessage

_CHARACTERS_PER_TOKEN = 4


def count_tokens(text: str) -> int:
    """About four characters a token: not a tokenizer's figure, but always the same one."""
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


def estimate_tokens(message: BaseMessage) -> int:
    """Tokens of a message with its tool calls, estimated."""
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return count_tokens(message.text + "".join(call["name"] + json.dumps(call["args"]) for call in calls))
