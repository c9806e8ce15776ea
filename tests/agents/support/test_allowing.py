"""What a person let pass is a row: who answered what, that it is paid once whatever happens in between, and that
threads paused by an older release, or while the database was away, are answered like others.
"""

import asyncio
import signal
import sys
from typing import Any

import psycopg
import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.types import Command
from psycopg.rows import dict_row

from agents.shared.database import DatabaseUnavailable
from agents.support import allowing
from agents.support.context import Context
from agents.support.graph import builder
from tests.agents.support.at_the_gate import APPROVE, REJECT, forged, questions, settle, waiting
from tests.agents.support.client import wants_refund
from tests.agents.support.in_process import Talk, hurry
from tests.fakes import older_support
from tests.fakes.shop import Ledger, database_away, place_order


@pytest.fixture
def ledger(agents_on_shop: str) -> Ledger:
    return Ledger(agents_on_shop)


def answers(ledger: Ledger, ticket: str) -> list[dict[str, Any]]:
    """What was answered about a ticket, oldest first."""
    query = "select * from shop.refund_answers where ticket_id = %s order by answer_id"
    with psycopg.connect(ledger.uri) as conn, conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query, (ticket,)).fetchall()


@pytest.mark.parametrize(
    ("answer", "amount"),
    [
        (APPROVE, 640.0),
        ({"action": "edit", "amount_usd": 99.99}, 99.99),
        ({"action": "edit", "reply": "Here you are."}, 640.0),
        (REJECT, None),
    ],
)
async def test_an_answer_is_kept_with_what_it_is_about(
    ledger: Ledger, ticket: str, answer: Any, amount: float | None
) -> None:
    talk = await waiting(ledger, ticket)
    assert not answers(ledger, ticket)
    await talk.answer(answer)
    (kept,) = answers(ledger, ticket)
    named = ("tenant", "thread_id", "request", "order_id", "answered_by")
    order_id = ((await talk.state()).get("order") or {})["order_id"]
    assert tuple(kept[name] for name in named) == ("main", talk.thread_id, 1, order_id, "local")
    assert (None if kept["amount_usd"] is None else float(kept["amount_usd"])) == amount
    assert ledger.refunded_usd(ticket) == ([] if amount is None else [amount])


@pytest.mark.parametrize(("identity", "by"), [("console", "rosa"), ("shop-app", "shop-app")])
async def test_who_answered_is_the_inboxs_word_or_whose_key_it_was(
    ledger: Ledger, ticket: str, identity: str, by: str
) -> None:
    talk = await waiting(ledger, ticket)
    user = {"langgraph_auth_user": {"identity": identity, "tenant": "main"}}
    config: Any = {"configurable": {"thread_id": talk.thread_id, **user}}
    (question,) = await questions(talk)
    answer = Command(resume={question.id: APPROVE}, update={"decided_by": "rosa"})
    await talk.graph.ainvoke(answer, config, context=talk.context)
    assert [kept["answered_by"] for kept in answers(ledger, ticket)] == [by]
    assert ledger.refunded_usd(ticket) == [640.0]


@pytest.mark.parametrize("table", ["refund_answers", "refund_questions"])
async def test_what_was_asked_and_answered_stays_on_record(ledger: Ledger, ticket: str, table: str) -> None:
    await (await waiting(ledger, ticket)).answer(APPROVE)
    for statement in (
        f"delete from shop.{table}",
        f"update shop.{table} set thread_id = 'x'",
        f"truncate shop.{table}",
    ):
        with psycopg.connect(ledger.uri) as conn, pytest.raises(psycopg.errors.IntegrityConstraintViolation):
            conn.execute(statement.encode())


async def test_an_answer_that_can_not_be_done_is_not_kept(ledger: Ledger, ticket: str) -> None:
    talk = await waiting(ledger, ticket)
    await talk.answer({"action": "edit", "amount_usd": 9_000.0})
    assert (answers(ledger, ticket), await talk.next()) == ([], ("approve",))
    await talk.answer({"action": "edit", "amount_usd": 9.0})
    assert [float(kept["amount_usd"]) for kept in answers(ledger, ticket)] == [9.0]
    assert ledger.refunded_usd(ticket) == [9.0]


async def test_a_second_request_on_the_thread_has_an_answer_of_its_own(ledger: Ledger, ticket: str) -> None:
    talk = await waiting(ledger, ticket)
    await talk.answer({"action": "edit", "amount_usd": 100.0})
    state = await talk.say(wants_refund(((await talk.state()).get("order") or {})["order_id"]))
    assert (state.get("outcome"), ledger.refunded_usd(ticket)) == ("refund_proposed", [100.0])
    update = await forged(talk, status="approved", amount_usd=100.0)
    await talk.graph.aupdate_state(talk.config, update, as_node="draft_reply")
    await talk.run(None)
    assert ledger.refunded_usd(ticket) == [100.0], "the first request's answer was for the first"
    await talk.answer({"action": "edit", "amount_usd": 540.0})
    assert ledger.refunded_usd(ticket) == [100.0, 540.0]
    assert [kept["request"] for kept in answers(ledger, ticket)] == [1, 2]


async def test_a_run_from_before_the_answer_asks_again_and_pays_no_second_time(
    ledger: Ledger, ticket: str
) -> None:
    talk = await waiting(ledger, ticket)
    gate = (await talk.graph.aget_state(talk.config)).config
    await talk.answer(APPROVE)
    await talk.graph.ainvoke(None, gate, context=talk.context)
    await talk.answer(APPROVE)
    assert (await talk.state()).get("outcome") == "refunded"
    assert ledger.refunded_usd(ticket) == [640.0]


@pytest.mark.parametrize(("durability", "goes_on_at"), [("sync", "refund"), ("exit", "approve")])
async def test_a_kill_between_the_answer_and_the_payment_pays_once(
    ledger: Ledger, ticket: str, durability: str, goes_on_at: str
) -> None:
    """With the gate's checkpoint written, and without: then the same answer comes again, as a server gives it."""
    config: RunnableConfig = {"configurable": {"thread_id": ticket}}
    context = Context(model="offline:rules")
    async with AsyncPostgresSaver.from_conn_string(ledger.uri) as saver:
        await saver.setup()
        graph = builder.compile(checkpointer=saver)
        message = HumanMessage(wants_refund(place_order(ledger.uri)))
        await graph.ainvoke({"ticket_id": ticket, "messages": [message]}, config, context=context)
        command = (sys.executable, "-m", "tests.agents.support.dying", ledger.uri, ticket, durability)
        killed = await asyncio.create_subprocess_exec(*command)
        assert await asyncio.wait_for(killed.wait(), 60) == -signal.SIGKILL
        assert (len(answers(ledger, ticket)), ledger.refunds(ticket)) == (1, [])
        assert (await graph.aget_state(config)).next == (goes_on_at,)
        sent = Command(resume=APPROVE) if goes_on_at == "approve" else None
        values = await graph.ainvoke(sent, config, context=context)
    assert values["outcome"] == "refunded"
    assert ledger.refunded_usd(ticket) == [640.0]
    assert ledger.mail_kinds(ticket) == ["acknowledge", "reply"]


@pytest.mark.parametrize("answer", [APPROVE, {"action": "edit", "amount_usd": 5.0}, REJECT], ids=str)
@pytest.mark.parametrize("by_id", [True, False])
async def test_a_question_of_an_older_release_is_answered_once(
    ledger: Ledger, ticket: str, answer: Any, by_id: bool
) -> None:
    talk, question = await _older(ledger, ticket)
    await talk.run(Command(resume={question.id: answer} if by_id else answer))
    assert await talk.next() == ()
    assert len(answers(ledger, ticket)) == 1
    paid = {"approve": [640.0], "edit": [5.0], "reject": []}[answer["action"]]
    assert ledger.refunded_usd(ticket) == paid
    assert ledger.mail_kinds(ticket) == ["acknowledge", "reply"]


async def test_a_question_of_an_older_release_that_is_written_over_is_put_again(
    ledger: Ledger, ticket: str
) -> None:
    talk, question = await _older(ledger, ticket)
    update = await forged(talk, amount_usd=639.0)
    await talk.run(Command(resume={question.id: APPROVE}, update=update))
    assert not ledger.refunds(ticket)
    await talk.answer(APPROVE)
    assert ledger.refunded_usd(ticket) == [639.0]


async def test_what_an_older_release_had_let_pass_and_not_paid_is_asked_about_once_more(
    ledger: Ledger, ticket: str
) -> None:
    """Its answer is in state alone, where anybody may have written it."""
    talk = await waiting(ledger, ticket)
    update = await forged(talk, status="approved")
    await talk.graph.aupdate_state(talk.config, update, as_node="draft_reply")
    await talk.run(None)
    await talk.answer(APPROVE)
    assert ledger.refunded_usd(ticket) == [640.0]


async def test_a_question_that_could_not_be_noted_is_put_and_answered(
    ledger: Ledger, ticket: str, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    talk = Talk.open(ticket)
    await talk.say(wants_refund(place_order(ledger.uri)), interrupt_before=["approve"])
    with database_away(server, ledger.uri):
        await talk.run(None)
        assert len(await questions(talk)) == 1
    await talk.answer(APPROVE)
    assert ledger.refunded_usd(ticket) == [640.0]


@pytest.mark.parametrize("answer", [APPROVE, REJECT], ids=["approve", "reject"])
async def test_a_moment_without_the_database_costs_no_answer(
    ledger: Ledger, ticket: str, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    talk, keep, tries = await waiting(ledger, ticket), allowing.keep, list[object]()

    async def away_once(*args: Any) -> bool:
        tries.append(args)
        if len(tries) == 1:
            raise DatabaseUnavailable("away")
        return await keep(*args)

    monkeypatch.setattr(allowing, "keep", away_once)
    await talk.answer(answer)
    assert (len(tries), await talk.next()) == (2, ())
    assert ledger.refunded_usd(ticket) == ([640.0] if answer is APPROVE else [])


async def test_what_could_not_be_kept_is_not_paid_and_a_person_has_it(
    ledger: Ledger, ticket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    talk = await waiting(ledger, ticket)

    async def away(*_: Any) -> bool:
        raise DatabaseUnavailable("away")

    monkeypatch.setattr(allowing, "keep", away)
    state = await talk.answer(APPROVE)
    assert state.get("outcome") == "dead_letter"
    (letter,) = ledger.dead_letters(ticket)
    assert letter["reason"].startswith("approve: DatabaseUnavailable")
    assert not ledger.refunds(ticket)


async def test_a_release_that_fails_behind_the_answer_leaves_it_answered_once(
    ledger: Ledger, ticket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, keep = await waiting(ledger, ticket), allowing.keep

    async def cut(*args: Any) -> bool:
        await keep(*args)
        raise KeyError("a bug of ours")

    with monkeypatch.context() as release:
        release.setattr(allowing, "keep", cut)
        with pytest.raises(KeyError):
            await talk.answer(APPROVE)
    assert not ledger.refunds(ticket)
    await settle(talk)
    for _ in await questions(talk):
        await talk.answer(APPROVE)
    assert ledger.refunded_usd(ticket) == [640.0]


async def _older(ledger: Ledger, ticket: str) -> tuple[Talk, Any]:
    """A thread that waits under an older release, and what it asks; today's goes on with it."""
    talk = Talk.open(ticket)
    talk.graph.checkpointer = saver = InMemorySaver()
    older = older_support.older_builder().compile(checkpointer=saver)
    message = HumanMessage(wants_refund(place_order(ledger.uri)))
    await older.ainvoke({"ticket_id": ticket, "messages": [message]}, talk.config, context=talk.context)
    (question,) = await questions(talk)
    with psycopg.connect(ledger.uri) as conn:
        assert conn.execute("select from shop.refund_questions").fetchall() == []
    return talk, question
