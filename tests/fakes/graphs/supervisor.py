"""A supervisor with three workers, each a subgraph that hands back: a task takes six hand-offs.

Input: {"task": str}. The supervisor asks a model whom to hand to; `buyer` looks a price up with a tool, `lawyer` reads
two clauses side by side, `writer` writes. The model is of this module: no key, no network, the same words each time.
"""

import operator
from typing import Annotated, Any, NotRequired

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from typing_extensions import TypedDict

WORKERS = ("buyer", "lawyer", "writer")


class State(TypedDict):
    task: str
    done: Annotated[list[str], operator.add]
    notes: Annotated[list[str], operator.add]
    report: NotRequired[str]


class Clerk(BaseChatModel):
    """Answers with the last words of what it is asked."""

    model_name: str = "clerk-1"

    @property
    def _llm_type(self) -> str:
        return "clerk"

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
        return {"ls_provider": "fake", "ls_model_name": self.model_name, "ls_model_type": "chat"}

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any,
    ) -> ChatResult:  # fmt: skip
        words = messages[-1].text.split()
        answer = AIMessage(
            words[-1],
            usage_metadata={"input_tokens": len(words), "output_tokens": 1, "total_tokens": len(words) + 1},
            response_metadata={"finish_reason": "stop", "model_name": self.model_name},
        )
        return ChatResult(generations=[ChatGeneration(message=answer)])

    async def _agenerate(
        self, messages: list[BaseMessage], stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None, **kwargs: Any,
    ) -> ChatResult:  # fmt: skip
        return self._generate(messages, stop)


MODEL = Clerk()


@tool
async def look_up_price(item: str) -> str:
    """The price of an item."""
    return f"{item}: $12"


async def supervisor(state: State) -> Command[Any]:
    left = [name for name in WORKERS if name not in state["done"]]
    if not left:
        return Command(goto=END, update={"report": "; ".join(state["notes"])})
    said = await MODEL.ainvoke(f"{state['task']}. Who is next? {left[0]}")
    return Command(goto=said.text, update={"notes": [f"asked {said.text}"]})


def handing_back(name: str, notes: int) -> Any:
    async def hand_back(state: State) -> Command[Any]:
        # Of a subgraph that leaves by a command, the supervisor gets what the command says and nothing else.
        found = {"done": [name], "notes": state["notes"][-notes:]}
        return Command(graph=Command.PARENT, goto="supervisor", update=found)

    return hand_back


async def look_up(state: State) -> dict[str, Any]:
    return {"notes": [await look_up_price.ainvoke({"item": "a lamp"})]}


async def warranty(state: State) -> dict[str, Any]:
    return {"notes": [(await MODEL.ainvoke("In one word, the warranty: two-years")).text]}


async def returns(state: State) -> dict[str, Any]:
    return {"notes": [(await MODEL.ainvoke("In one word, returns: free")).text]}


async def write(state: State) -> dict[str, Any]:
    return {"notes": [(await MODEL.ainvoke("In one word, shall we buy: yes")).text]}


def worker(name: str, **nodes: Any) -> Any:
    """A subgraph of nodes side by side, and then the hand-back."""
    builder = StateGraph(State)
    builder.add_node("hand_back", handing_back(name, len(nodes)))
    for title, work in nodes.items():
        builder.add_node(title, work)
        builder.add_edge(START, title)
    builder.add_edge(list(nodes), "hand_back")
    return builder.compile(name=name)


builder = StateGraph(State)
builder.add_node("supervisor", supervisor, destinations=(*WORKERS, END))
builder.add_node("buyer", worker("buyer", look_up=look_up))
builder.add_node("lawyer", worker("lawyer", warranty=warranty, returns=returns))
builder.add_node("writer", worker("writer", write=write))
builder.add_edge(START, "supervisor")

graph: Any = builder.compile(name="supervisor")
