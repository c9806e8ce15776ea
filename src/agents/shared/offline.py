"""A chat model without a provider: it answers from written rules, and says that it does."""

import hashlib
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

OFFLINE = "offline:rules"
_WORD = re.compile(r"\S+\s*|\s+")
_CHARACTERS_PER_TOKEN = 4


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


class OfflineChatModel(BaseChatModel):
    """Deterministic: the same messages and tools give the same answer, token counts and call ids."""

    rules: Rules = Field(exclude=True, repr=False)

    @property
    def _llm_type(self) -> str:
        return "offline"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": OFFLINE}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | dict[str, Any] | bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """As for any chat model; `tool_choice` may be a tool's name, "auto", "none", "any" or "required"."""
        names = tuple(convert_to_openai_tool(tool)["function"]["name"] for tool in tools)
        return self.bind(tool_names=names, tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages, **kwargs))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages, **kwargs))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _chunks(self._answer(messages, **kwargs)):
            yield ChatGenerationChunk(message=chunk)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _chunks(self._answer(messages, **kwargs)):
            yield ChatGenerationChunk(message=chunk)

    def _answer(
        self,
        messages: list[BaseMessage],
        *,
        tool_names: tuple[str, ...] = (),
        tool_choice: str | dict[str, Any] | bool | None = None,
        parallel_tool_calls: bool = True,
        **_: Any,
    ) -> AIMessage:
        request = request_of(messages, tool_names, tool_choice)
        reply = self.rules(request)
        calls = reply.tool_calls if parallel_tool_calls else reply.tool_calls[:1]
        return AIMessage(
            content=reply.text,
            tool_calls=[
                tool_call(name=name, args=args, id=_call_id(len(messages), index, name, args))
                for index, (name, args) in enumerate(calls)
            ],
            usage_metadata=_usage(messages, reply.text, calls),
            response_metadata={
                "model_name": OFFLINE,
                "offline": True,
                "finish_reason": "tool_calls" if calls else "stop",
            },
        )


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


def _call_id(position: int, index: int, name: str, args: dict[str, Any]) -> str:
    """An id that differs between the calls of one conversation and is the same on every run of it."""
    seed = json.dumps([position, index, name, args], sort_keys=True, default=str)
    return f"call_{hashlib.sha256(seed.encode()).hexdigest()[:24]}"


def _usage(messages: list[BaseMessage], text: str, calls: Sequence[tuple[str, dict]]) -> UsageMetadata:
    prompt = sum(estimate_tokens(message) for message in messages)
    written = text + "".join(name + json.dumps(args, default=str) for name, args in calls)
    answer = count_tokens(written)
    return UsageMetadata(input_tokens=prompt, output_tokens=answer, total_tokens=prompt + answer)


def count_tokens(text: str) -> int:
    """About four characters a token: not a tokenizer's figure, but always the same one."""
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


def estimate_tokens(message: BaseMessage) -> int:
    """Tokens of a message with its tool calls, estimated."""
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return count_tokens(message.text + "".join(call["name"] + json.dumps(call["args"]) for call in calls))


def _chunks(message: AIMessage) -> Iterator[AIMessageChunk]:
    """The message word by word; counts and metadata come with the last piece only, or sums would be wrong."""
    for word in _WORD.findall(message.text):
        yield AIMessageChunk(content=word)
    for index, call in enumerate(message.tool_calls):
        args = json.dumps(call["args"])
        yield AIMessageChunk(
            content="",
            tool_call_chunks=[tool_call_chunk(name=call["name"], args="", id=call["id"], index=index)],
        )
        half = len(args) // 2
        for part in (args[:half], args[half:]):
            yield AIMessageChunk(
                content="", tool_call_chunks=[tool_call_chunk(name=None, args=part, id=None, index=index)]
            )
    yield AIMessageChunk(
        content="",
        usage_metadata=message.usage_metadata,
        response_metadata=message.response_metadata,
        chunk_position="last",
    )
