"""Which paused threads a release would break: threads of real graphs, paused and judged in this process."""

import inspect

import pytest

from tests.fakes.graphs import releases
from tests.stationmaster.checking.paused import Deployment, whole_of

YES = {"action": "yes"}


@pytest.mark.parametrize(
    ("release", "reason", "said"),
    [
        ("renamed", "node-gone", "it waits in ask, and there is no ask"),
        ("with_risk", "required-key", "it has no 'risk', which end reads without a default"),
        ("model_with_risk", "required-key", "it has no 'risk', and that has no default"),
        ("node_with_risk", "required-key", "it has no 'risk', and that has no default"),
        ("model_of_numbers", "value", "'notes.0': Input should be a valid integer"),
        ("without_question", "pause-gone", "it waits in ask, which asks nothing by now"),
        ("swapped_questions", "pause-order", "its answer would be taken for another question of ask"),
        ("other_answers", "answer-schema", "ask wants an answer of another form by now"),
    ],
)
async def test_a_release_that_breaks_it(release: str, reason: str, said: str) -> None:
    deployment = Deployment()
    await deployment.pause("first")
    (found, *_) = await deployment.against(release)
    assert (found.reason.name, found.thread_id) == (reason, "first")
    assert found.said.startswith(said)
    assert len(found.interrupts) == 1


@pytest.mark.parametrize(
    "release",
    [
        "same",
        "with_default",
        "back_filled",
        "model_with_default",
        "fewer_questions",
        "more_questions",
        "either_question",
    ],
)
async def test_a_release_that_does_not(release: str) -> None:
    deployment = Deployment()
    await deployment.pause("first")
    assert await deployment.against(release) == []


@pytest.mark.parametrize(
    ("release", "reasons"),
    [
        ("same", []),
        ("more_questions", []),
        ("fewer_questions", ["pause-order"]),
        ("swapped_questions", ["pause-order"]),
    ],
)
async def test_the_second_question_of_a_node_is_known_by_its_id(release: str, reasons: list[str]) -> None:
    deployment = Deployment()
    await deployment.pause("second", YES)
    assert [each.reason.name for each in await deployment.against(release)] == reasons


async def test_threads_are_placed_without_a_request_each() -> None:
    deployment = Deployment()
    for number in range(5):
        await deployment.pause(f"thread {number}")
    assert await deployment.against("with_default") == []
    assert deployment.asked_for_state == []
    await deployment.against("renamed")
    assert sorted(deployment.asked_for_state) == deployment.threads  # whose node is no name of this code


@pytest.mark.parametrize(
    ("release", "said"),
    [
        ("nested", None),
        ("nested_renamed", "it waits in inside/ask, and there is no ask in g/inside"),
        ("nested_gone", "it waits in inside/ask, and there is no inside"),
        ("nested_with_risk", "it has no 'risk', which end reads without a default (releases.py:{line})"),
        ("nested_with_default", None),
        ("nested_back_filled", None),
        ("nested_model_with_risk", "it has no 'risk', and that has no default"),
    ],
)
async def test_a_question_in_a_subgraph(release: str, said: str | None) -> None:
    deployment = Deployment("nested")
    await deployment.pause("first")
    lines = inspect.getsourcelines(releases.ends_with_risk)
    wanted = [said.format(line=lines[1] + 1)] if said else []
    assert [each.said for each in await deployment.against(release)] == wanted


@pytest.mark.parametrize(
    ("release", "reasons"),
    [("stops", []), ("stops_renamed", ["node-gone"]), ("stops_with_risk", ["required-key"])],
)
async def test_a_thread_at_a_breakpoint(release: str, reasons: list[str]) -> None:
    """It is asked for its state only where it matters in which node it waits."""
    deployment = Deployment("stops")
    await deployment.pause("first")
    assert [each.reason.name for each in await deployment.against(release)] == reasons
    assert bool(deployment.asked_for_state) is bool(reasons)


@pytest.mark.parametrize("status", ["error", "busy", "idle"])
async def test_a_question_on_a_thread_whose_row_says_otherwise(status: str) -> None:
    deployment = Deployment()
    await deployment.pause("first", status=status)
    assert [each.reason.name for each in await deployment.against("renamed")] == ["node-gone"]


async def test_what_is_said_to_break_does_and_what_is_not_does_not() -> None:
    """Each release really gets the answer to a thread of `old`: who is said to break has no good end, the others do."""
    from langgraph.types import Command

    for release in (
        "same",
        "with_default",
        "back_filled",
        "with_risk",
        "renamed",
        "without_question",
        "model_of_numbers",
    ):
        deployment = Deployment()
        await deployment.pause("first", YES)
        found = await deployment.against(release)
        config = {"configurable": {"thread_id": "first"}}
        new = getattr(releases, release).copy({"checkpointer": deployment.saver})
        try:
            pending = (await deployment.running.aget_state(config)).interrupts[0]
            ended = await new.ainvoke(Command(resume={pending.id: YES}), config)
            well = "ended" in ended["notes"] or any(note.startswith("risk") for note in ended["notes"])
            well = well and ended["notes"].count("yes") == 2
        except (KeyError, ValueError):
            well = False
        assert well is not bool(found), release


def test_an_assistant_whose_context_is_no_longer_taken() -> None:
    from stationmaster.checking.against.comparing import judges_of

    judge = judges_of(whole_of("new_context"))["g"]
    broken = judge.context("id", "polite", {"tone": "polite"})
    assert broken is not None
    assert (broken.reason.name, broken.said) == ("context", "the context of polite: desk: Field required")
    assert judge.context("id", "whole", {"tone": "polite", "desk": "one"}) is None
    assert judge.context("id", "empty", {}) is None
