"""Rows of another tenant: not to be read, not to be written, whatever the statement says."""

import psycopg
import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agents.sql_operator import access
from agents.sql_operator.access import logins, sessions
from tests.agents.sql_operator.in_process import SET_LEVEL, Desk, level, rows

OTHER = """
insert into desk.suppliers (tenant, supplier_id, name, lead_days) values ('b', 'kitchen', 'B Kitchen', 9);
insert into desk.stock (tenant, sku, product, category, unit_price_usd, on_hand, reorder_level, supplier_id)
values ('b', 'P9001-1', 'B Blender', 'kitchen', 5, 7, 3, 'kitchen'),
       ('b', 'B-1', 'B Kettle', 'kitchen', 5, 7, 3, 'kitchen');
insert into desk.purchase_requests (tenant, sku, quantity, note) values ('b', 'B-1', 77, 'secret')"""


@pytest.fixture
def two_tenants(own_desk: str) -> str:
    with psycopg.connect(own_desk) as conn:
        conn.execute(OTHER)
    return own_desk


async def test_each_tenant_reads_its_own_rows(two_tenants: str) -> None:
    for tenant, wanted in (("b", [["B-1"], ["P9001-1"]]), ("c", [])):
        found = await access.fetch(
            "SELECT sku FROM desk.stock ORDER BY sku", tenant=tenant, timeout_s=3, limit=9
        )
        assert found.rows == wanted
    mine = await access.fetch(
        "SELECT note FROM desk.purchase_requests UNION ALL SELECT product FROM desk.stock WHERE product LIKE 'B %'",
        tenant="main", timeout_s=3, limit=9,
    )  # fmt: skip
    assert mine.rows == []


async def test_the_shop_is_mains(two_tenants: str) -> None:
    for table in ("orders", "order_items", "customers", "refunds"):
        query = f"SELECT COUNT(*) FROM desk.{table}"
        assert (await access.fetch(query, tenant="b", timeout_s=3, limit=1)).rows == [[0]]
        assert (await access.fetch(query, tenant="main", timeout_s=3, limit=1)).rows[0][0] > 0


async def test_a_condition_that_reaches_for_others_finds_none(two_tenants: str) -> None:
    for query in (
        "SELECT tenant FROM desk.stock WHERE tenant <> 'b'",
        "SELECT tenant FROM desk.stock WHERE 1 / (CASE WHEN tenant = 'main' THEN 0 ELSE 1 END) = 1 AND tenant = 'main'",
    ):
        assert (await access.fetch(query, tenant="b", timeout_s=3, limit=9)).rows == []


async def test_a_write_reaches_the_own_rows_alone(two_tenants: str) -> None:
    before = level(two_tenants)
    theirs = Desk.open(tenant="b")
    state = await theirs.ask(SET_LEVEL)
    assert "changes 1 row" in state.get("effect", "")
    assert (await theirs.approve()).get("outcome") == "changed"
    assert level(two_tenants) == before
    found = rows(two_tenants, "select reorder_level from desk.stock where tenant = 'b' and sku = 'P9001-1'")
    assert found == [{"reorder_level": 25}]


async def test_a_row_can_not_be_given_to_another_tenant(two_tenants: str) -> None:
    async with sessions.ticketed("b") as ticket:
        with psycopg.connect(await logins.uri_of("writer")) as conn:
            conn.execute("select desk.enter(%s)", (ticket,))
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(
                    "insert into desk.purchase_requests (tenant, sku, quantity) values ('main', 'B-1', 1)"
                )
            conn.rollback()
            conn.execute("select desk.enter(%s)", (ticket,))
            conn.execute("insert into desk.purchase_requests (sku, quantity) values ('B-1', 1)")
            conn.commit()
    found = rows(two_tenants, "select tenant, quantity from desk.purchase_requests order by request_id")
    assert found == [{"tenant": "b", "quantity": 77}, {"tenant": "b", "quantity": 1}]


async def test_the_tenant_is_the_callers_and_not_the_inputs(two_tenants: str) -> None:
    theirs = Desk.open(tenant="b")
    await theirs.graph.ainvoke(
        {"messages": ["list stock"], "tenant": "main"},
        theirs.config,
        context=theirs.context,
    )
    state = await theirs.approve()
    result = state.get("result")
    assert result is not None
    assert [row[0] for row in result["rows"]] == ["P9001-1", "B-1"]


async def test_an_operators_answer_is_for_the_rows_of_whoever_asked(two_tenants: str) -> None:
    """The inbox answers with the operators' key, which sees every tenant's threads."""
    saver, before = InMemorySaver(), level(two_tenants)
    theirs = Desk.open(tenant="b", saver=saver)
    await theirs.ask("list stock")
    await theirs.write("generate", feedback="top 5")
    operator = Desk.open(tenant="main", saver=saver)
    operator.thread_id = theirs.thread_id
    await operator.write("generate", sql="update stock set reorder_level = 77 where sku = 'P9001-1'")
    state = await operator.approve()
    assert (state.get("outcome"), level(two_tenants)) == ("changed", before)
    found = rows(two_tenants, "select reorder_level from desk.stock where tenant = 'b' and sku = 'P9001-1'")
    assert found == [{"reorder_level": 77}]


async def test_a_third_tenants_key_runs_nothing(two_tenants: str) -> None:
    saver = InMemorySaver()
    theirs = Desk.open(tenant="b", saver=saver)
    await theirs.ask("list stock")
    stranger = Desk.open(tenant="c", saver=saver)
    stranger.thread_id = theirs.thread_id
    state = await stranger.approve()
    assert (state.get("outcome"), state.get("result")) == ("unavailable", None)
    assert "is not tenant c's" in state["degraded"][0]


async def test_a_ticket_is_gone_after_its_statement(two_tenants: str) -> None:
    await access.fetch("SELECT 1", tenant="b", timeout_s=3, limit=1)
    with pytest.raises(psycopg.errors.DivisionByZero):
        await access.fetch(
            "SELECT 1 / (SELECT COUNT(*) - 2 FROM desk.stock)", tenant="b", timeout_s=3, limit=1
        )
    assert rows(two_tenants, "select * from desk.tickets") == []
