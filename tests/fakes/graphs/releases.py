"""One graph over several releases: `old` is what threads wait under, every other what a deploy would bring.

Input: {"notes": [...]}. `old` asks two questions in `ask`, the second once the first is answered.
"""

import operator
from typing import Annotated, Any, Literal, NotRequired

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel, Field
from typing_extensions import TypedDict


class Answer(BaseModel):
    """What `old` wants to be answered."""

    action: Literal["yes", "no"]


class Newer(BaseModel):
    """What a later release wants."""

    verdict: Literal["approve", "reject"]


class State(TypedDict):
    notes: Annotated[list[str], operator.add]


class WithRisk(State):
    risk: float


class WithDefault(State):
    risk: NotRequired[float]


class Model(BaseModel):
    notes: Annotated[list[str], operator.add] = Field(default_factory=list)


class ModelWithRisk(Model):
    risk: float


class ModelWithDefault(Model):
    risk: float = 0.0


class ModelOfNumbers(BaseModel):
    notes: Annotated[list[int], operator.add] = Field(default_factory=list)


class Context(BaseModel):
    """Settings of which a later release requires one more."""

    tone: str = "plain"


class NewContext(Context):
    desk: str


async def begin(state: Any) -> dict[str, Any]:
    return {"notes": ["begun"]}


async def ask(state: Any) -> dict[str, Any]:
    first = interrupt({"kind": "first", "title": "Is it right?"}, response_schema=Answer)
    second = interrupt({"kind": "second", "title": "Is it really?"}, response_schema=Answer)
    return {"notes": [first.action, second.action]}


async def ask_with_risk(state: ModelWithRisk) -> dict[str, Any]:
    return await ask(state)


async def swapped(state: Any) -> dict[str, Any]:
    second = interrupt({"kind": "second", "title": "Is it really?"}, response_schema=Answer)
    first = interrupt({"kind": "first", "title": "Is it right?"}, response_schema=Answer)
    return {"notes": [first.action, second.action]}


async def fewer(state: Any) -> dict[str, Any]:
    first = interrupt({"kind": "first", "title": "Is it right?"}, response_schema=Answer)
    return {"notes": [first.action]}


async def more(state: Any) -> dict[str, Any]:
    answers = [first := interrupt({"kind": "first", "title": "Is it right?"}, response_schema=Answer)]
    answers.append(interrupt({"kind": "second", "title": "Is it really?"}, response_schema=Answer))
    answers.append(interrupt({"kind": "third", "title": f"After {first}?"}, response_schema=Answer))
    return {"notes": [each.action for each in answers]}


async def other_form(state: Any) -> dict[str, Any]:
    first = interrupt({"kind": "first", "title": "Is it right?"}, response_schema=Newer)
    second = interrupt({"kind": "second", "title": "Is it really?"}, response_schema=Newer)
    return {"notes": [first.verdict, second.verdict]}


async def either(state: Any) -> dict[str, Any]:
    """Asks one of two questions; threads of `old` wait at the second of them here."""
    if "never" in state["notes"]:
        answer = interrupt({"kind": "second", "title": "Is it really?"}, response_schema=Answer)
    else:
        answer = interrupt({"kind": "first", "title": "Is it right?"}, response_schema=Answer)
    return {"notes": [answer.action]}


async def silent(state: Any) -> dict[str, Any]:
    return {"notes": ["yes"]}


async def end(state: Any) -> dict[str, Any]:
    return {"notes": ["ended"]}


async def ends_with_risk(state: WithRisk) -> dict[str, Any]:
    return {"notes": [f"risk {state['risk']}"]}


async def ends_with_default(state: WithDefault) -> dict[str, Any]:
    return {"notes": [f"risk {state.get('risk', 0.0)}"]}


async def computes(state: WithRisk) -> dict[str, Any]:
    return {"risk": 0.5}


def release(
    asking: Any = ask,
    last: Any = end,
    schema: Any = State,
    *,
    name: str = "ask",
    between: Any = None,
    **kinds: Any,
) -> Any:
    builder = StateGraph(schema, context_schema=Context, **kinds)
    builder.add_node("begin", begin)
    builder.add_node(name, asking)
    builder.add_node("end", last)
    builder.add_edge(START, "begin")
    builder.add_edge("begin", name)
    builder.add_edge("end", END)
    if between is None:
        builder.add_edge(name, "end")
    else:
        builder.add_node("between", between)
        builder.add_edge(name, "between")
        builder.add_edge("between", "end")
    return builder.compile()


def of_context(schema: Any) -> Any:
    builder = StateGraph(State, context_schema=schema)
    builder.add_node("ask", ask)
    builder.add_edge(START, "ask")
    builder.add_edge("ask", END)
    return builder.compile()


def holding(inner: Any, name: str = "inside") -> Any:
    """`ask` in a subgraph that is a node."""
    builder = StateGraph(State)
    builder.add_node(name, inner)
    builder.add_edge(START, name)
    builder.add_edge(name, END)
    return builder.compile()


def stopping(name: str = "end", last: Any = end, schema: Any = State) -> Any:
    builder = StateGraph(schema)
    builder.add_node("begin", begin)
    builder.add_node(name, last)
    builder.add_edge(START, "begin")
    builder.add_edge("begin", name)
    builder.add_edge(name, END)
    return builder.compile(interrupt_before=[name])


old = release()
same = release()
renamed = release(name="question")
with_risk = release(last=ends_with_risk, schema=WithRisk)
with_default = release(last=ends_with_default, schema=WithDefault)
back_filled = release(last=ends_with_risk, schema=WithRisk, between=computes)
model_with_risk = release(schema=ModelWithRisk)
model_with_default = release(schema=ModelWithDefault)
node_with_risk = release(ask_with_risk, schema=WithDefault)
model_of_numbers = release(schema=ModelOfNumbers)
without_question = release(silent)
swapped_questions = release(swapped)
fewer_questions = release(fewer)
more_questions = release(more)
either_question = release(either)
other_answers = release(other_form)
nested = holding(release())
nested_renamed = holding(release(name="question"))
nested_with_risk = holding(release(last=ends_with_risk, schema=WithRisk))
nested_with_default = holding(release(last=ends_with_default, schema=WithDefault))
nested_back_filled = holding(release(last=ends_with_risk, schema=WithRisk, between=computes))
nested_model_with_risk = holding(release(schema=ModelWithRisk))
nested_gone = holding(release(), name="elsewhere")
stops = stopping()
stops_with_risk = stopping(last=ends_with_risk, schema=WithRisk)
stops_renamed = stopping("last")
new_context = of_context(NewContext)
