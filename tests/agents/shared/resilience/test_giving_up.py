"""giving_up: which errors leave the node, which are noted, and when."""

import asyncio
from typing import cast

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphInterrupt
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import ExecutionInfo, Runtime
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from agents.shared.errors import PermanentError, TransientError
from agents.shared.payments import PaymentUnavailable
from agents.shared.resilience import RETRY, BreakerOpen, giving_up


def on_try(attempt: int) -> Runtime[None]:
    """A node's runtime on its try number `attempt`, counted from 1."""
    info = ExecutionInfo(checkpoint_id="c", checkpoint_ns="", task_id="t", node_attempt=attempt)
    return Runtime(execution_info=info)


async def reasons(runtime: Runtime[None], error: BaseException | None) -> list[str]:
    async with giving_up(runtime) as given_up:
        if error is not None:
            raise error
    return given_up.reasons


async def test_nothing_is_noted_while_all_is_well() -> None:
    assert await reasons(on_try(1), None) == []


@pytest.mark.parametrize("attempt", range(1, RETRY.max_attempts))
async def test_a_transient_error_is_raised_while_tries_are_left(attempt: int) -> None:
    with pytest.raises(TransientError, match="busy"):
        await reasons(on_try(attempt), TransientError("busy"))


async def test_the_last_try_is_noted() -> None:
    assert await reasons(on_try(RETRY.max_attempts), TransientError("busy")) == ["TransientError: busy"]


async def test_a_node_called_by_hand_has_no_other_try() -> None:
    assert await reasons(Runtime(), ConnectionResetError("gone")) == [
        "ConnectionResetError: something that is needed for it failed"
    ]


@pytest.mark.parametrize("error", [PermanentError("no"), BreakerOpen("orders", 12.0)])
async def test_what_another_try_cannot_change_is_noted_at_once(error: PermanentError) -> None:
    assert await reasons(on_try(1), error) == [f"{type(error).__name__}: {error}"]


@pytest.mark.parametrize("attempt", [1, RETRY.max_attempts])
@pytest.mark.parametrize("bug", [ValueError("a bug"), KeyError("order"), AssertionError("never")])
async def test_a_bug_is_raised_on_every_try(bug: Exception, attempt: int) -> None:
    with pytest.raises(type(bug)) as caught:
        await reasons(on_try(attempt), bug)
    assert caught.value is bug


@pytest.mark.parametrize("signal", [asyncio.CancelledError(), GraphInterrupt(()), KeyboardInterrupt()])
async def test_what_is_no_failure_passes_untouched(signal: BaseException) -> None:
    with pytest.raises(type(signal)) as caught:
        await reasons(on_try(RETRY.max_attempts), signal)
    assert caught.value is signal


class Tries(TypedDict):
    """What the little graph below remembers."""

    noted: list[str]


async def test_inside_a_graph_the_retry_policy_gets_its_three_tries() -> None:
    attempts: list[int] = []

    async def node(state: Tries, runtime: Runtime[None]) -> Tries:
        async with giving_up(runtime) as given_up:
            assert runtime.execution_info is not None
            attempts.append(runtime.execution_info.node_attempt)
            raise TransientError("busy")
        return {"noted": given_up.reasons}

    quick = RETRY._replace(initial_interval=0.01, jitter=False)
    builder = StateGraph(Tries).add_node("node", node, retry_policy=quick)
    graph = builder.add_edge(START, "node").add_edge("node", END).compile()
    assert await graph.ainvoke({"noted": []}) == {"noted": ["TransientError: busy"]}
    assert attempts == [1, 2, 3]


async def test_an_interrupt_inside_waits_and_goes_on() -> None:
    async def node(state: Tries, runtime: Runtime[None]) -> Tries:
        async with giving_up(runtime) as given_up:
            return {"noted": [cast("str", interrupt("how?"))]}
        return {"noted": given_up.reasons}

    builder = StateGraph(Tries).add_node("node", node).add_edge(START, "node")
    graph = builder.compile(checkpointer=InMemorySaver())
    thread: RunnableConfig = {"configurable": {"thread_id": "1"}}
    waiting = await graph.ainvoke({"noted": []}, thread)
    assert [one.value for one in waiting["__interrupt__"]] == ["how?"]
    assert await graph.ainvoke(Command(resume="so"), thread) == {"noted": ["so"]}


async def test_what_its_own_client_has_tried_enough_is_noted_at_the_first_try() -> None:
    async with giving_up(on_try(1), tried_enough=(PaymentUnavailable,)) as given_up:
        raise PaymentUnavailable("away", maybe_paid=True)
    assert given_up.reasons == ["PaymentUnavailable: away"]
    with pytest.raises(TransientError, match="busy"):
        async with giving_up(on_try(1), tried_enough=(PaymentUnavailable,)):
            raise TransientError("busy")
