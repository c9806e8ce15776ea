"""Lab 1, the other half: what differs between the loop by hand and `create_agent`, measured instead of remembered.

The limit that comes along is the one that costs money: neither brings one that would stop a loop in time.
"""

from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langgraph.graph import START, StateGraph
from langgraph.managed import RemainingSteps
from typing_extensions import TypedDict

from agents.shared.offline import OfflineChatModel, Reply, Request
from tests.fakes.shop import place_order
from tests.labs.figures import Figures
from tests.labs.test_react import PROMPT, TOOLS, by_hand, prebuilt, rules

DIFFERS = Figures(
    "what differs",
    ("of", "by hand", "create_agent"),
    (
        "super-steps until the limit ends it",
        "tasks for two calls of one message",
        "a tool that raises",
        "arguments that don't fit",
        "name on its messages",
        "system prompts in state",
    ),
)


class Looking(TypedDict):
    left: int
    remaining_steps: RemainingSteps


async def default_limit() -> int:
    """The limit of a graph that nobody gave one."""

    async def look(state: Looking) -> dict[str, Any]:
        return {"left": state["remaining_steps"]}

    builder: Any = StateGraph(Looking)
    builder.add_node("look", look)
    builder.add_edge(START, "look")
    return (await builder.compile().ainvoke({"left": 0}))["left"] + 1


async def tasks_of_two_calls(graph: Any, number: str) -> int:
    """How many tasks the tools' super-step has."""
    given = {"messages": [HumanMessage(f"Where is order {number} and How do I return it?")]}
    began = [chunk async for chunk in graph.astream(given, stream_mode="debug") if chunk["type"] == "task"]
    return sum(chunk["payload"]["name"] == "tools" for chunk in began)


async def after_calling(build: Any, name: str, **args: Any) -> str:
    """What a run tells whose model makes this call, then says what it heard."""

    def calling(request: Request) -> Reply:
        last = request.messages[-1]
        return Reply(text=last.text) if isinstance(last, ToolMessage) else Reply(tool_calls=((name, args),))

    try:
        values = await build(OfflineChatModel(rules=calling)).ainvoke({"messages": [HumanMessage("Go")]})
    except ValueError:
        return "the run fails"
    heard = values["messages"][-1].text
    return "the model is told" if heard.startswith("Error") else heard


async def test_what_differs(agents_on_seeded_database: str) -> None:
    model = OfflineChatModel(rules=rules)
    number = place_order(agents_on_seeded_database)
    graphs = by_hand(model), prebuilt(model)
    named = by_hand(model), create_agent(model, TOOLS, system_prompt=PROMPT, name="desk")
    said = [(await graph.ainvoke({"messages": [HumanMessage("Thanks!")]}))["messages"] for graph in named]
    both = by_hand, prebuilt
    rows: list[list[Any]] = [
        [await default_limit(), (graphs[1].config or {})["recursion_limit"]],
        [await tasks_of_two_calls(graph, number) for graph in graphs],
        [await after_calling(build, "explode") for build in both],
        [await after_calling(build, "order_status", order=1) for build in both],
        [messages[-1].name or "none" for messages in said],
        [sum(isinstance(message, SystemMessage) for message in messages) for messages in said],
    ]
    for row, (hand, built) in zip(DIFFERS.rows, rows, strict=True):
        DIFFERS.keep(row, hand, built)
