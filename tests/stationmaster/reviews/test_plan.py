"""The pure part: any sequence of looks at a thread leads to legal changes, one review a question, and none lost."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from itertools import count, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stationmaster.reviews.carrying import DECISION_KEY, REVIEW_KEY, carries
from stationmaster.reviews.database import Pool
from stationmaster.reviews.model import (
    STATES,
    UNFINISHED,
    Checkpoint,
    Gone,
    Pending,
    Review,
    RunInfo,
    Task,
    ThreadSnapshot,
)
from stationmaster.reviews.plan import Move, Open, plan
from stationmaster.reviews.questions import questions

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LEGAL: Mapping[str, set[str]] = {
    "open": {"decided", "superseded", "answered_elsewhere", "expired", "withdrawn"},
    "decided": {"open", "sent", "superseded", "answered_elsewhere", "withdrawn"},
    "sent": {"open", "decided", "consumed", "failed", "superseded", "answered_elsewhere", "withdrawn"},
    "consumed": {"finished", "failed", "withdrawn"},
}


def legal(before: str, after: str) -> bool:
    return before == after or after in LEGAL.get(before, set())


async def test_the_database_has_the_same_rules(pool: Pool) -> None:
    async with pool.connection() as conn:
        for before, after in product(sorted(STATES), sorted(STATES)):
            row = await (
                await conn.execute("select reviews.legal(%s, %s) as legal", (before, after))
            ).fetchone()
            # What an operator may do (`continuing`, `settling`), and no look at a thread.
            by_hand = (before, after) in (("failed", "consumed"), ("decided", "failed"))
            assert row and row["legal"] == (legal(before, after) or by_hand), (before, after)


def new_review(number: int, question: Pending, **values: Any) -> Review:
    blank: dict[str, Any] = dict.fromkeys(field.name for field in fields(Review))
    return Review(
        **{
            **blank,
            "nodes": (),
            "id": f"review-{number}",
            "thread_id": question.thread_id,
            "interrupt_id": question.interrupt_id,
            "digest": question.digest,
            "occurrence": 1,
            "kind": question.kind,
            "node": question.node,
            "namespace": question.namespace,
            "checkpoint_id": question.checkpoint_id,
            "payload": question.value,
            "state": "open",
            "opened_at": NOW,
            "updated_at": NOW,
            **values,
        }
    )


@dataclass
class Desk:
    """The reviews of one thread as the database would have them after each plan."""

    reviews: list[Review] = field(default_factory=list)
    numbers: Any = field(default_factory=lambda: count(1))

    def see(self, seen: ThreadSnapshot | Gone, in_hand: frozenset[str] = frozenset()) -> None:
        changes = plan(seen, self.reviews, in_hand)
        for move in (change for change in changes if isinstance(change, Move)):
            self._move(move)
        for opened in (change for change in changes if isinstance(change, Open)):
            assert all(
                review.state not in UNFINISHED or _key(review) != _key(opened.question)
                for review in self.reviews
            ), "two unfinished reviews of one question"
            self.reviews.append(
                new_review(next(self.numbers), opened.question, occurrence=opened.occurrence,
                           returned_from=opened.returned_from)
            )  # fmt: skip
        keys = [(*_key(review), review.occurrence) for review in self.reviews]
        assert len(keys) == len(set(keys))

    def _move(self, move: Move) -> None:
        at = self.reviews.index(move.review)
        way = ["consumed"] if move.took and move.review.state == "sent" and move.state != "consumed" else []
        state = move.review.state
        for after in (*way, move.state):
            assert legal(state, after), (state, after, move)
            state = after
        run_id = move.run.run_id if move.run else move.review.resume_run_id
        after = replace(move.review, state=move.state, resume_run_id=run_id)
        if move.took:
            after = replace(after, consumed_at=NOW)
        if move.state == "open":
            after = replace(after, resume_run_id=None, decided_by=None)
        self.reviews[at] = after

    def act(self, what: str, number: int) -> None:
        """What people and workers do between two looks."""
        mine = [at for at, review in enumerate(self.reviews) if review.state in UNFINISHED]
        if not mine:
            return
        at = mine[number % len(mine)]
        review = self.reviews[at]
        match what, review.state:
            case "decide", "open":
                self.reviews[at] = replace(review, state="decided", decided_by="ann")
            case "send", "decided" if all(other.state != "sent" for other in self.reviews):
                self.reviews[at] = replace(review, state="sent")
            case "note", "sent":
                self.reviews[at] = replace(review, resume_run_id="carrier")
            case "expire", "open":
                self.reviews[at] = replace(review, state="expired")


def _key(thing: Review | Pending) -> tuple[str, str]:
    return thing.interrupt_id, thing.digest


statuses = st.sampled_from(["pending", "running", "success", "error", "timeout", "interrupted"])
errors = st.sampled_from([None, None, "boom", "1 validation error for int"])


@st.composite
def tasks(draw: st.DrawFn, depth: int = 0) -> Task:
    interrupt = st.fixed_dictionaries(
        {"id": st.sampled_from(["a", "b", "c", "placeholder-id"]), "value": st.sampled_from([1, 2])},
        optional={"response_schema": st.just({"type": "integer"})},
    )
    nested = draw(st.none() | checkpoints(depth + 1)) if depth < 2 else None
    return Task(
        draw(st.uuids()).hex, draw(st.sampled_from(["ask", "act"])),
        tuple(draw(st.lists(interrupt, max_size=2))), draw(errors), nested,
    )  # fmt: skip


@st.composite
def checkpoints(draw: st.DrawFn, depth: int = 0) -> Checkpoint:
    found = tuple(draw(st.lists(tasks(depth), max_size=2)))
    return Checkpoint(
        draw(st.sampled_from(["cp1", "cp2", "cp3"])), "" if depth == 0 else f"ns{depth}",
        tuple(task.name for task in found), found,
        draw(st.sampled_from(["loop", "loop", "loop", "update", "fork", "input"])),
        {"n": 1}, draw(st.sampled_from([None, "cp1", "cp2"])), draw(st.sampled_from(["r1", "r2"])),
    )  # fmt: skip


decisions = st.sampled_from(["", "", "another"])


@st.composite
def runs(draw: st.DrawFn) -> RunInfo:
    run_id = draw(st.sampled_from(["r1", "r2", "r3", "carrier"]))
    carried = draw(st.sampled_from([None, "review-1", "review-2"]))
    return RunInfo(
        run_id, draw(statuses), "assistant", {REVIEW_KEY: carried, DECISION_KEY: draw(decisions)} if carried else {},
        has_input=draw(st.booleans()), has_resume=draw(st.booleans()),
        resume_ids=frozenset(draw(st.lists(st.sampled_from(["a", "b"]), max_size=1))),
        interrupt_before=draw(st.sampled_from([(), ("ask",)])),
    )  # fmt: skip


@st.composite
def snapshots(draw: st.DrawFn) -> ThreadSnapshot | Gone:
    if draw(st.integers(0, 15)) == 0:
        return Gone("t")
    found = draw(st.lists(runs(), max_size=3, unique_by=lambda run: run.run_id))
    known = {run.run_id for run in found}
    forgotten = {"carrier"} - known if draw(st.booleans()) else set()
    return ThreadSnapshot(
        "t", draw(st.sampled_from(["idle", "interrupted", "error", "busy"])), draw(checkpoints()), tuple(found),
        frozenset(forgotten),
    )  # fmt: skip


actions = st.tuples(
    st.sampled_from(["decide", "decide", "send", "send", "note", "expire"]), st.integers(0, 3)
)


@given(st.lists(st.one_of(snapshots(), actions), max_size=12))
@settings(max_examples=100)
def test_any_sequence_of_looks(steps: list[Any]) -> None:
    desk = Desk()
    for step in steps:
        if isinstance(step, tuple):
            desk.act(*step)
            continue
        desk.see(step)
        _nothing_lost(desk, step)
        before = list(desk.reviews)
        desk.see(step)
        assert desk.reviews == before, "the same look changed something"


def _nothing_lost(desk: Desk, seen: ThreadSnapshot | Gone) -> None:
    """Every pending question has an unfinished review, unless nobody answered it in time, or its node already has
    the answer and failed behind it, or a run is moving the thread."""
    if isinstance(seen, Gone) or seen.running:
        return
    for question in questions(seen):
        mine = [review for review in desk.reviews if _key(review) == _key(question)]
        last = max(mine, key=lambda review: review.occurrence, default=None)
        assert last is not None, question
        excused = last.state == "expired" or (last.state == "failed" and question.error)
        assert last.state in UNFINISHED or excused, (question, last)


@given(snapshots(), st.lists(actions, max_size=4))
def test_what_is_in_hand_is_not_concluded_from(seen: ThreadSnapshot | Gone, between: list[Any]) -> None:
    """A review marked as sent whose run is not known yet stays as it is while its worker holds it."""
    desk = Desk()
    first = Pending("t", "a", 1)
    desk.reviews.append(new_review(1, first, state="sent"))
    carried = isinstance(seen, Gone) or any(carries(run, desk.reviews[0]) for run in seen.runs)
    desk.see(seen, frozenset({"review-1"}))
    if not carried:
        assert desk.reviews[0].state == "sent"


def look(*, interrupts: list[Any] | None = None, run: RunInfo | None = None, **values: Any) -> ThreadSnapshot:
    task = Task("t1", "ask", tuple(interrupts or ()), values.pop("error", None))
    checkpoint = Checkpoint("cp1", "", ("ask",), (task,), values.pop("source", "loop"), {}, run_id="r1")
    return ThreadSnapshot("t", "interrupted", checkpoint, (run or RunInfo("r1", "success"),), **values)


ASKED = [{"id": "a" * 32, "value": 1}]


def test_what_is_no_breakpoint() -> None:
    assert [found.kind for found in questions(look())] == ["breakpoint"]
    for status in ("pending", "running", "error", "timeout", "interrupted"):
        assert questions(look(run=RunInfo("r1", status))) == []
    assert questions(look(error="boom")) == []
    assert questions(look(source="update")) == []


@pytest.mark.parametrize(
    ("error", "schema", "state"),
    [
        ("1 validation error for int\n  ...", {"type": "integer"}, "open"),
        ("2 validation errors for Answer\nedit\n ...", {"title": "Answer"}, "open"),
        ("1 validation error for Reply", {"title": "Answer"}, "failed"),
        ("ValueError('boom')", {"title": "Answer"}, "failed"),
        ("1 validation error for int", None, "failed"),
    ],
)
def test_refused_answers_reopen_and_failures_behind_them_do_not(error: str, schema: Any, state: str) -> None:
    """The server keeps an answer that was taken, and would use it again whatever is answered later."""
    asked = {**ASKED[0], **({"response_schema": schema} if schema else {})}
    question = Pending("t", asked["id"], 1, schema, "ask", "", "cp1")
    desk = Desk([new_review(1, question, state="sent", resume_run_id="r2", run_id="r1")])
    after = look(interrupts=[asked], error=error, run=RunInfo("r2", "error", has_resume=True))
    desk.see(after)
    assert [review.state for review in desk.reviews] == [state]
    desk.see(after)
    assert len(desk.reviews) == 1


def test_a_consumed_question_that_comes_back_is_a_new_review() -> None:
    question = Pending("t", "a" * 32, 1, None, "ask", "", "cp1")
    desk = Desk(
        [new_review(7, question, occurrence=1, state="consumed", resume_run_id="r2", consumed_at=NOW)]
    )
    desk.see(look(interrupts=ASKED, forgotten=frozenset({"r2"})))
    old, new = desk.reviews
    assert (old.state, new.state, new.occurrence, new.returned_from) == ("failed", "open", 2, old.id)
