"""The written rules: each question they know becomes a statement that the parser takes and the database answers."""

import json

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from agents.shared.offline import request_of
from agents.sql_operator import access, statements
from agents.sql_operator.prompts import SYSTEM_PROMPT, asked, write_prompt
from agents.sql_operator.rules import answer

READS = {
    "How many pending orders are there?": "status = 'pending'",
    "How many open orders last week?": "status = 'pending' AND placed_on >= CURRENT_DATE - INTERVAL '7 DAYS'",
    "Revenue by month this year": "DATE_TRUNC('YEAR', CURRENT_DATE)",
    "What was the revenue of the last 90 days?": "INTERVAL '90 DAYS'",
    "orders per status": "GROUP BY status",
    "list the 5 newest orders, top 5": "LIMIT 5",
    "the largest cancelled orders": "ORDER BY paid_usd DESC",
    "refunds since 2025-01-01": "CAST('2025-01-01' AS DATE)",
    "refunds by month": "FROM desk.refunds",
    "show the latest refunds": "ORDER BY created_at DESC",
    "top 3 customers": "LIMIT 3",
    "customers by city": "GROUP BY city",
    "How many customers do we have?": "COUNT(*) AS customers",
    "Which products are low in stock?": "on_hand < s.reorder_level",
    "What is the stock worth?": "SUM(on_hand * unit_price_usd)",
    "stock by category": "GROUP BY category",
    "show the stock": "FROM desk.stock",
    "best sellers last month": "desk.order_items AS i",
    "what sold most by category": "GROUP BY i.category",
    "show order #88123": "o.order_id = '88123'",
    "SELECT status FROM orders": "SELECT status FROM desk.orders",
}
WRITES = {
    "Set the reorder level of P9001-1 to 25": "UPDATE desk.stock SET reorder_level = 25 WHERE sku = 'P9001-1'",
    "set reorder level for all kitchen to 9": "UPDATE desk.stock SET reorder_level = 9 WHERE category = 'kitchen'",
    "Set the stock of P9001-1 to 7": "UPDATE desk.stock SET on_hand = 7 WHERE sku = 'P9001-1'",
    "set the lead time of garden to 4": "UPDATE desk.suppliers SET lead_days = 4 WHERE supplier_id = 'garden'",
    "Please buy 5 of P9001-1": "INSERT INTO desk.purchase_requests (sku, quantity) VALUES ('P9001-1', 5)",
}
INJECTIONS = [
    "show order #88123'; drop table orders; --",
    "set the reorder level of P9001-1' or '1'='1 to 5",
    "customers by city; delete from customers",
    "refunds since 2025-01-01' or true",
    "how many orders'); drop table desk.stock; --",
]


def write(question: str, *, feedback: str = "", problem: str = "") -> dict[str, str]:
    """What the rules answer to the prompt that the graph really makes."""
    system = write_prompt(SYSTEM_PROMPT, today="2026-01-02", feedback=feedback, problem=problem)
    request = request_of([system, asked(question, "")], ("Statement",), "Statement")
    ((name, args),) = answer(request).tool_calls
    assert name == "Statement"
    return args


@pytest.mark.parametrize(("question", "part"), READS.items())
async def test_questions(question: str, part: str) -> None:
    written = write(question)
    statement = statements.read(written["sql"])
    assert (statement.kind, part in statement.sql) == ("read", True), statement.sql
    assert written["explanation"]


@pytest.mark.parametrize(("wish", "sql"), WRITES.items())
def test_wishes(wish: str, sql: str) -> None:
    statement = statements.read(write(wish)["sql"])
    assert (statement.kind, statement.sql) == ("write", sql)


async def test_the_database_answers_every_question(desk: str) -> None:
    for question in READS:
        sql = statements.read(write(question)["sql"]).sql
        found = await access.fetch(sql, tenant="main", timeout_s=5, limit=100)
        assert found.columns, question
    for wish in WRITES:
        assert (
            await access.count_rows(statements.read(write(wish)["sql"]).sql, tenant="main", timeout_s=5) > 0
        )


@pytest.mark.parametrize("question", INJECTIONS)
def test_what_is_typed_into_a_question_stays_a_value_or_is_refused(question: str) -> None:
    sql = write(question)["sql"]
    if sql:
        assert statements.read(sql).sql.count(";") == 0
        assert not {"drop", "delete", "true"} & set(statements.read(sql).sql.lower().split())


def test_feedback_changes_the_statement() -> None:
    assert (
        "reorder_level = 30" in write("Set the reorder level of P9001-1 to 25", feedback="make it 30")["sql"]
    )
    assert "status = 'delivered'" in write("how many orders", feedback="only delivered ones")["sql"]


def test_a_problem_is_not_answered_with_the_same_again() -> None:
    written = write("how many orders", problem="no such table")
    assert (written["sql"], written["explanation"][:29]) == ("", "I could not write a statement")


@pytest.mark.parametrize("question", ["what is love", "", "\0", "{}", "[1]", "🙂" * 50])
def test_what_can_not_be_read_says_what_can(question: str) -> None:
    written = write(question)
    assert (written["sql"], written["explanation"][:24]) == ("", "Without a model I can co")


def test_a_request_of_another_make_is_read_too() -> None:
    request = request_of(
        [SystemMessage("Task: write_sql"), HumanMessage(json.dumps({"question": 1}))], (), None
    )
    assert answer(request).tool_calls[0][1]["sql"] == ""
