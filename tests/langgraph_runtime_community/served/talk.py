"""A graph that streams tokens, keeps a note in the store, and says how it was configured."""

from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

WORDS = "one two three four"


class Context(TypedDict, total=False):
    tone: str


class State(MessagesState):
    tone: str


async def say(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    model = GenericFakeChatModel(messages=iter([AIMessage(WORDS)]))
    answer = await model.ainvoke(state["messages"])
    assert runtime.store is not None
    await runtime.store.aput(("talks",), "last", {"said": answer.content})
    return {"messages": [answer], "tone": (runtime.context or {}).get("tone", "none")}


builder = StateGraph(State, context_schema=Context)
builder.add_node("say", say)
builder.add_edge(START, "say")
builder.add_edge("say", END)
graph = builder.compile(name="talk")
