"""The structure of the graph, its pure decisions, and threads that an older release has paused."""

from typing import Any, cast

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from agents.coder import graph as coder
from agents.coder import verdict
from agents.coder.context import RECURSION_LIMIT, Context
from agents.coder.state import Attempt, Input, State
from agents.shared.resilience import RETRY
from agents.shared.sandbox.verdicts import Ending, Told, judge, log_of, read
from tests.agents.coder.in_process import Bench, solutions

ADDED_SINCE = frozenset(
    {"advised", "decided_by", "degraded", "stopped_because", "problem", "critique", "failures"}
)


def made(code: str, passed: int = 0, kind: str = "failed") -> Attempt:
    values = {"code": code, "kind": kind, "summary": "s", "passed": passed, "total": 3, "log": "l"}
    return cast("Attempt", values)


def state(*tries: Attempt, **values: Any) -> State:
    return cast("State", {"tries": list(tries), **values})


def test_effects_are_declared_and_what_asks_the_database_is_retried() -> None:
    effects = {name for name, spec in coder.builder.nodes.items() if (spec.metadata or {}).get("effect")}
    retried = {name for name, spec in coder.builder.nodes.items() if spec.retry_policy is RETRY}
    assert effects == {"keep", "dead_letter"}
    assert retried == {"intake", *effects}
    assert (coder.graph.config or {}).get("recursion_limit") == RECURSION_LIMIT


def test_every_setting_has_a_help_text() -> None:
    assert all(field.description for field in Context.model_fields.values())


def test_the_best_attempt_passes_most_and_of_equals_is_the_newest() -> None:
    assert verdict.best(state()) is None
    assert verdict.best(state(made("a", 1), made("b", 2), made("c", 2), made("d", 0))) == made("c", 2)
    assert verdict.best(state(made("a", 3, "passed"), made("b", 3))) == made("a", 3, "passed")


def test_repetition_is_noticed() -> None:
    assert not verdict.stuck(state())
    assert not verdict.stuck(state(made("a"), made("b")))
    assert verdict.stuck(state(made("a"), made("b"), made("a")))


def test_lines_without_the_nonce_are_not_believed() -> None:
    told = read(['{"event": "end"}', '{"event": "end", "nonce": "b"}', "[]", "garbage", '{"nonce": "a"'], "a")
    assert told == Told()
    assert read(['{"event": "end", "nonce": "a"}'], "a").ended


@pytest.mark.parametrize(
    ("told", "ending", "kind"),
    [
        (Told(unprotected="no"), Ending(1, 0.1), "unprotected"),
        (Told(), Ending(-9, 4.0, out_of_time=True), "time"),
        (Told(), Ending(-24, 1.0), "cpu"),
        (Told(), Ending(-9, 1.0, cpu_s=2.0), "cpu"),
        (Told(), Ending(-11, 0.1), "crashed"),
        (Told(), Ending(1, 0.1, output="MemoryError"), "memory"),
        (Told(), Ending(-9, 0.1, too_large=True), "disk"),
        (Told(names=["a"], ended=True), Ending(0, 0.1), "crashed"),
        (Told(names=["a"], passed={"a"}, ended=True), Ending(0, 0.1), "passed"),
        (Told(names=["a"], passed={"b"}, ended=True), Ending(0, 0.1), "crashed"),
        (Told(ended=True), Ending(0, 0.1), "no_tests"),
    ],
)
def test_endings(told: Told, ending: Ending, kind: str) -> None:
    found = judge(told, ending, cpu_limit_s=2, time_limit_s=4.0)
    assert found["kind"] == kind
    assert found["summary"] in log_of(found)


async def older(state: Any) -> dict[str, Any]:
    """What an older release left behind: three rounds in vain, and a question."""
    return {"task": "Double it.", "tries": [made("def double(x): return x", 1)], "rounds": 3, "turns": 1}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"action": "accept"}, "accepted"),
        ({"action": "stop"}, "stopped"),
        ({"action": "advise", "advice": "fizzbuzz instead"}, "passed"),
    ],
)
async def test_an_older_threads_question_is_answered_by_todays_graph(
    workshop: str, answer: dict[str, Any], outcome: str
) -> None:
    kept = {name: hint for name, hint in State.__annotations__.items() if name not in ADDED_SINCE}
    older_state: Any = TypedDict("OlderState", kept)  # type: ignore[misc]
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(
        older_state, context_schema=Context, input_schema=Input
    )
    builder.add_node("verify", older, input_schema=older_state)
    ask = coder.builder.nodes["ask"]
    builder.add_node("ask", ask.runnable, input_schema=older_state, destinations=("verify",))
    builder.set_entry_point("verify")
    builder.add_edge("verify", "ask")
    saver = InMemorySaver()
    bench = Bench.open(saver=saver)
    await builder.compile(checkpointer=saver).ainvoke({"messages": ["Double it."]}, bench.config)
    held = (await bench.graph.aget_state(bench.config)).values
    assert not {"advised", "stopped_because", "critique"} & held.keys()
    assert (await bench.answer(**answer)).get("outcome") == outcome
    assert len(solutions(workshop)) == (outcome in ("accepted", "passed"))
