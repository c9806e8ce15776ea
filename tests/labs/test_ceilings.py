"""Lab 7: a tool returns something subtly wrong, and the model asks it again, in the same words, for ever.

What each node costs is summed in state by a reducer. Unprotected the run ends in GraphRecursionError: an error for
the customer, after everything was paid. The recursion limit is the net below. Above it the graph itself gives up,
politely: after the third identical call, or when the money is spent, whatever comes first, and says why.
"""

import json
from collections import Counter
from typing import Annotated, Any, Literal, NotRequired

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.tools import tool
from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, StateGraph, add_messages
from langgraph.prebuilt import ToolNode
from typing_extensions import TypedDict

from agents.shared.limits import Usage, UsageRow, add_usage, over_limit, total_tokens, total_usd
from agents.shared.offline import OfflineChatModel, Reply, Request
from tests.labs.figures import Figures

USD_PER_MILLION = 3.0
RECURSION_LIMIT = 25  # intake, then model and tool in turn: the model is asked twelve times
TRIES = 3
TABLE = Figures(
    "ceilings",
    ("graph", "ended by", "model calls", "tokens", "USD"),
    ("unprotected", "three tries", "ceiling of $0.06"),
)


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    usage: NotRequired[Annotated[Usage, add_usage]]
    given_up: NotRequired[str]


@tool
def delivery_date(day: str) -> str:
    """The delivery date for a day given as YYYY-MM-DD."""
    return (
        f"error: {day} is not understood, give the day as YYYY-MM-DD"
        if "/" in day
        else "delivered on 2026-12-02"
    )


def insists(request: Request) -> Reply:
    """Calls the tool as the customer wrote the day; a tool that answers `error` is asked again, word by word."""
    last = request.messages[-1].text
    if last.startswith("delivered"):
        return Reply(text=f"It was {last}.")
    return Reply(tool_calls=(("delivery_date", {"day": request.last_human.split()[-1]}),))


def agent(*, prompt_tokens: int, tries: int | None = None, max_usd: float | None = None) -> Any:
    """Intake, model, tool, model, and so on; with `tries` or `max_usd` it gives up by itself."""
    prompt = SystemMessage(
        "x" * 4 * prompt_tokens
    )  # what is sent along each time: rules, examples, documents
    model = OfflineChatModel(rules=insists).bind_tools([delivery_date])

    async def intake(state: State) -> dict[str, Any]:
        return {}

    async def ask_model(state: State) -> dict[str, Any]:
        answer: Any = await model.ainvoke([prompt, *state["messages"]])
        return {"messages": [answer], "usage": spent("model", answer)}

    def after_model(state: State) -> Literal["tools", "give_up", "__end__"]:
        if not calls_of(state["messages"][-1]):
            return "__end__"
        return "give_up" if reason(state, tries, max_usd) else "tools"

    async def give_up(state: State) -> dict[str, Any]:
        said = "I could not find the delivery date; a colleague looks at it and writes to you."
        return {"messages": [AIMessage(said)], "given_up": reason(state, tries, max_usd)}

    builder = StateGraph(State)
    builder.add_node("intake", intake)
    builder.add_node("model", ask_model)
    builder.add_node("tools", ToolNode([delivery_date]))
    builder.add_node("give_up", give_up)
    builder.add_edge(START, "intake")
    builder.add_edge("intake", "model")
    builder.add_conditional_edges("model", after_model)
    builder.add_edge("tools", "model")
    builder.add_edge("give_up", END)
    return builder.compile().with_config(recursion_limit=RECURSION_LIMIT)


def reason(state: State, tries: int | None, max_usd: float | None) -> str | None:
    """Why it is enough; pure, so that the router may ask."""
    asked = Counter(json.dumps(call) for message in state["messages"] for call in calls_of(message))
    if tries is not None and max(asked.values(), default=0) >= tries:
        return f"the same call {tries} times"
    if max_usd is None:
        return None
    return over_limit(state.get("usage", {}), turns=1, max_turns=1, max_cost_usd=max_usd)


def calls_of(message: AnyMessage) -> list[tuple[str, dict[str, Any]]]:
    """Names and arguments, without ids."""
    return (
        [(call["name"], call["args"]) for call in message.tool_calls]
        if isinstance(message, AIMessage)
        else []
    )


def spent(node: str, answer: AIMessage) -> Usage:
    """What an answer has cost, at the told price."""
    counts = answer.usage_metadata
    tokens_in, tokens_out = (counts["input_tokens"], counts["output_tokens"]) if counts else (0, 0)
    usd = (tokens_in + tokens_out) * USD_PER_MILLION / 1_000_000
    row = UsageRow(calls=1, input_tokens=tokens_in, output_tokens=tokens_out, usd=usd, unpriced=False)
    return {f"{node}|told": row}


async def run(graph: Any, day: str) -> tuple[dict[str, Any], bool]:
    """The last state, and whether the recursion limit ended it."""
    values: dict[str, Any] = {}
    given = {"messages": [HumanMessage(f"When will it come if I order on {day}")]}
    try:
        async for state in graph.astream(given, stream_mode="values"):
            values = state
    except GraphRecursionError:
        return values, True
    return values, False


PROMPT_TOKENS = 3_860  # with what is said in twelve rounds each call comes to 4,000
wrong = agent(prompt_tokens=PROMPT_TOKENS)
tried = agent(prompt_tokens=PROMPT_TOKENS, tries=TRIES)
priced = agent(prompt_tokens=PROMPT_TOKENS, max_usd=0.06)


@pytest.mark.parametrize(
    ("graph", "row"),
    [*zip((wrong, tried, priced), TABLE.rows, strict=True)],
    ids=("wrong", "tried", "priced"),
)
async def test_what_ends_the_loop(graph: Any, row: str) -> None:
    values, hit_the_limit = await run(graph, "12/01/2026")
    assert hit_the_limit is (graph is wrong)
    usage = values["usage"]
    if graph is not wrong:
        assert values["messages"][-1].text.endswith("writes to you.")
    ended_by = "GraphRecursionError" if hit_the_limit else values["given_up"]
    (model,) = usage.values()
    TABLE.keep(row, ended_by, model["calls"], total_tokens(usage), f"{total_usd(usage):.2f}")


async def test_what_works_is_not_given_up() -> None:
    for graph in (wrong, tried, priced):
        values, hit_the_limit = await run(graph, "2026-12-01")
        assert not hit_the_limit and "given_up" not in values
        assert values["messages"][-1].text == "It was delivered on 2026-12-02."


async def test_another_call_is_another_try() -> None:
    """Three different days are no loop."""
    days = [("delivery_date", {"day": f"{day}/12"}) for day in (1, 2, 3)]
    calls = [AIMessage("", tool_calls=[{"name": name, "args": args, "id": "1"}]) for name, args in days]
    assert reason({"messages": [*calls]}, TRIES, None) is None
    assert reason({"messages": [calls[0]] * TRIES}, TRIES, None) == "the same call 3 times"
