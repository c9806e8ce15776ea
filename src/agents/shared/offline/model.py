"""The offline chat model: a real BaseChatModel over a rule set."""

import hashlib
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LangSmithParams, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

from agents.shared.offline.request import Rules, request_of
from agents.shared.offline.tokens import count_tokens, estimate_tokens

OFFLINE = "offline:rules"
_WORD = re.compile(r"\S+\s*|\s+")


class OfflineChatModel(BaseChatModel):
    """Deterministic: the same messages and tools give the same answer, token counts and call ids."""

    rules: Rules = Field(exclude=True, repr=False)

    @property
    def _llm_type(self) -> str:
        return "offline"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": OFFLINE}

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        """How traces name it; the price of that name is 0."""
        provider, _, name = OFFLINE.partition(":")
        return LangSmithParams(ls_provider=provider, ls_model_name=name, ls_model_type="chat")

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


def _call_id(position: int, index: int, name: str, args: dict[str, Any]) -> str:
    """An id that differs between the calls of one conversation and is the same on every run of it."""
    seed = json.dumps([position, index, name, args], sort_keys=True, default=str)
    return f"call_{hashlib.sha256(seed.encode()).hexdigest()[:24]}"


def _usage(messages: list[BaseMessage], text: str, calls: Sequence[tuple[str, dict]]) -> UsageMetadata:
    prompt = sum(estimate_tokens(message) for message in messages)
    written = text + "".join(name + json.dumps(args, default=str) for name, args in calls)
    answer = count_tokens(written)
    return UsageMetadata(input_tokens=prompt, output_tokens=answer, total_tokens=prompt + answer)


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
