"""An answer that somebody overtook between the look and its request: never called taken when the graph ignored it."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from stationmaster.reviews.carrying import stamp
from stationmaster.reviews.model import (
    Beginning,
    Checkpoint,
    Pending,
    Review,
    RunInfo,
    Task,
    ThreadSnapshot,
)
from stationmaster.reviews.moving_on import to_look_up
from stationmaster.reviews.plan import Move, plan
from stationmaster.reviews.reading import snapshot_from
from tests.stationmaster.reviews.test_plan import new_review

QUESTION = Pending("t", "q1", {"x": 1}, node="n", checkpoint_id="c1")
ASKED = RunInfo("R0", "success", has_input=True)
GONE = Checkpoint("c9", source="loop")


def sent(question: Pending = QUESTION, **values: Any) -> Review:
    return new_review(
        1, question, state="sent", decided_by="ann", decided_at=datetime.now(UTC), run_id="R0",
        resume={"kind": "resume", "value": "ours"}, **values
    )  # fmt: skip


def ours(review: Review, *seen: RunInfo, status: str = "success") -> RunInfo:
    """The run of the answer, sent after a look at which these runs were there."""
    before = ThreadSnapshot("t", "interrupted", GONE, seen)
    ids = frozenset({review.interrupt_id})
    return RunInfo("R2", status, metadata=stamp(review, before), has_resume=True, resume_ids=ids)


def settled(review: Review, *runs: RunInfo, top: Checkpoint = GONE, begun: Beginning | None = None) -> Move:
    seen = ThreadSnapshot("t", "idle", top, runs, begun={"R2": begun} if begun else {})
    (move,) = [change for change in plan(seen, [review]) if isinstance(change, Move)]
    return move


def outcome(move: Move) -> tuple[str, bool, bool]:
    return move.state, move.took, move.needs_person


@pytest.mark.parametrize("status", ["success", "running"])
@pytest.mark.parametrize("noted", ["R2", None])
@pytest.mark.parametrize(
    ("theirs", "state"),
    [
        (RunInfo("RX", "success", has_resume=True, resume_ids=frozenset({"q1"})), "answered_elsewhere"),
        (RunInfo("RX", "success", has_resume=True), "answered_elsewhere"),
        (RunInfo("RX", "success", has_input=True), "superseded"),
    ],
)
def test_another_run_came_between(theirs: RunInfo, state: str, noted: str | None, status: str) -> None:
    review = sent(resume_run_id=noted)
    move = settled(review, ours(review, ASKED, status=status), theirs, ASKED)
    assert outcome(move) == (state, False, True)
    assert "RX" in move.why or theirs.has_input


def test_what_was_there_before_the_last_look_is_no_rival() -> None:
    """Somebody's answer was refused, the question stayed, and ours was sent after that had been seen."""
    review = sent()
    refused = RunInfo("RX", "error", has_resume=True, resume_ids=frozenset({"q1"}))
    move = settled(review, ours(review, refused, ASKED), refused, ASKED)
    assert outcome(move) == ("finished", True, False)


def test_an_answer_to_another_question_and_our_own_second_request_are_none() -> None:
    review = sent()
    mine = ours(review, ASKED)
    twin = RunInfo("R1", "success", metadata=mine.metadata, has_resume=True, resume_ids=mine.resume_ids)
    other = RunInfo("RX", "success", has_resume=True, resume_ids=frozenset({"q2"}))
    assert outcome(settled(review, mine, other, twin, ASKED)) == ("finished", True, False)


@pytest.mark.parametrize("source", ["update", "fork"])
def test_the_state_was_changed_between(source: str) -> None:
    review = sent(resume_run_id="R2")
    top = Checkpoint("c9", source=source, next=("n",), tasks=(Task("t1", "n"),))
    assert outcome(settled(review, ours(review, ASKED), ASKED, top=top)) == ("superseded", False, True)


@pytest.mark.parametrize(
    ("begun", "state"),
    [
        (Beginning("c1", "loop", "c0"), "finished"),
        (Beginning("c2", "update", "c1"), "superseded"),
        (Beginning("c3", "loop", "c2"), "superseded"),
        (Beginning("c9", "loop", "c2", moved=False), "superseded"),
        (Beginning(None, moved=False), "superseded"),
    ],
)
def test_where_our_run_began_tells_what_it_took(begun: Beginning, state: str) -> None:
    review = sent(resume_run_id="R2")
    took = state == "finished"
    assert outcome(settled(review, ours(review, ASKED), ASKED, begun=begun)) == (state, took, not took)


def test_a_run_under_way_that_moved_nothing_yet_is_waited_for() -> None:
    review = sent(resume_run_id="R2")
    seen = ThreadSnapshot(
        "t",
        "busy",
        GONE,
        (ours(review, ASKED, status="running"), ASKED),
        begun={"R2": Beginning("c9", moved=False)},
    )
    assert plan(seen, [review]) == []


def test_only_a_thread_that_moved_is_asked_where_the_run_began() -> None:
    review = sent(resume_run_id="R2")
    runs = (ours(review, ASKED), ASKED)

    def looked_up(top: Checkpoint, found: Review = review) -> str | None:
        return to_look_up(found, ThreadSnapshot("t", "idle", top, runs))

    still = Checkpoint("c1", next=("n",), tasks=(Task("t1", "n", ({"id": "q1", "value": {"x": 1}},)),))
    assert looked_up(GONE) == "R2"
    assert looked_up(still) is None
    assert looked_up(replace(still, tasks=())) is None
    assert looked_up(replace(still, checkpoint_id="c9")) is None
    assert looked_up(Checkpoint("c9", tasks=(Task("t1", "n", state=replace(still, tasks=())),))) is None
    assert looked_up(GONE, replace(review, state="consumed")) is None


def test_a_breakpoint_was_continued_between() -> None:
    review = sent(Pending("t", "checkpoint:c1", {}, node="n", checkpoint_id="c1", kind="breakpoint"))
    mine = RunInfo("R2", "success", metadata=stamp(review, ThreadSnapshot("t", "idle", GONE, (ASKED,))))
    assert outcome(settled(review, mine, RunInfo("RX", "success"), ASKED)) == (
        "answered_elsewhere",
        False,
        True,
    )
    assert outcome(settled(review, mine, ASKED)) == ("finished", True, False)


def test_runs_asked_for_by_id_stand_where_they_began() -> None:
    def run(run_id: str, minute: int) -> dict[str, Any]:
        return {"run_id": run_id, "status": "success", "created_at": f"2026-01-01T00:{minute:02}:00+00:00"}

    row = {"thread_id": "t", "status": "idle"}
    seen = snapshot_from(row, {}, [run("new", 9), run("old", 1), run("by id", 5)])
    assert [run.run_id for run in seen.runs] == ["new", "by id", "old"]
