"""Effects before interrupt(): in the node, in helpers, in a loop's round before, in a handler; and behind it."""

import asyncio
import functools
import smtplib
import sqlite3
from pathlib import Path
from typing import Annotated, Any

import httpx
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

database = sqlite3.connect(":memory:", check_same_thread=False)
model = FakeListChatModel(responses=["ask"])
STATEMENTS = {
    "note": "-- keeps it\nwith given as (select 1) insert into notes values (1)",
    "look": "select 1",
}


class State(TypedDict, total=False):
    question: str
    questions: list[str]
    messages: Annotated[list[Any], add_messages]


def graph(node: Any, **kinds: Any) -> Any:
    builder = StateGraph(State)
    builder.add_node("gate", node, **kinds)
    builder.add_edge(START, "gate")
    builder.add_edge("gate", END)
    return builder.compile()


async def mails(state: State) -> State:
    with smtplib.SMTP("localhost") as server:
        server.sendmail("a@example.com", "b@example.com", "it is being reviewed")
    return {"question": interrupt("approve?")}


async def posts(state: State) -> State:
    async with httpx.AsyncClient() as client:
        await client.post("https://example.com/notes", json={})
        await client.get("https://example.com/notes")
    return {"question": interrupt("approve?")}


async def helped(state: State) -> State:
    _keep("asked")
    return {"question": _ask("approve?")}


def _keep(what: str) -> None:
    database.execute(STATEMENTS["note"])


def _look() -> None:
    database.execute(STATEMENTS["look"])


def _ask(question: str) -> str:
    return interrupt(question)


def each_round(state: State) -> State:
    for question in state.get("questions", []):
        answer = interrupt(question)
        httpx.post("https://example.com/answers", json={"answer": answer})
    return {}


async def sometimes(state: State) -> State:
    if state.get("question"):
        Path("/tmp/asked").write_text("asked")  # noqa: ASYNC240
    return {"question": interrupt("approve?")}


async def in_thread(state: State) -> State:
    await asyncio.to_thread(httpx.post, "https://example.com/notes", json={})
    return {"question": interrupt("approve?")}


async def thinks(state: State) -> State:
    question = await model.ainvoke("what shall I ask?")
    return {"question": interrupt(question.content)}


async def hidden(state: State) -> State:
    return {"question": interrupt("approve?")}


def after(state: State) -> State:
    answer = interrupt("approve?")
    httpx.post("https://example.com/answers", json={"answer": answer})
    return {"question": answer}


def other_way(state: State) -> State:
    if not state.get("question"):
        httpx.post("https://example.com/notes", json={})
        return {}
    return {"question": interrupt("approve?")}


async def raises(state: State) -> State:
    if not state.get("question"):
        _keep("nothing to ask")
        raise ValueError("nothing to ask")
    return {"question": interrupt("approve?")}


def only_looks(state: State) -> State:
    _look()
    httpx.get("https://example.com/notes")
    return {"question": interrupt("approve?")}


def asks_in_loop(state: State) -> State:
    answers = [interrupt(question) for question in state.get("questions", [])]
    httpx.post("https://example.com/answers", json=answers)
    return {}


def pays(order: str) -> str:
    """Pay."""
    httpx.post("https://example.com/payments", json={"order": order})
    return "paid"


async def confirms(order: str) -> str:
    """Ask a person."""
    return str(interrupt(order))


async def think(state: State) -> dict[str, Any]:
    return {"messages": [AIMessage("", tool_calls=[])]}


def to_tools(state: State) -> str:
    return "tools" if state.get("messages") else END


def each_alone(state: State) -> list[Send]:
    return [Send("tools", call) for call in state.get("messages", [])[-1].tool_calls]


def tooled(tools: list[Any], router: Any) -> Any:
    builder = StateGraph(State)
    builder.add_node("think", think)
    builder.add_node("tools", ToolNode(tools))
    builder.add_edge(START, "think")
    builder.add_conditional_edges("think", router, ["tools", END])
    builder.add_edge("tools", "think")
    return builder.compile()


class Gate:
    def __init__(self) -> None:
        self.client = httpx.Client()

    def __call__(self, state: State) -> Command[Any]:
        self.client.post("https://example.com/notes")
        return Command(goto=END, update={"question": interrupt("approve?")})


def prepared(state: State) -> State:
    tell = functools.partial(httpx.post, "https://example.com/notes")
    tell()
    return {"question": interrupt("approve?")}


TELL = functools.partial(httpx.post, "https://example.com/notes")


def ready_made(state: State) -> State:
    TELL()
    return {"question": interrupt("approve?")}


def writes_file(state: State) -> State:
    with Path("notes.txt").open("a") as file:
        file.write("asked")
    return {"question": interrupt("approve?")}


def reads_file(state: State) -> State:
    with Path("notes.txt").open() as file:
        return {"question": interrupt(file.read())}


bad_prepared = graph(prepared)
bad_ready_made = graph(ready_made)
bad_writes_file = graph(writes_file)
good_reads_file = graph(reads_file)
bad_mails = graph(mails)
bad_posts = graph(posts)
bad_helped = graph(helped)
bad_each_round = graph(each_round)
bad_sometimes = graph(sometimes)
bad_in_thread = graph(in_thread)
bad_thinks = graph(thinks)
bad_hidden = graph(hidden, metadata={"effect": "pays the refund"})
bad_object = graph(Gate())
bad_tools = tooled([pays, confirms], to_tools)
good_after = graph(after, metadata={"effect": "keeps the answer"})
good_other_way = graph(other_way)
good_raises = graph(raises)
good_only_looks = graph(only_looks)
good_asks_in_loop = graph(asks_in_loop)
good_tools_alone = tooled([pays, confirms], each_alone)
good_one_tool = tooled([confirms], to_tools)
