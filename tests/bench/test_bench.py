"""The benchmarks still measure what they say: super-steps are counted right, both graphs run, tables are drawn."""

import io
from collections import Counter

import pytest
from rich.console import Console

from agents.support.graph import builder
from bench import ageing, flows, graphs, nodes, standing, steps, tracing
from bench.__main__ import print_tables
from bench.served import Round

STEPS = {"question": 6, "refund": 7, "order_not_found": 6, "human": 6, "gate": 6, "approval": 3}


async def test_every_kind_of_ticket_has_its_super_steps(agents_on_seeded_database: str) -> None:
    plain = {name: spec.runnable for name, spec in builder.nodes.items()}
    measured = await nodes.measure(agents_on_seeded_database, count=5, warm_up=1)
    assert {kind: steps for kind, steps, _, _ in measured.runs} == STEPS
    assert all(ours > 0 and empty > 0 for _, _, ours, empty in measured.runs)
    executed = {name: len(times) for name, times in measured.nodes.items()}
    assert executed["intake"] == executed["classify"] == 5
    assert executed["approve"] == 2, "once to ask, once to read the answer"
    assert {name: spec.runnable for name, spec in builder.nodes.items()} == plain


async def test_a_super_step_of_any_graph_is_measured_and_drawn(seeded_database: str) -> None:
    figures = await steps.measure(seeded_database, runs=1, names=("helpdesk", "support"))
    assert {name: row["super_steps"] for name, row in figures.items()} == {"helpdesk": 15, "support": 6}
    assert all(row["ms"] > row["empty_ms"] > 0 for row in figures.values())
    text = io.StringIO()
    steps.print_table(figures, Console(file=text, width=100))
    assert "helpdesk" in text.getvalue()


@pytest.mark.parametrize("failed", [0, 3])
def test_failures_are_counted_and_drawn(failed: int) -> None:
    outcomes = Counter({"answered": 4, "failed: HTTPStatusError": failed})
    row = Round(2.0, [0.1] * (4 + failed), +outcomes).figures()
    assert (row["failed"], row["runs_per_s"]) == (failed, (4 + failed) / 2)
    measured = nodes.Measured({"intake": [0.001, 0.003]}, [("question", 2, 0.004, 0.002)])
    assert measured.figures()["ratio"] == 2.0
    text = io.StringIO()
    through = {"concurrency": 20, "jobs": 10, "support": row, "empty": row, "ratio": 1.5}
    print_tables({"nodes": measured.figures(), "served": through}, Console(file=text, width=100))
    assert "intake" in text.getvalue() and "1.5 times as long" in text.getvalue()


def test_each_flow_is_answered_in_the_shape_in_which_it_asks() -> None:
    """Without a server: what a question gets, and that a graph that failed or waits is no graph that is done."""
    asked = [
        {"id": "1", "value": {"action_requests": [{"name": "refund"}]}},
        {"id": "2", "value": {"kind": "payment"}},
    ]
    resume = {"1": {"decisions": [{"type": "approve"}]}, "2": {"action": "approve"}}
    assert flows.answer(asked) == {"command": {"resume": resume}}
    assert flows.answer([]) == {"input": None}
    rows = {name: {"seconds": 1.0, "answers": 0, "ended": name} for name in ("done", "failed", "waits")}
    assert flows.missed(rows) == 2
    assert flows.missed({"slow": {"seconds": flows.GOAL_S, "answers": 0, "ended": "done"}}) == 1
    text = io.StringIO()
    flows.print_table(rows, Console(file=text, width=100))
    assert "1.00" in text.getvalue() and "waits" in text.getvalue()


async def test_spans_are_sent_to_each_place_and_drawn() -> None:
    figures = await tracing.measure(runs=10, times=1)
    assert all(row["ms_a_run"] > 0 for row in figures["ways"].values()) and len(figures["ways"]) == 4
    text = io.StringIO()
    tracing.print_table(figures, Console(file=text, width=100))
    assert "one that hangs" in text.getvalue()


def test_what_is_measured_of_the_durable_runtime_is_drawn() -> None:
    text = io.StringIO()
    console = Console(file=text, width=120)
    one = {
        "empty_per_s": 40.0,
        "waiting_per_s": 15.0,
        "transactions_a_run": 11.0,
        "processor_ms_a_run": 10.0,
    }
    standing.print_table(
        {
            "idle": {"processor_percent": 0.4, "queries_per_s": 3.1}, "replicas1": one,
            "replicas2": {**one, "waiting_per_s": 30.0}, "orphans": {"10 s (default)": [9.8, 9.9]},
        },
        console,
    )  # fmt: skip
    row = {"turns": "1 to 25", "bytes_a_turn": 4050, "snapshot_bytes": 9, "values_bytes": 8, "turn_ms": 20.0}
    ageing.print_table(
        {"intervals": [row], "page": 10, "history_ms": 40.0, "plain_history_ms": 20.0}, console
    )
    for said in ("0.4 % of a core", "2.00", "9.8, 9.9 s with a lease of 10 s", "4050", "40.0 ms"):
        assert said in text.getvalue()


async def test_the_diary_remembers_and_the_waiting_wait() -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    diary = graphs.diary.copy(update={"checkpointer": InMemorySaver()})
    config = {"configurable": {"thread_id": "1"}}
    for text in ("a", "b"):
        said = (await diary.ainvoke({"said": [text]}, config))["said"]
    assert said == ["a", "1: a", "b", "3: b"]
    assert await graphs.waiting.ainvoke({"seconds": 0.0}) == {"seconds": 0.0}
