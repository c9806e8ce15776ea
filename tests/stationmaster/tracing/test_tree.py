"""One run is one tree: what stands under what, what it says of itself, and how it ended."""

import asyncio
import operator
from typing import Annotated, Any
from uuid import UUID, uuid4

import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.types import Command, RetryPolicy, interrupt
from opentelemetry.context import Context
from typing_extensions import TypedDict

from stationmaster.tracing.open_runs import Open, OpenRuns
from tests.fakes.collector import Span, drawn
from tests.fakes.graphs.supervisor import MODEL
from tests.fakes.graphs.supervisor import graph as supervisor
from tests.stationmaster.tracing.tracing import THREAD, Traced

TASK = {"task": "a lamp"}


class State(TypedDict, total=False):
    seen: Annotated[list[str], operator.add]


def graph_of(
    checkpointer: InMemorySaver | None = None, retry: RetryPolicy | None = None, **nodes: Any
) -> Any:
    """A graph whose nodes all begin in the first super-step."""
    builder = StateGraph(State)
    for name, work in nodes.items():
        builder.add_node(name, work, retry_policy=retry)
        builder.add_edge(START, name)
    return builder.compile(name="small", checkpointer=checkpointer)


async def look(state: State) -> dict[str, Any]:
    await asyncio.sleep(0)
    return {"seen": ["x"]}


async def talk(state: State) -> dict[str, Any]:
    await MODEL.ainvoke("say hi")
    return {"seen": ["x"]}


async def ask(state: State) -> dict[str, Any]:
    return {"seen": [interrupt("Is it right?")]}


async def fail(state: State) -> dict[str, Any]:
    raise ValueError("ada@example.com wrote nonsense")


def parent_of(span: Span, spans: list[Span]) -> Span:
    (found,) = [other for other in spans if other.id == span.parent]
    return found


async def test_a_run_with_six_hand_offs_is_one_tree(to_collector: Traced) -> None:
    run_id = uuid4()
    await supervisor.ainvoke(TASK, to_collector.config(run_id))
    spans = to_collector.spans()
    assert drawn(spans) == [
        "invoke_agent supervisor",
        "  supervisor", "    chat clerk-1",
        "  buyer", "    invoke_agent buyer", "      look_up", "        execute_tool look_up_price", "      hand_back",
        "  supervisor", "    chat clerk-1",
        "  lawyer", "    invoke_agent lawyer",
        "      returns", "        chat clerk-1", "      warranty", "        chat clerk-1", "      hand_back",
        "  supervisor", "    chat clerk-1",
        "  writer", "    invoke_agent writer", "      write", "        chat clerk-1", "      hand_back",
        "  supervisor",
    ]  # fmt: skip
    assert {span.trace for span in spans} == {run_id.hex}
    assert not [span for span in spans if span.failed or span.events]


async def test_a_node_says_its_step_what_it_wrote_and_where_it_handed_over(to_collector: Traced) -> None:
    await supervisor.ainvoke(TASK, to_collector.config())
    said = [
        (span.attributes["langgraph.step"], span.attributes.get("langgraph.updated_keys"),
         span.attributes.get("langgraph.goto"))
        for span in sorted(to_collector.spans(), key=lambda span: span.start)
        if span.name == "supervisor"
    ]  # fmt: skip
    assert said == [
        (1, ["notes"], ["buyer"]),
        (3, ["notes"], ["lawyer"]),
        (5, ["notes"], ["writer"]),
        (7, ["report"], None),
    ]
    assert to_collector.named("buyer").attributes["langgraph.outcome"] == "handed over"


async def test_every_span_says_whose_it_is_and_nothing_else_of_the_metadata(to_collector: Traced) -> None:
    run_id = uuid4()
    known = {
        "run_id": str(run_id), "assistant_id": "a-1", "assistant_version": 7, "assistant_name": "Careful",
        "graph_id": "supervisor", "tenant": "acme", "run_attempt": 2,
    }  # fmt: skip
    await supervisor.ainvoke(
        TASK, to_collector.config(run_id, **known, customer="ada@example.com", langgraph_auth="k")
    )
    wanted = {
        "langgraph.run_id": str(run_id), "langgraph.thread_id": THREAD, "langgraph.assistant_id": "a-1",
        "langgraph.assistant_version": 7, "langgraph.assistant": "Careful", "langgraph.graph_id": "supervisor",
        "langgraph.attempt": 2, "stationmaster.tenant": "acme",
    }  # fmt: skip
    spans = to_collector.spans()
    assert all(wanted.items() <= span.attributes.items() for span in spans)
    assert not [name for span in spans for name in span.attributes if "customer" in name or "auth" in name]


async def test_a_graph_has_its_own_name_whatever_a_caller_calls_the_run(to_collector: Traced) -> None:
    config = to_collector.config(
        graph_id="small", ls_temperature="ada", ls_max_tokens="ada", run_attempt="ada"
    )
    await graph_of(look=talk).ainvoke({}, {**config, "run_name": "ada@example.com"})
    assert drawn(to_collector.spans()) == ["invoke_agent small", "  look", "    chat clerk-1"]
    assert "ada" not in to_collector.collector.raw.decode("latin-1")


async def test_what_a_task_or_an_entrypoint_gives_back_has_keys_that_are_no_names(
    to_collector: Traced,
) -> None:
    @task
    async def balances(name: str) -> dict[str, int]:
        return {name: 3}

    @entrypoint()
    async def by_name(name: str) -> dict[str, int]:
        return await balances(name)

    assert await by_name.ainvoke("ada@example.com", to_collector.config()) == {"ada@example.com": 3}
    assert len(to_collector.spans()) == 3
    assert "ada" not in to_collector.collector.raw.decode("latin-1")


async def test_tasks_of_the_functional_api_are_told_like_nodes(to_collector: Traced) -> None:
    @task
    async def square(n: int) -> int:
        return n * n

    @entrypoint()
    async def squares(numbers: list[int]) -> list[int]:
        return [await square(n) for n in numbers]

    assert await squares.ainvoke([2, 3], to_collector.config()) == [4, 9]
    assert drawn(to_collector.spans()) == ["invoke_agent LangGraph", "  squares", "    square", "    square"]


async def test_a_stream_that_is_closed_ends_its_spans(to_collector: Traced) -> None:
    stream = supervisor.astream(TASK, to_collector.config(), stream_mode="updates")
    async for _ in stream:
        break
    await stream.aclose()
    spans = to_collector.spans()
    (root,) = [span for span in spans if not span.parent]
    assert root.attributes["langgraph.outcome"] == "cancelled"
    assert len(to_collector.handler.tree.open) == 0 and not any(span.failed for span in spans)


async def test_a_model_call_says_model_tokens_and_how_it_ended(to_collector: Traced) -> None:
    to_collector.handler.price = {"fake:clerk-1": {"usd_in": 1.0, "usd_out": 10.0}}.get
    await MODEL.ainvoke("four words and hi", to_collector.config())
    (span,) = to_collector.spans()  # outside of any graph: a tree of its own
    assert span.name == "chat clerk-1" and not span.parent
    assert {
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "fake", "gen_ai.request.model": "clerk-1",
        "gen_ai.usage.input_tokens": 4, "gen_ai.usage.output_tokens": 1, "gen_ai.response.finish_reasons": ["stop"],
        "stationmaster.usd": 14e-6,
    }.items() <= span.attributes.items()  # fmt: skip


async def test_branches_of_one_step_stand_side_by_side_under_their_own_parents(to_collector: Traced) -> None:
    """A hundred runs of three branches at once: each call stands under its own branch, each branch in its own trace."""

    async def call(state: State) -> dict[str, Any]:
        await asyncio.sleep(0)
        await MODEL.ainvoke("hi")
        return {"seen": ["y"]}

    def in_a_thread(state: State) -> dict[str, Any]:
        MODEL.invoke("hi")
        return {"seen": ["z"]}

    graph = graph_of(one=call, two=call, three=in_a_thread)
    runs = [uuid4() for _ in range(100)]
    await asyncio.gather(*(graph.ainvoke({}, to_collector.config(run_id)) for run_id in runs))
    spans = to_collector.spans()
    assert {span.trace for span in spans} == {run_id.hex for run_id in runs}
    for trace in {span.trace for span in spans}:
        tree = [span for span in spans if span.trace == trace]
        assert sorted(parent_of(span, tree).name for span in tree if span.name == "chat clerk-1") == [
            "one",
            "three",
            "two",
        ]
        assert len({span.parent for span in tree if span.name in ("one", "two", "three")}) == 1
    assert len(to_collector.handler.tree.open) == 0


async def test_a_question_is_an_event_and_no_error_and_its_answer_links_back(to_collector: Traced) -> None:
    graph = graph_of(InMemorySaver(), ask=ask)
    first, second = uuid4(), uuid4()
    asked = await graph.ainvoke({}, to_collector.config(first))
    await graph.ainvoke(Command(resume="yes"), to_collector.config(second))
    spans = to_collector.spans()
    waiting, root, answered, went_on = sorted(
        spans, key=lambda span: (span.trace != first.hex, span.name != "ask")
    )
    assert [span.attributes["langgraph.outcome"] for span in (waiting, root)] == ["interrupted"] * 2
    assert not any(span.failed for span in spans)
    ((name, said),) = waiting.events
    assert name == "interrupt" and said["langgraph.interrupt_ids"] == [asked["__interrupt__"][0].id]
    assert [span.attributes["langgraph.outcome"] for span in (answered, went_on)] == ["done"] * 2
    assert went_on.trace == second.hex and went_on.links == (first.hex,)


async def test_a_subgraph_that_asks_makes_all_above_it_wait(to_collector: Traced) -> None:
    graph = graph_of(InMemorySaver(), inner=graph_of(ask=ask))
    await graph.ainvoke({}, to_collector.config())
    spans = to_collector.spans()
    assert {span.name: span.attributes["langgraph.outcome"] for span in spans} == dict.fromkeys(
        ["invoke_agent small", "inner", "ask"], "interrupted"
    )
    assert not any(span.failed for span in spans)


async def test_an_error_is_told_by_its_class_and_place_once_and_without_its_words(
    to_collector: Traced,
) -> None:
    graph = graph_of(inner=graph_of(fail=fail))
    with pytest.raises(ValueError, match="nonsense"):
        await graph.ainvoke({}, to_collector.config())
    spans = to_collector.spans()
    assert len(spans) == 4 and all(
        span.failed and span.attributes["error.type"] == "ValueError" for span in spans
    )
    ((origin, events),) = [(span.name, span.events) for span in spans if span.events]
    assert origin == "fail"
    assert (
        "test_tree.py" in events[0][1]["exception.stacktrace"]
        and "in fail" in events[0][1]["exception.stacktrace"]
    )
    assert (
        b"ada@example.com" not in to_collector.collector.raw and b"nonsense" not in to_collector.collector.raw
    )


async def test_each_try_of_a_node_is_a_span(to_collector: Traced) -> None:
    tries = iter([ConnectionError("x"), ConnectionError("x"), None])

    async def flaky(state: State) -> dict[str, Any]:
        if error := next(tries):
            raise error
        return {"seen": ["at last"]}

    graph = graph_of(retry=RetryPolicy(initial_interval=0.001, retry_on=ConnectionError), flaky=flaky)
    await graph.ainvoke({}, to_collector.config())
    spans = to_collector.spans()
    assert sorted(span.failed for span in spans if span.name == "flaky") == [False, True, True]
    assert not to_collector.named("invoke_agent small").failed


async def test_a_run_that_is_cut_off_is_no_error(to_collector: Traced) -> None:
    begun = asyncio.Event()

    async def hang(state: State) -> dict[str, Any]:
        begun.set()
        await asyncio.Event().wait()
        return {}

    run = asyncio.create_task(graph_of(hang=hang, look=look).ainvoke({}, to_collector.config()))
    await begun.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    spans = to_collector.spans()
    assert to_collector.named("hang").attributes["langgraph.outcome"] in ("cancelled", "cut off")
    assert not any(span.failed for span in spans) and len(to_collector.handler.tree.open) == 0


async def test_a_limit_that_is_hit_is_an_error_of_the_graph(to_collector: Traced) -> None:
    builder = StateGraph(State)
    builder.add_node("look", look)
    builder.add_edge(START, "look")
    builder.add_edge("look", "look")
    with pytest.raises(GraphRecursionError):
        await builder.compile(name="small").ainvoke({}, {**to_collector.config(), "recursion_limit": 3})
    assert (
        to_collector.named("invoke_agent small").attributes["error.type"]
        == "langgraph.errors.GraphRecursionError"
    )


async def test_a_tool_that_fails_and_is_answered_for_fails_alone(to_collector: Traced) -> None:
    @tool
    async def break_down(item: str) -> str:
        """Breaks down."""
        raise LookupError(item)

    async def use(state: State) -> dict[str, Any]:
        try:
            await break_down.ainvoke({"item": "ada@example.com"})
        except LookupError:
            return {"seen": ["nothing"]}
        return {}

    await graph_of(use=use).ainvoke({}, to_collector.config())
    assert {span.name: span.failed for span in to_collector.spans()} == {
        "execute_tool break_down": True, "use": False, "invoke_agent small": False
    }  # fmt: skip


async def test_a_callers_trace_goes_on_into_the_run(to_collector: Traced) -> None:
    trace, caller = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    await supervisor.ainvoke(TASK, to_collector.config(traceparent=f"00-{trace}-{caller}-01"))
    spans = to_collector.spans()
    assert {span.trace for span in spans} == {trace}
    (root,) = [span for span in spans if span.parent == caller]
    assert root.name == "invoke_agent supervisor"


async def test_what_the_caller_chose_not_to_sample_is_not_sent(to_collector: Traced) -> None:
    not_sampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
    await supervisor.ainvoke(TASK, to_collector.config(traceparent=not_sampled))
    assert to_collector.spans() == []


@pytest.mark.parametrize("sent", ["", "nonsense", "00-" + "0" * 32 + "-" + "0" * 16 + "-01", 7, {"a": 1}])
async def test_a_traceparent_that_is_none_begins_a_new_trace(to_collector: Traced, sent: object) -> None:
    run_id = uuid4()
    await supervisor.ainvoke(TASK, to_collector.config(run_id, traceparent=sent))
    assert {span.trace for span in to_collector.spans()} == {run_id.hex}


def test_what_never_ends_makes_room_for_what_comes() -> None:
    runs = OpenRuns(most=3)
    roots = [UUID(int=n + 1) for n in range(5)]
    gone = [made.name for root in roots for made in runs.add(root, Open(str(root.int), root, {}, Context()))]
    assert gone == ["1", "2"] and len(runs) == 3
    assert runs.pop(roots[0]) == (None, [])


def test_what_a_root_leaves_open_goes_with_it() -> None:
    runs, (root, child) = OpenRuns(), (UUID(int=1), UUID(int=2))
    for run_id in (root, child):
        runs.add(run_id, Open(str(run_id.int), root, {}, Context()))
    found, left = runs.pop(root)
    assert found and found.name == "1" and [run.name for run in left] == ["2"] and len(runs) == 0
