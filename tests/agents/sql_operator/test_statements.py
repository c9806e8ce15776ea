"""The parser's half of the guard: what is read, what is refused, and that only what was understood is written out."""

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.sql_operator import statements
from agents.sql_operator.catalogue import TABLES, described
from agents.sql_operator.statements import Refused
from tests.agents.sql_operator.abuses import SIDE_DOORS, TRICKS

QUERIES = {
    "select count(*) from orders": "SELECT COUNT(*) FROM desk.orders",
    'SELECT O.Status, count(*) AS "N" FROM Orders O GROUP BY 1 ORDER BY 2 DESC LIMIT 5;': (
        'SELECT o.status, COUNT(*) AS "N" FROM desk.orders AS o GROUP BY 1 ORDER BY 2 DESC LIMIT 5'
    ),
    "select 'a;b -- c /* d */' as x": "SELECT 'a;b -- c /* d */' AS x",
    "with late as (select order_id from orders) select count(*) from late": (
        'WITH "late" AS (SELECT order_id FROM desk.orders) SELECT COUNT(*) FROM "late"'
    ),
    "select status from orders union select provider from refunds": (
        "SELECT status FROM desk.orders UNION SELECT provider FROM desk.refunds"
    ),
    "select sku, rank() over (partition by category order by on_hand) from desk.stock": (
        "SELECT sku, RANK() OVER (PARTITION BY category ORDER BY on_hand) FROM desk.stock"
    ),
    "select date_trunc('month', placed_on)::date from orders where placed_on > current_date - interval '1 year'": (
        "SELECT CAST(DATE_TRUNC('MONTH', placed_on) AS DATE) FROM desk.orders "
        "WHERE placed_on > CURRENT_DATE - INTERVAL '1 YEAR'"
    ),
    "select 1 from orders o where exists (select 1 from refunds r where r.order_id = o.order_id)": (
        "SELECT 1 FROM desk.orders AS o WHERE EXISTS(SELECT 1 FROM desk.refunds AS r WHERE r.order_id = o.order_id)"
    ),
}
WRITES = {
    "update stock set reorder_level = 20 where sku in (select sku from order_items)": (
        "UPDATE desk.stock SET reorder_level = 20 WHERE sku IN (SELECT sku FROM desk.order_items)",
        ("order_items", "stock"),
    ),
    "insert into purchase_requests (sku, quantity) values ('a', 1)": (
        "INSERT INTO desk.purchase_requests (sku, quantity) VALUES ('a', 1)",
        ("purchase_requests",),
    ),
    "insert into desk.purchase_requests (sku, quantity) select sku, 10 from stock where on_hand = 0": (
        "INSERT INTO desk.purchase_requests (sku, quantity) SELECT sku, 10 FROM desk.stock WHERE on_hand = 0",
        ("purchase_requests", "stock"),
    ),
}


@pytest.mark.parametrize("text", SIDE_DOORS.values(), ids=SIDE_DOORS)
def test_side_doors_are_refused(text: str) -> None:
    with pytest.raises(Refused):
        statements.read(text)


@pytest.mark.parametrize("text", TRICKS.values(), ids=TRICKS)
def test_tricks_are_refused(text: str) -> None:
    with pytest.raises(Refused):
        statements.read(text)


@pytest.mark.parametrize(("text", "sql"), QUERIES.items())
def test_a_query_is_written_anew_with_its_schema(text: str, sql: str) -> None:
    statement = statements.read(text)
    assert (statement.kind, statement.sql) == ("read", sql)
    assert statements.read(sql) == statement


@pytest.mark.parametrize(("text", "wanted"), WRITES.items())
def test_a_permitted_write_is_told_from_a_query(text: str, wanted: tuple[str, tuple[str, ...]]) -> None:
    statement = statements.read(text)
    assert (statement.kind, statement.sql, statement.tables) == ("write", *wanted)
    assert statements.read(statement.sql) == statement


def test_a_refusal_says_what_and_names_the_way_out() -> None:
    with pytest.raises(Refused, match=r"the function pg_sleep is not allowed"):
        statements.read("select pg_sleep(1)")
    with pytest.raises(Refused, match=r"there is no table shop\.orders to use here; there are: orders, "):
        statements.read("select * from shop.orders")
    with pytest.raises(Refused, match="may set on_hand, reorder_level, supplier_id, and not tenant"):
        statements.read("update stock set tenant = 'b' where sku = 'a'")
    with pytest.raises(Refused, match="2 statements: write one"):
        statements.read("select 1; select 2")


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        statement = statements.read(text)
    except Refused:
        return
    assert statements.read(statement.sql) == statement


@given(
    st.sampled_from(list(SIDE_DOORS.values())),
    st.sampled_from(["select 1", "select * from orders"]),
    st.data(),
)
def test_nothing_glued_to_a_query_gets_through(door: str, query: str, data: st.DataObject) -> None:
    glue = data.draw(
        st.sampled_from([";", " ; ", "\n;", "; --\n", " union all ", " where exists (", "/**/;", "';"])
    )
    with pytest.raises(Refused):
        statements.read(f"{query}{glue}{door}")


def test_the_catalogue_is_the_databases(database: str) -> None:
    with psycopg.connect(database) as conn:
        found = conn.execute(
            "select table_name, array_agg(column_name::text order by ordinal_position) from information_schema.columns "
            "where table_schema = 'desk' and table_name not in ('tickets', 'writes', 'logins') group by table_name"
        ).fetchall()
    assert {name: tuple(columns) for name, columns in found} == {
        name: table.columns for name, table in TABLES.items()
    }
    assert all(name in described() for name in TABLES)
    for table in TABLES.values():
        assert set(table.update) | set(table.insert) <= set(table.columns)
        assert "tenant" not in (*table.update, *table.insert)
