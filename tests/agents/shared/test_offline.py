"""The offline model is a chat model like any other: tools, structured output, streams, counts."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from agents.shared.offline import OfflineChatModel, Reply, Request, count_tokens, request_of

ASKED = [SystemMessage("Task: answer"), HumanMessage("first"), AIMessage("x"), HumanMessage("second  one\n")]


class Verdict(BaseModel):
    """What the question is about."""

    topic: str


@tool
def find_order(order_id: str) -> str:
    """Where an order is."""
    return order_id


def rules(request: Request) -> Reply:
    if request.forced:
        return Reply(tool_calls=((request.forced, {"topic": request.last_human}),))
    if request.tools:
        calls = tuple((name, {"order_id": str(n)}) for n, name in enumerate(request.tools * 2))
        return Reply("Let me look.", calls)
    return Reply(f"  You said: {request.last_human} and\tno more.\n")


@pytest.fixture
def model() -> OfflineChatModel:
    return OfflineChatModel(rules=rules)


def added(chunks: list[AIMessageChunk]) -> AIMessageChunk:
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    return whole


def test_what_rules_see() -> None:
    names = ("a", "b")
    request = request_of([SystemMessage("one"), *ASKED], names, None)
    assert request.system == "one\n\nTask: answer"
    assert request.last_human == "second  one\n"
    assert (request.tools, request.forced) == (names, None)
    assert request_of([], (), None).last_human == ""


@pytest.mark.parametrize(
    ("names", "choice", "tools", "forced"),
    [
        (("a", "b"), "auto", ("a", "b"), None),
        (("a", "b"), "none", (), None),
        (("a", "b"), "b", ("a", "b"), "b"),
        (("a", "b"), {"type": "function", "function": {"name": "b"}}, ("a", "b"), "b"),
        (("a", "b"), "any", ("a", "b"), None),
        (("a",), "any", ("a",), "a"),
        (("a",), "required", ("a",), "a"),
        (("a",), True, ("a",), "a"),
        (("a",), False, ("a",), None),
    ],
)
def test_tool_choice(names: tuple[str, ...], choice: Any, tools: tuple[str, ...], forced: str | None) -> None:
    request = request_of(ASKED, names, choice)
    assert (request.tools, request.forced) == (tools, forced)


def test_a_choice_that_is_not_bound_is_an_error() -> None:
    with pytest.raises(ValueError, match="bound are: a"):
        request_of(ASKED, ("a",), "z")


async def test_it_says_that_it_is_offline_and_counts(model: OfflineChatModel) -> None:
    message = await model.ainvoke(ASKED)
    assert message.response_metadata["offline"] is True
    assert message.response_metadata["model_name"] == "offline:rules"
    assert message.usage_metadata == {
        "input_tokens": sum(count_tokens(one.text) for one in ASKED),
        "output_tokens": count_tokens(message.text),
        "total_tokens": sum(count_tokens(one.text) for one in ASKED) + count_tokens(message.text),
    }


@pytest.mark.parametrize("tools", [[], [find_order]], ids=["text", "text and two calls"])
async def test_a_stream_adds_up_to_the_message(model: OfflineChatModel, tools: list[Any]) -> None:
    bound = model.bind_tools(tools)
    message = await bound.ainvoke(ASKED)
    chunks = [chunk async for chunk in bound.astream(ASKED) if isinstance(chunk, AIMessageChunk)]
    whole = added(chunks)
    assert len(chunks) > 3
    assert whole.text == message.text
    assert whole.tool_calls == message.tool_calls
    assert whole.usage_metadata == message.usage_metadata
    assert whole.response_metadata == message.response_metadata
    assert [chunk.text for chunk in bound.stream(ASKED)] == [chunk.text for chunk in chunks]


async def test_the_same_question_gets_the_same_answer(model: OfflineChatModel) -> None:
    bound = model.bind_tools([find_order])
    first, second = await bound.ainvoke(ASKED), bound.invoke(ASKED)
    assert first.model_dump(exclude={"id"}) == second.model_dump(exclude={"id"})


async def test_call_ids_differ_within_a_conversation(model: OfflineChatModel) -> None:
    bound = model.bind_tools([find_order])
    first = await bound.ainvoke(ASKED)
    results = [ToolMessage("1", tool_call_id=str(call["id"])) for call in first.tool_calls]
    second = await bound.ainvoke([*ASKED, first, *results])
    ids = [call["id"] for call in (*first.tool_calls, *second.tool_calls)]
    assert len(ids) == len(set(ids)) == 4


async def test_one_call_only_when_parallel_calls_are_off(model: OfflineChatModel) -> None:
    message = await model.bind_tools([find_order], parallel_tool_calls=False).ainvoke(ASKED)
    assert len(message.tool_calls) == 1


async def test_structured_output(model: OfflineChatModel) -> None:
    assert await model.with_structured_output(Verdict).ainvoke(ASKED) == Verdict(topic="second  one\n")
    raw = await model.with_structured_output(Verdict, include_raw=True).ainvoke(ASKED)
    assert isinstance(raw, dict)
    assert isinstance(raw["parsed"], Verdict)
    assert raw["parsing_error"] is None


def test_rules_are_no_part_of_what_is_dumped(model: OfflineChatModel) -> None:
    assert "rules" not in model.model_dump()
    assert "function" not in repr(model)
