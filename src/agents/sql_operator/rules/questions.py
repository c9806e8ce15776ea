"""Questions that the rules can read: what of, which of them, how grouped. The first that fits is the statement."""

import re
from collections.abc import Callable

from agents.shared.queries import load
from agents.sql_operator.rules.filters import order_id, status, top

_SQL = {name: query.as_string() for name, query in load(__file__).items()}
Written = tuple[str, str]
"""A statement, and one sentence that says what it does."""


def question_sql(words: str, span: str | None) -> Written | None:
    """The statement for a question in lower case; `span` is a condition over the column {c}."""
    return next((write(words, span) for fits, write in _KINDS if fits.search(words)), None)


def template(name: str, **parts: object) -> str:
    """A statement of the file beside this module, filled in. Parts are checked where they are found: digits, plain
    words, conditions of `filters`. And everything is read by the parser afterwards."""
    return " ".join(_SQL[name].format(**parts).split()).rstrip(";")


def _has(words: str, pattern: str) -> bool:
    return re.search(rf"\b(?:{pattern})\b", words) is not None


def _where(span: str | None, column: str, *more: str) -> str:
    conditions = [*more, span.format(c=column)] if span else [*more]
    return f"where {' and '.join(conditions)}" if conditions else ""


def _one_order(words: str, span: str | None) -> Written:
    number = order_id(words)
    if number is None:
        return _orders(words, span)
    return template("one_order", number=number), f"Order {number} with its items."


def _low_stock(words: str, span: str | None) -> Written:
    return template(
        "low_stock", limit=top(words, 50)
    ), "What lies below its reorder level, the scarcest first."


def _stock(words: str, span: str | None) -> Written:
    if _has(words, "category|categories"):
        return template("stock_by_category"), "Stock by category, with its value."
    if _has(words, "value|worth"):
        return template("stock_value"), "What the stock is worth."
    return template("stock", limit=top(words, 50)), "What lies in the warehouse."


def _refunds(words: str, span: str | None) -> Written:
    where = _where(span, "created_at")
    if _has(words, "(?:by|per|each|every) month|monthly"):
        return template("refunds_by_month", where=where), "Refunds by month."
    if _has(words, "list|show|which|latest|newest"):
        return template("refunds_listed", where=where, limit=top(words, 20)), "Refunds, the newest first."
    return template("refunds", where=where), "How many refunds there were, and how much went back."


def _customers(words: str, span: str | None) -> Written:
    if _has(words, r"top|best|most|spen[dt]\w*|biggest|rank"):
        where = _where(span, "o.placed_on")
        return template("best_customers", where=where, limit=top(words, 10)), "The customers who spent most."
    if place := re.search(r"\b(?:by|per|each) (city|state|country)\b", words):
        sql = template("customers_by_place", place=place[1], limit=top(words, 50))
        return sql, f"Customers by {place[1]}."
    return template("customers"), "How many customers there are."


def _best_sellers(words: str, span: str | None) -> Written:
    by = "category" if _has(words, "category|categories") else "product"
    where = _where(span, "o.placed_on")
    return template("best_sellers", by=by, where=where, limit=top(words, 10)), f"What sold most, by {by}."


def _orders(words: str, span: str | None) -> Written:
    wanted = status(words)
    where = _where(span, "placed_on", *([f"status = '{wanted}'"] if wanted else []))
    which = f"{wanted} orders" if wanted else "orders"
    if _has(words, "(?:by|per|each) status"):
        return template("orders_by_status", where=where), "Orders by status."
    if _has(words, "(?:by|per|each|every) month|monthly"):
        return template("orders_by_month", where=where), "Orders and revenue by month."
    if _has(words, "largest|biggest|most expensive"):
        return template("orders_largest", where=where, limit=top(words, 20)), f"The largest {which}."
    if _has(words, "list|show|which|latest|newest"):
        return template("orders_listed", where=where, limit=top(words, 20)), f"The newest {which}."
    if _has(words, "revenue|sales|turnover|much|total|sum|average|avg"):
        return template("revenue", where=where), f"What the {which} brought in."
    return template("orders", where=where), f"How many {which} there are."


_KINDS: tuple[tuple[re.Pattern[str], Callable[[str, str | None], Written]], ...] = (
    (re.compile(r"\border #?w?\d{4,15}\b"), _one_order),
    (re.compile(r"\b(low|run(ning)? out|below|reorder|restock|scarce)\b"), _low_stock),
    (re.compile(r"\b(stock|inventory|warehouse)\b"), _stock),
    (re.compile(r"\brefund(s|ed)?\b"), _refunds),
    (re.compile(r"\bcustomers?\b|\bbuyers?\b"), _customers),
    (re.compile(r"\b(best.?sell\w*|sold|products?|categor(y|ies)|items?)\b"), _best_sellers),
    (re.compile(r"\b(orders?|revenue|sales|turnover)\b"), _orders),
)
