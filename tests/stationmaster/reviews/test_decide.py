"""Deciding on rows in a real database: who wins, who is refused and told what, two people, claims, undo, keys."""

import asyncio
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from stationmaster.reviews import store
from stationmaster.reviews.access.identity import LOCAL, Identity
from stationmaster.reviews.database import Pool
from stationmaster.reviews.decide import claim, comment, decide, release, undo
from stationmaster.reviews.deliver import REFUSE
from stationmaster.reviews.errors import (
    AlreadyDecided,
    AnswerRefused,
    ClaimedByOther,
    Forbidden,
    KeyReused,
    NotFound,
    SecondPersonNeeded,
    TooLate,
)
from stationmaster.reviews.model import Review, Submission
from tests.stationmaster.reviews.engine import ANN, BEN, GROUP, answer, person
from tests.stationmaster.reviews.rows import insert


async def opened(pool: Pool, **columns: Any) -> Review:
    async with pool.connection() as conn:
        return await insert(conn, **{"groups": [GROUP], "shape": "plain", **columns})


async def test_the_answer_is_kept_as_it_came(pool: Pool) -> None:
    review = await opened(pool)
    given = {"n": 1, "share": 1.0, "text": "1", "nul": "a\0b", "big": 2**62}
    decided = await decide(pool, review.id, ANN, answer(given), undo_s=30)
    assert decided.answer == given and isinstance(decided.answer["share"], float)
    assert isinstance(decided.answer["n"], int)
    assert (decided.state, decided.decided_by, decided.resume["value"]) == ("decided", "ann", given)


async def test_the_second_is_told_who_and_when(pool: Pool) -> None:
    review = await opened(pool)
    won = await decide(pool, review.id, ANN, answer(1))
    with pytest.raises(AlreadyDecided) as lost:
        await decide(pool, review.id, BEN, answer(2))
    assert (lost.value.by, lost.value.at, lost.value.decision) == ("ann", won.decided_at, "answer")


async def test_out_of_scope_reads_as_not_found(pool: Pool) -> None:
    review = await opened(pool)
    stranger = person("eve", groups=("other",))
    for act in (claim, release, undo):
        with pytest.raises(NotFound):
            await act(pool, review.id, stranger)
    with pytest.raises(NotFound):
        await decide(pool, review.id, stranger, answer(1))
    with pytest.raises(NotFound):
        await comment(pool, review.id, stranger, "hm")
    with pytest.raises(NotFound):
        await decide(pool, "no-uuid", ANN, answer(1))


async def test_a_reader_only_looks(pool: Pool) -> None:
    review = await opened(pool)
    with pytest.raises(Forbidden):
        await decide(pool, review.id, person("rea", "reader"), answer(1))
    await decide(pool, review.id, ANN, answer(1), undo_s=60)
    for who in (person("rea", "reader"), person("ann", "reader")):
        with pytest.raises(Forbidden, match="role `reviewer`"):
            await undo(pool, review.id, who)


async def test_two_different_people(pool: Pool) -> None:
    review = await opened(pool, two_person=True)
    first = await decide(pool, review.id, ANN, answer(1))
    assert (first.state, first.first_by, first.decided_by) == ("open", "ann", None)
    with pytest.raises(SecondPersonNeeded):
        await decide(pool, review.id, person("ann", "lead"), answer(1))
    second = await decide(pool, review.id, BEN, answer(1))
    assert (second.state, second.first_by, second.decided_by) == ("decided", "ann", "ben")


async def test_the_machines_own_key_is_neither_of_two_people(pool: Pool) -> None:
    """It names nobody: a person who has it and a user of their own would be two."""
    operator = Identity("local operator", frozenset({"*"}), frozenset({"admin"}), LOCAL)
    review = await opened(pool, two_person=True)
    with pytest.raises(Forbidden, match="user's token"):
        await decide(pool, review.id, operator, answer(1))
    await decide(pool, review.id, ANN, answer(1))
    with pytest.raises(Forbidden, match="user's token"):
        await decide(pool, review.id, operator, answer(1))
    other = await opened(pool)
    assert (await decide(pool, other.id, operator, answer(1))).decided_by == "local operator"


async def test_the_seconds_change_goes_back_to_the_first(pool: Pool) -> None:
    review = await opened(pool, two_person=True)
    await decide(pool, review.id, ANN, answer(1))
    back = await decide(pool, review.id, BEN, answer(2))
    assert (back.state, back.first_by) == ("open", "ben")
    with pytest.raises(SecondPersonNeeded):
        await decide(pool, review.id, BEN, answer(2))
    agreed = await decide(pool, review.id, ANN, answer(2))
    assert (agreed.state, agreed.answer, agreed.decided_by) == ("decided", 2, "ann")


async def test_two_proposals_at_once_do_not_pass_for_two_people(pool: Pool) -> None:
    review = await opened(pool, two_person=True)
    outcomes = await asyncio.gather(
        *(decide(pool, review.id, who, answer(1)) for who in (ANN, ANN, ANN)), return_exceptions=True
    )
    assert sum(isinstance(outcome, Review) for outcome in outcomes) == 1
    async with pool.connection() as conn:
        assert (await store.get(conn, review.id, ANN)).state == "open"


PAYS: dict[str, Any] = {
    "shape": "typed", "payload": {"amount_usd": 50.0}, "policy": Jsonb({"two_people_above_usd": 100}),
    "response_schema": {
        "type": "object", "required": ["amount_usd"],
        "properties": {"amount_usd": {"type": "number"}, "note": {"type": "string"}},
    },
}  # fmt: skip


async def test_an_edit_above_the_policys_figure_needs_a_second_person(pool: Pool) -> None:
    review = await opened(pool, **PAYS)
    raised = await decide(pool, review.id, ANN, answer({"amount_usd": 500.0}))
    assert (raised.state, raised.two_person, raised.first_by) == ("open", True, "ann")


async def test_a_second_person_that_only_a_first_answer_asked_for_is_not_needed_once_it_is_taken_back(
    pool: Pool,
) -> None:
    review = await opened(pool, **PAYS)
    for first, other in ((ANN, None), (ANN, BEN)):
        await decide(pool, review.id, first, answer({"amount_usd": 500.0}))
        if other:
            sent_back = await decide(pool, review.id, other, answer({"amount_usd": 40.0}))
            assert (sent_back.state, sent_back.first_by) == ("open", "ben"), "the first one is asked still"
        taken_back = await undo(pool, review.id, other or first)
        assert (taken_back.state, taken_back.two_person, taken_back.first_by) == ("open", False, None)
    alone = await decide(pool, review.id, ANN, answer({"amount_usd": 50.0}))
    assert (alone.state, alone.decided_by) == ("decided", "ann")


async def test_nor_once_the_server_refused_what_two_people_said(pool: Pool) -> None:
    review = await opened(pool, **PAYS)
    for who in (ANN, BEN):
        decided = await decide(pool, review.id, who, answer({"amount_usd": 500.0}), undo_s=0)
    async with pool.connection() as conn:
        await conn.execute(
            "update reviews.reviews set state = 'sent', sent_at = now() where id = %s", [review.id]
        )
        said = {"id": review.id, "note": "refused", "error": "422", "decided_at": decided.decided_at}
        assert await (await conn.execute(REFUSE, said)).fetchone()
    assert (await decide(pool, review.id, ANN, answer({"amount_usd": 50.0}))).state == "decided"


async def test_a_second_person_that_the_policy_asked_for_stays_needed(pool: Pool) -> None:
    review = await opened(pool, **PAYS, two_person=True)
    await decide(pool, review.id, ANN, answer({"amount_usd": 500.0}))
    assert (await undo(pool, review.id, ANN)).two_person
    assert (await decide(pool, review.id, ANN, answer({"amount_usd": 40.0}))).state == "open"
    for wrong in ("two_person = false", "two_by_answer = true", "two_by_answer = true, two_person = false"):
        async with pool.connection() as conn:
            with pytest.raises(psycopg.IntegrityError):
                await conn.execute(f"update reviews.reviews set {wrong} where id = %s", [review.id])
            await conn.rollback()


@pytest.mark.parametrize(("amount", "state"), [(50_000, "open"), (60, "decided")])
async def test_an_edited_call_is_judged_by_its_new_arguments(pool: Pool, amount: int, state: str) -> None:
    call = {"name": "pay", "args": {"amount": 50}}
    config = {"action_name": "pay", "allowed_decisions": ["approve", "edit"]}
    review = await opened(
        pool, shape="hitl_batch", payload={"action_requests": [call], "review_configs": [config]},
        policy=Jsonb({"two_people_above_usd": 100}),
    )  # fmt: skip
    edit = Submission("edit", {"amount": amount})
    first = await decide(pool, review.id, ANN, edit)
    assert (first.state, first.two_person) == (state, state == "open")
    if state == "open":
        assert (await decide(pool, review.id, BEN, edit)).state == "decided"


async def test_claims(pool: Pool) -> None:
    review = await opened(pool)
    assert (await claim(pool, review.id, ANN)).claimed_by == "ann"
    assert (await claim(pool, review.id, ANN)).claimed_by == "ann"
    for act in (claim(pool, review.id, BEN), decide(pool, review.id, BEN, answer(1))):
        with pytest.raises(ClaimedByOther) as refused:
            await act
        assert refused.value.by == "ann"
    with pytest.raises(ClaimedByOther):
        await release(pool, review.id, BEN)
    assert (await release(pool, review.id, person("lea", "lead"))).claimed_by is None
    assert (await decide(pool, review.id, BEN, answer(1))).decided_by == "ben"


async def test_undo_before_it_leaves_and_not_after(pool: Pool) -> None:
    review = await opened(pool)
    await decide(pool, review.id, ANN, answer(1), undo_s=60)
    with pytest.raises(TooLate):
        await undo(pool, review.id, BEN)
    again = await undo(pool, review.id, ANN)
    assert (again.state, again.decided_by, again.answer) == ("open", None, None)
    await decide(pool, review.id, ANN, answer(1), undo_s=0)
    with pytest.raises(TooLate):
        await undo(pool, review.id, ANN)


async def test_undo_of_a_first_answer(pool: Pool) -> None:
    review = await opened(pool, two_person=True)
    await decide(pool, review.id, ANN, answer(1))
    assert (await undo(pool, review.id, ANN)).first_by is None


async def test_idempotency_key(pool: Pool) -> None:
    review = await opened(pool)
    outcomes = await asyncio.gather(
        *(decide(pool, review.id, ANN, answer(1), idempotency_key="k") for _ in range(10))
    )
    assert {outcome.decided_at for outcome in outcomes} == {outcomes[0].decided_at}
    with pytest.raises(KeyReused):
        await decide(pool, review.id, ANN, answer(2), idempotency_key="k")
    with pytest.raises(AlreadyDecided):
        await decide(pool, review.id, BEN, answer(1), idempotency_key="k")


async def test_a_refused_request_does_not_use_up_its_key(pool: Pool) -> None:
    review = await opened(pool, shape="typed", payload=1, response_schema={"type": "integer"})
    with pytest.raises(AnswerRefused):
        await decide(pool, review.id, ANN, answer("one"), idempotency_key="k")
    assert (await decide(pool, review.id, ANN, answer(1), idempotency_key="k")).answer == 1


@pytest.mark.parametrize(
    "change",
    [
        "update reviews.reviews set state = 'finished'",
        "update reviews.reviews set state = 'consumed'",
        "update reviews.reviews set state = 'sent', sent_at = now()",
        "update reviews.reviews set state = 'decided'",
        "update reviews.reviews set payload = '{}'",
        "update reviews.reviews set digest = repeat('0', 64)",
        "update reviews.reviews set decided_by = 'mallory'",
        "update reviews.reviews set first_by = 'x', first_at = now(), first_answer = '1'",
        "delete from reviews.reviews",
        "truncate reviews.reviews cascade",
    ],
)
async def test_what_must_never_happen_is_refused_by_the_database(pool: Pool, change: Any) -> None:
    await opened(pool)
    with pytest.raises(psycopg.errors.IntegrityError):
        async with pool.connection() as conn:
            await conn.execute(change)


async def test_an_answer_never_changes(pool: Pool) -> None:
    review = await opened(pool)
    await decide(pool, review.id, ANN, answer(1))
    for change in ("answer = '2'", "decided_by = 'ben'", "decision = 'reject'"):
        with pytest.raises(psycopg.errors.IntegrityError):
            async with pool.connection() as conn:
                await conn.execute(f"update reviews.reviews set {change}")


async def test_one_sent_answer_a_thread(pool: Pool) -> None:
    for _ in range(2):
        review = await opened(pool, thread_id="t")
        await decide(pool, review.id, ANN, answer(1))
    with pytest.raises(psycopg.errors.UniqueViolation):
        async with pool.connection() as conn:
            await conn.execute("update reviews.reviews set state = 'sent', sent_at = now()")
