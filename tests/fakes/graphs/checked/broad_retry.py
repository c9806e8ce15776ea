"""Retry policies that take everything, and such that take what passes."""

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import RetryPolicy
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    done: bool


async def work(state: State) -> State:
    return {"done": True}


def passes(error: Exception) -> bool:
    return isinstance(error, TimeoutError)


def whatever(error: Exception) -> bool:
    return True


def graph(policy: Any) -> Any:
    builder = StateGraph(State)
    builder.add_node("work", work, retry_policy=policy)
    builder.add_edge(START, "work")
    builder.add_edge("work", END)
    return builder.compile()


bad_default = graph(RetryPolicy())
bad_exception = graph(RetryPolicy(retry_on=Exception))
bad_among = graph(RetryPolicy(retry_on=(TimeoutError, Exception)))
bad_true = graph(RetryPolicy(retry_on=whatever))
bad_lambda = graph(RetryPolicy(retry_on=lambda error: True))
bad_second = graph([RetryPolicy(retry_on=passes), RetryPolicy()])
bad_any = graph(RetryPolicy(retry_on=lambda error: isinstance(error, Exception)))
bad_there = graph(RetryPolicy(retry_on=lambda error: error is not None))
good_function = graph(RetryPolicy(retry_on=passes))
good_kind = graph(RetryPolicy(retry_on=TimeoutError))
good_none = graph(None)
