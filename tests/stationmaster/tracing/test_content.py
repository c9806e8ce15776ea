"""What customers wrote is in no span, unless the setting puts it there; secrets never."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from stationmaster.tracing import facts
from tests.fakes.graphs.supervisor import MODEL
from tests.stationmaster.tracing.tracing import Traced

WRITTEN = {
    "question": "I-am-Ada", "answer": "answered-Ada", "argument": "argument-Ada", "result": "result-Ada",
    "asked": "asked-Ada", "replied": "replied-Ada", "error": "error-Ada",
}  # fmt: skip


@tool
async def look_up(item: str) -> str:
    """Looks something up."""
    return WRITTEN["result"]


async def talk(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await MODEL.ainvoke([*state["messages"], ("user", f"say {WRITTEN['answer']}")])]}


async def call(state: MessagesState) -> dict[str, Any]:
    calls = [{"name": "look_up", "args": {"item": WRITTEN["argument"]}, "id": "call-1"}]
    return {"messages": [AIMessage("", tool_calls=calls)]}


async def ask(state: MessagesState) -> dict[str, Any]:
    return {"messages": [("user", interrupt(WRITTEN["asked"]))]}


async def fail(state: MessagesState) -> dict[str, Any]:
    raise ValueError(WRITTEN["error"])


def conversation() -> Any:
    builder = StateGraph(MessagesState)
    steps = {"talk": talk, "call": call, "tools": ToolNode([look_up]), "ask": ask, "fail": fail}
    before = START
    for name, work in steps.items():
        builder.add_node(name, work)
        builder.add_edge(before, name)
        before = name
    return builder.compile(name="small", checkpointer=InMemorySaver())


async def have_it(tracing: Traced) -> str:
    """One conversation with everything in it; all that reached the collector."""
    graph = conversation()
    await graph.ainvoke({"messages": [("user", WRITTEN["question"])]}, tracing.config())
    with pytest.raises(ValueError, match="Ada"):
        await graph.ainvoke(Command(resume=WRITTEN["replied"]), tracing.config())
    tracing.spans()
    return tracing.collector.raw.decode("latin-1")


async def test_nothing_that_was_written_is_in_a_span(to_collector: Traced) -> None:
    sent = await have_it(to_collector)
    assert [what for what, words in WRITTEN.items() if words in sent] == []
    assert "execute_tool look_up" in sent and "call-1" in sent  # names and ids are


async def test_the_setting_puts_it_there(with_content: Traced) -> None:
    sent = await have_it(with_content)
    # What was replied is state, which no span holds.
    assert [what for what, words in WRITTEN.items() if words not in sent] == ["replied"]
    talked = with_content.named("chat clerk-1").attributes
    assert (
        talked["gen_ai.input.messages"].startswith('[{"role": "user"')
        and WRITTEN["question"] in talked["gen_ai.input.messages"]
    )
    assert WRITTEN["answer"] in talked["gen_ai.output.messages"]


async def test_what_is_long_is_cut(with_content: Traced) -> None:
    await MODEL.ainvoke("word " * 10_000, with_content.config())
    (span,) = with_content.spans()
    assert len(span.attributes["gen_ai.input.messages"]) == 8_000


@pytest.mark.parametrize(
    ("words", "arrives"),
    [
        ("half a character \ud800.", "half a character ?."),
        ("\x00 and \u202e", "\x00 and \u202e"),
        ("😀" * 9_000, "😀" * 7_000),
    ],
)
async def test_no_words_cost_the_other_spans_of_their_batch(
    with_content: Traced, words: str, arrives: str
) -> None:
    await MODEL.ainvoke(words, with_content.config(tenant=words))
    (span,) = with_content.spans()
    assert arrives in span.attributes["gen_ai.input.messages"] or "\x00" in words
    assert span.attributes["stationmaster.tenant"].startswith(arrives)


async def test_no_number_does(to_collector: Traced) -> None:
    await MODEL.ainvoke("hi", to_collector.config(assistant_version=10**40, tenant=True))
    (span,) = to_collector.spans()
    assert span.attributes["langgraph.assistant_version"] == str(10**40)


async def test_what_is_nested_too_deep_is_said_to_be(with_content: Traced) -> None:
    @tool
    async def deep(item: str) -> Any:
        """Gives back lists within lists."""
        found: Any = []
        for _ in range(100_000):
            found = [found]
        return found

    await deep.ainvoke({"item": "x"}, with_content.config())
    (span,) = with_content.spans()
    assert span.attributes["gen_ai.tool.call.result"] == "a list that can't be written as JSON"


class Model(BaseModel):
    name: str = ""
    other: int = 0


@pytest.mark.parametrize(
    ("outputs", "keys", "goto"),
    [
        (None, None, None),
        ({"b": "x", "a": "y", 3: "z"}, ["a", "b"], None),
        (Command(update={"a": "x"}, goto="next"), ["a"], ["next"]),
        (Command(update=[("a", "x"), ("b", "y")]), ["a", "b"], None),
        ([{"a": "x"}, Command(update={"b": "x"}, goto=["one", "two"])], ["a", "b"], ["one", "two"]),
        (Model(name="Ada"), ["name"], None),
        ("Ada", None, None),
        ([AIMessage("Ada")], None, None),
        (["Ada", "Bob"], None, None),
        ({f"key {n:03}": 1 for n in range(99)}, [f"key {n:03}" for n in range(50)], None),
    ],
)
def test_of_what_a_node_gives_back_only_names_are_told(outputs: object, keys: object, goto: object) -> None:
    told = facts.changes(outputs)
    assert (told.get(facts.KEYS), told.get(facts.GOTO)) == (keys, goto)


def test_a_tools_answer_is_no_command() -> None:
    assert facts.hands_over([ToolMessage("x", tool_call_id="1"), Command(goto="a")])
    assert not facts.hands_over(ToolMessage("x", tool_call_id="1")) and not facts.hands_over("Ada")
