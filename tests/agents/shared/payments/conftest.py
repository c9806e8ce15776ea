"""An order of $640 in an otherwise empty shop, and a payment provider."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest
from psycopg.rows import DictRow

from agents.shared import payments
from agents.shared.payments import HttpProvider
from agents.shared.resilience.retry import Retries
from stationmaster.postgres import connect
from tests.fakes.payment_provider import PaymentProvider

ORDER = """
insert into shop.customers values ('rosa', 'Rosa', 'Delgado', 'rosa@example.net', '{}');
insert into shop.payment_methods values ('paypal_1', 'rosa', 'paypal');
insert into shop.orders values
    ('88123', 'rosa', 'delivered', current_date - 8, current_date - 3, '{}'),
    ('88124', 'rosa', 'pending', current_date, null, '{}');
insert into shop.payments values ('88123', 1, 'paypal_1', 400), ('88123', 2, 'paypal_1', 240),
    ('88124', 1, 'paypal_1', 48.50);
"""
# The same three tries, without the wait between them.
QUICK = Retries(first_wait_s=0.01)

Ask = Callable[[str], Awaitable[list[DictRow]]]


@pytest.fixture
async def shop(agents_on_database: str) -> AsyncIterator[str]:
    """The URI of a database with orders 88123 ($640.00 paid) and 88124 ($48.50 paid)."""
    async with await connect(agents_on_database) as conn:
        await conn.execute(ORDER)
    yield agents_on_database
    payments.configure(None)


@pytest.fixture
def ask(shop: str) -> Ask:
    """Rows of a query, on a connection of its own."""

    async def rows(query: str) -> list[DictRow]:
        async with await connect(shop) as conn:
            return await (await conn.execute(query.encode())).fetchall()

    return rows


@pytest.fixture
def provider() -> Iterator[PaymentProvider]:
    with PaymentProvider.running() as provider:
        yield provider


@pytest.fixture
def over_http(shop: str, provider: PaymentProvider) -> PaymentProvider:
    """The provider, configured as the one that refunds go through."""
    del shop
    payments.configure(HttpProvider(provider.url, provider.api_key, timeout_s=2.0, retries=QUICK))
    return provider
