"""A thread that was paused before a state field existed goes on under today's graph: one field has a default, another
is computed on first read by `backfill`."""

from langgraph.checkpoint.memory import InMemorySaver

from agents.treasury.graph import builder
from tests.agents.treasury.desk import APPROVE, Book, Desk, pay
from tests.fakes import older_treasury


async def paused_by_an_older_release(amount: float) -> Desk:
    """A desk that waits at the gate; its checkpoints hold none of the newer fields."""
    saver = InMemorySaver()
    desk = Desk(graph=older_treasury.older_builder().compile(checkpointer=saver))
    await desk.ask(pay(amount))
    assert not older_treasury.ADDED_SINCE & (await desk.values()).keys()
    desk.graph = builder.compile(checkpointer=saver)
    return desk


def test_the_older_graph_lacks_fields_and_nothing_else() -> None:
    older, today = older_treasury.graph, builder.compile()
    assert set(today.channels) - set(older.channels) == older_treasury.ADDED_SINCE
    assert set(older.nodes) == set(today.nodes)


async def test_a_default_is_enough_for_what_people_said(book: Book) -> None:
    desk = await paused_by_an_older_release(7_200)
    await desk.answer({"action": "ask", "question": "Why?"}, by="ada")
    await desk.answer({"action": "answer", "text": "Freight."}, by="rosa")
    assert (await desk.question()).value["clarifications"] == [{"question": "Why?", "answer": "Freight."}]


async def test_what_the_book_wants_is_computed_on_first_read(book: Book) -> None:
    desk = await paused_by_an_older_release(7_200)
    book.execute("alter table treasury.transactions disable trigger transactions_move")
    book.execute("update treasury.transactions set risk = null where tenant = %s", book.tenant)
    book.execute("alter table treasury.transactions enable trigger transactions_move")
    values = await desk.answer(APPROVE, by="ada")
    assert desk.nodes == ["gate", "backfill", "sign", "gate", "execute", "reply"]
    assert (values["outcome"], values["risk"]) == ("executed", 83)
    (row,) = book.transactions(desk.thread_id)
    assert row["risk"] == 83


async def test_two_sign_on_an_older_thread(book: Book) -> None:
    desk = await paused_by_an_older_release(17_200)
    await desk.answer(APPROVE, by="ada")
    values = await desk.answer(APPROVE, by="bo", update={"compliance_note": "seen"})
    assert (values["outcome"], values["signatures"]) == ("executed", ["ada", "bo"])
