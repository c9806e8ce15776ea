"""interrupt() under handlers that swallow it, and under such that don't."""

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    answer: str


def graph(node: Any) -> Any:
    builder = StateGraph(State)
    builder.add_node("gate", node)
    builder.add_edge(START, "gate")
    builder.add_edge("gate", END)
    return builder.compile()


def broad(state: State) -> State:
    try:
        return {"answer": interrupt("approve?")}
    except Exception:  # noqa: BLE001
        return {"answer": "no"}


def bare(state: State) -> State:
    try:
        answer = _ask()
    except:  # noqa: E722
        answer = "no"
    return {"answer": answer}


def _ask() -> str:
    return interrupt("approve?")


def suppressed(state: State) -> State:
    with contextlib.suppress(ValueError, Exception):
        return {"answer": interrupt("approve?")}
    return {}


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    try:
        yield
    except Exception:  # noqa: BLE001
        return


@contextlib.contextmanager
def loudly() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if isinstance(error, ValueError):
            return
        raise


def managed(state: State) -> State:
    with quietly():
        return {"answer": interrupt("approve?")}
    return {}


def renamed(state: State) -> State:
    try:
        return {"answer": interrupt("approve?")}
    except Exception as error:
        raise ValueError("it did not work") from error


def narrow(state: State) -> State:
    try:
        return {"answer": interrupt("approve?")}
    except (ValueError, KeyError):
        return {"answer": "no"}


def passed_on(state: State) -> State:
    try:
        return {"answer": interrupt("approve?")}
    except GraphBubbleUp:
        raise
    except Exception:  # noqa: BLE001
        return {"answer": "no"}


def raised_again(state: State) -> State:
    try:
        return {"answer": interrupt("approve?")}
    except Exception as error:
        error.add_note("while asking")
        raise


def knows(state: State) -> State:
    try:
        return {"answer": interrupt("approve?")}
    except GraphInterrupt:
        if state.get("answer"):
            return {"answer": "no"}
        raise


def elsewhere(state: State) -> State:
    try:
        limit = int(state.get("answer", "3"))
    except Exception:  # noqa: BLE001
        limit = 3
    return {"answer": interrupt({"limit": limit})}


def let_through(state: State) -> State:
    with loudly():
        return {"answer": interrupt("approve?")}
    return {}


def ends_in_finally(state: State) -> State:
    try:
        interrupt("approve?")
    finally:
        return {}  # noqa: B012


async def gathered(state: State) -> State:
    async def ask() -> str:
        return interrupt("approve?")

    await asyncio.gather(ask(), return_exceptions=True)
    return {}


def _safely(asking: Any) -> Any:
    try:
        return asking()
    except Exception:  # noqa: BLE001
        return None


def handed_over(state: State) -> State:
    return {"answer": _safely(lambda: interrupt("approve?"))}


bad_handed_over = graph(handed_over)
bad_in_finally = graph(ends_in_finally)
bad_gathered = graph(gathered)
bad_broad = graph(broad)
bad_bare = graph(bare)
bad_suppressed = graph(suppressed)
bad_managed = graph(managed)
bad_renamed = graph(renamed)
good_narrow = graph(narrow)
good_passed_on = graph(passed_on)
good_raised_again = graph(raised_again)
good_knows = graph(knows)
good_elsewhere = graph(elsewhere)
good_let_through = graph(let_through)
