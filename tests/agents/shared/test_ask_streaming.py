"""Streams over real HTTP: what reaches a reader, and a stream that ends too soon."""

from typing import Annotated, Any
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessageChunk, AnyMessage
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel
from typing_extensions import TypedDict

from agents.shared.models import Answer, ModelDown, ask, chat_client
from agents.shared.offline import Reply, Request
from agents.shared.resilience import Retries
from tests.fakes.openai_answers import Action, Cut, Hang, Say, Status
from tests.fakes.openai_server import OpenAIServer

QUICK = Retries(first_wait_s=0.01, jitter=0.0)
GOOD = Say("It is on its way.")


class Verdict(BaseModel):
    """What the question is about."""

    topic: str


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


@pytest.fixture
def model() -> str:
    return f"openai:{uuid4().hex}"


def echo(request: Request) -> Reply:
    return Reply(f"You said: {request.last_human}")


class Desk:
    """A graph of one node that asks; `answers` keeps what the node got."""

    def __init__(self, model: str, schema: type[BaseModel] | None = None, timeout_s: float = 5.0) -> None:
        self.answers: list[Answer] = []
        self._options: dict[str, Any] = {"models": [model], "schema": schema, "timeout_s": timeout_s}
        self.graph = self._graph()

    async def reply(self, state: State) -> dict[str, Any]:
        messages = state["messages"]
        answer = await ask(messages, node="reply", rules=echo, retries=QUICK, **self._options)
        self.answers.append(answer)
        return {"messages": [answer.message]}

    async def stream(self) -> list[AIMessageChunk]:
        asked: State = {"messages": [("human", "Where is it?")]}  # pyright: ignore[reportAssignmentType]
        chunks = [chunk async for chunk, _ in self.graph.astream(asked, stream_mode="messages")]
        return [chunk for chunk in chunks if isinstance(chunk, AIMessageChunk)]

    def _graph(self) -> CompiledStateGraph[State, None, State, State]:
        return StateGraph(State).add_node("reply", self.reply).add_edge(START, "reply").compile()


async def test_chunks_add_up_and_usage_comes_with_the_last(openai_server: OpenAIServer, model: str) -> None:
    openai_server.script(Say("It is on its way.", usage=(20, 6)))
    client = await chat_client(model, rules=echo)
    chunks = [chunk async for chunk in client.astream("Where is it?")]
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    assert [chunk.text for chunk in chunks if chunk.text] == ["It ", "is ", "on ", "its ", "way."]
    assert whole.text == GOOD.text
    assert whole.usage_metadata is not None
    assert (whole.usage_metadata["input_tokens"], whole.usage_metadata["output_tokens"]) == (20, 6)
    [call] = openai_server.calls
    assert call.body["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize("kind", ["openai", "offline"])
async def test_tokens_of_a_node_stream_in_messages_mode(
    openai_server: OpenAIServer, model: str, kind: str
) -> None:
    openai_server.script(GOOD)
    desk = Desk(model if kind == "openai" else "offline:rules")
    chunks = await desk.stream()
    [answer] = desk.answers
    assert "".join(chunk.text for chunk in chunks) == answer.message.text
    assert len([chunk for chunk in chunks if chunk.text]) == 5
    assert len({chunk.id for chunk in chunks}) == 1
    assert answer.message.usage_metadata is not None
    assert answer.message.usage_metadata["output_tokens"] > 0


async def test_a_streamed_schema_is_parsed(openai_server: OpenAIServer, model: str) -> None:
    openai_server.script(Say(tool_calls=(("Verdict", {"topic": "a rather long topic"}),)))
    desk = Desk(model, Verdict)
    chunks = await desk.stream()
    assert desk.answers[0].parsed == Verdict(topic="a rather long topic")
    assert len([chunk for chunk in chunks if chunk.tool_call_chunks]) > 2


@pytest.mark.parametrize("failure", [Cut(), Cut(politely=True), Status(500)])
async def test_a_broken_stream_is_tried_again(
    openai_server: OpenAIServer, model: str, failure: Action
) -> None:
    openai_server.script(failure, GOOD)
    desk = Desk(model)
    await desk.stream()
    assert desk.answers[0].message.text == GOOD.text
    assert len(openai_server.calls) == 2


@pytest.mark.parametrize("silence", [Hang(), Hang(chunks=3)])
async def test_a_stream_that_falls_silent_ends_at_the_timeout(
    openai_server: OpenAIServer, model: str, silence: Action
) -> None:
    openai_server.script(silence, silence, silence)
    with pytest.raises(ModelDown, match="timeout"):
        await Desk(model, timeout_s=0.2).stream()
    assert len(openai_server.calls) == 3


async def test_a_streamed_refusal_is_a_problem(openai_server: OpenAIServer, model: str) -> None:
    openai_server.script(Say(refusal="I can't help with that"))
    desk = Desk(model)
    await desk.stream()
    assert desk.answers[0].problem is not None
    assert len(openai_server.calls) == 1
