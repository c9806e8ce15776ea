"""The structure of the graph and its hierarchy, its ledger and its pure decisions."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.prebuilt import ToolNode

from agents.engineering_team import graph as team
from agents.engineering_team import quality, steering
from agents.engineering_team.asking import Decision
from agents.engineering_team.context import RECURSION_LIMIT, Context
from agents.engineering_team.ledger import append, digest, idle, repeated, words
from agents.engineering_team.state import Check, State
from agents.engineering_team.steering import Again, End, Go
from agents.engineering_team.workers import auditor, coder, researcher, reviewer
from agents.shared.resilience import RETRY
from tests.agents.engineering_team.in_process import SIGNATURE, Team

CONTEXT = Context()
FILES = {"solution.py": "x = 1\n", "test_solution.py": "def test_it(): ...\n"}


def handed(number: int, to: str = "coder", brief: str = "b", seen: str = "s", by: str = "supervisor") -> Any:
    return {"number": number, "by": by, "to": to, "reason": "r", "brief": brief, "seen": seen}


def came(number: int, worker: str = "coder", ended: str = "done", what: str | None = None) -> Any:
    return {"number": number, "worker": worker, "ended": ended, "summary": "s", "what": what or str(number)}


def state(**values: Any) -> State:
    return cast("State", values)


def built(**values: Any) -> State:
    """Code that was written, passes its tests, and was looked at."""
    of = digest(FILES)
    check: Check = {"of": of, "summary": "s", "findings": []}
    build = {"of": of, "kind": "passed", "summary": "all passed", "passed": 1, "total": 1, "log": ""}
    return state(
        **{"files": FILES, "build": build, "review": check, "audit": check, "handoffs": [handed(1)]} | values
    )


def test_effects_are_declared_and_what_asks_the_database_is_retried() -> None:
    effects = {name for name, spec in team.builder.nodes.items() if (spec.metadata or {}).get("effect")}
    retried = {name for name, spec in team.builder.nodes.items() if spec.retry_policy is RETRY}
    assert effects == {"sign_off", "deliver", "dead_letter"}
    assert retried == {"intake", *effects}
    assert (team.graph.config or {}).get("recursion_limit") == RECURSION_LIMIT


def test_every_setting_has_a_help_text() -> None:
    assert all(field.description for field in Context.model_fields.values())


def test_the_hierarchy_is_drawn() -> None:
    drawn = set(team.graph.get_graph(xray=True).nodes)
    for worker, nodes in {
        "researcher": {"bounds.before_model", "model", "tools"},
        "coder": {"write", "tools", "prove"},
        "quality:reviewer": {"bounds.before_model", "model", "tools"},
        "quality:auditor": {"bounds.before_model", "model", "tools"},
    }.items():
        assert {f"{worker}:{node}" for node in nodes} <= drawn
    assert "quality:lead" in drawn
    assert {name for name, _ in team.graph.get_subgraphs()} == {"researcher", "coder", "quality"}
    assert {name for name, _ in quality.graph.get_subgraphs()} == {"reviewer", "auditor"}


def test_one_worker_is_built_by_hand_and_each_has_tools_of_its_own() -> None:
    assert isinstance(coder.builder.nodes["tools"].runnable, ToolNode)
    graphs = {
        "researcher": researcher.graph,
        "coder": coder.graph,
        "reviewer": reviewer.graph,
        "auditor": auditor.graph,
    }
    tools = {
        name: set(cast("ToolNode", graph.nodes["tools"].bound).tools_by_name)
        for name, graph in graphs.items()
    }
    assert tools == {
        "researcher": {"search_notes", "search_articles"},
        "coder": {"write_file", "run_tests"},
        "reviewer": {"read_diff", "check_style"},
        "auditor": {"read_file", "scan"},
    }


async def test_a_stream_names_who_is_at_work(workshop: str) -> None:
    bench, names = Team.open(), set[str]()
    sent = {"messages": [("user", SIGNATURE)]}
    stream = bench.graph.astream(sent, bench.config, stream_mode=["updates", "custom"], subgraphs=True)
    told: list[str] = []
    async for place, mode, part in stream:
        names.add("|".join(one.partition(":")[0] for one in place))
        if mode == "custom":
            told.append(cast("dict[str, str]", part)["progress"])
    assert names == {"", "coder", "quality", "quality|reviewer", "quality|auditor"}
    assert "running the tests" in told
    assert any(line.startswith("quality: ") for line in told)


ENTRIES = st.lists(
    st.builds(came, st.integers(1, 4), st.sampled_from(["coder", "auditor"]), what=st.text(max_size=3))
)


@given(ENTRIES, ENTRIES, ENTRIES)
def test_the_ledger_only_grows(left: list[Any], middle: list[Any], right: list[Any]) -> None:
    once = append(append([], left), middle)
    assert append(once, middle) == once, "a node that runs again adds nothing"
    assert append(once, right)[: len(once)] == once, "what stands there is never changed"
    assert append(append(left, middle), right) == append(left, append(middle, right))
    assert append(None, None) == []


def test_results_without_anything_new_are_counted_from_the_end() -> None:
    assert idle([]) == 0
    assert idle([came(1), came(2)]) == 0
    assert idle([came(1, ended="nothing")]) == 1
    assert idle([came(1, what="a"), came(2, what="a")]) == 1
    assert idle([came(1, what="a"), came(2, "researcher", what="a")]) == 0, "of another worker it is new"
    assert idle([came(1, what="a"), came(2, ended="failed"), came(3, what="a")]) == 2
    assert idle([came(1, ended="nothing"), came(2)]) == 0


def test_the_same_question_with_nothing_new_to_look_at_is_a_repetition() -> None:
    made = [handed(1, brief="Write it, please!"), handed(2, "quality", "Look.")]
    assert repeated(made, "coder", "  write IT please ", "s") == made[0]
    assert repeated(made, "coder", "write it please", "other") is None
    assert repeated(made, "coder", "Mend it.", "s") is None
    assert repeated(made, "researcher", "Write it, please!", "s") is None
    assert repeated(made, "quality", "Look again, harder.", "s") == made[1]
    assert words("Größe: 3-mal?") == "grösse 3 mal"


def decide(state: State, route: str, brief: str = "", context: Context = CONTEXT) -> Any:
    return steering.follow(state, Decision(route=cast("Any", route), brief=brief, reason="because"), context)


def test_a_decision_is_followed() -> None:
    assert decide(state(task="t"), "coder", "do") == Go("coder", "because", "do")
    assert decide(state(task="the task"), "researcher", " ") == Go("researcher", "because", "the task")
    assert decide(state(task="t"), "finish") == End(said="because")
    assert decide(built(), "finish") == End(said="because")


def test_what_cant_be_is_decided_again_and_then_ends() -> None:
    again = decide(state(task="t"), "quality")
    assert isinstance(again, Again)
    assert decide(state(task="t", notices=[again.notice]), "quality") == End(
        "it goes round in circles: quality can't look at code before there is any"
    )


def test_code_is_never_finished_unseen() -> None:
    unseen = built(audit=None)
    found = decide(unseen, "finish")
    assert (found.to, found.by) == ("quality", "rule")
    asked = [handed(1), handed(2, "quality", seen=steering.seen(unseen, "quality"))]
    assert decide(built(audit=None, handoffs=asked), "finish") == End(said="because"), (
        "it was asked, and can't be asked again"
    )


def test_the_work_goes_back_only_so_often() -> None:
    made = [handed(number, seen=str(number)) for number in (1, 2, 3)]
    assert isinstance(decide(built(handoffs=made), "coder", "again"), End)
    assert isinstance(decide(built(handoffs=made[:2]), "coder", "again"), Go)
    assert isinstance(decide(built(handoffs=made, advised_at=3), "coder", "again"), Go)
    assert isinstance(decide(built(handoffs=made[:1]), "coder", "again", Context(max_fixes=0)), End)
    given_code = built(given={"solution.py": "y"}, handoffs=made[:2])
    assert isinstance(decide(given_code, "coder", "again"), End), (
        "mending the caller's code counts from the first time"
    )


def test_limits_end_it_before_anybody_is_asked() -> None:
    assert steering.due(state(handoffs=[handed(1)]), CONTEXT) is None
    made = [handed(number) for number in range(1, 9)]
    assert steering.due(state(handoffs=made), CONTEXT) == End("the ceiling of 8 hand-offs is reached")
    within = [handed(7, "auditor", by="lead"), handed(7, "reviewer", by="rule")]
    assert steering.due(state(handoffs=[*made[:7], *within]), CONTEXT) is None
    assert steering.due(state(handoffs=made, advised_at=8), CONTEXT) is None
    nothing = [came(1, ended="nothing"), came(2, ended="nothing")]
    assert steering.due(state(results=nothing), CONTEXT) == End("the last 2 hand-offs brought nothing new")
    assert steering.due(state(results=nothing, advised_at=2), CONTEXT) is None
    both = [came(1, "reviewer", "nothing"), came(1, "auditor", "nothing"), came(1, "coder")]
    assert steering.due(state(results=[both[2], *both[:2]]), CONTEXT) is None, (
        "the lead's own are not counted"
    )
    assert steering.due(state(remaining_steps=5), CONTEXT) == End("the run has no steps left")


@pytest.mark.parametrize("stale", ["build", "review", "audit"])
def test_what_was_said_of_other_files_counts_for_nothing(stale: str) -> None:
    good = built()
    assert steering.is_clean(good)
    old = {**cast("dict[str, Any]", good[stale]), "of": digest({"solution.py": "x = 2\n"})}
    assert not steering.is_clean(built(**{stale: old}))
