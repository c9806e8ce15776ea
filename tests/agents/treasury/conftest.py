"""What tests of the treasury work on: one database with a demo's lists that they share, each as a tenant of its own."""

from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest

from tests.agents.treasury import desk
from tests.agents.treasury.desk import Book
from tests.agents.working import working_on
from tests.conftest import clone

_numbers = count(1)


@pytest.fixture(scope="session")
def treasury_database(server: str, seeded_template: str) -> Iterator[str]:
    """The URI of the database that these tests share: a clone each would cost more than most of them."""
    yield from clone(server, seeded_template)


@pytest.fixture
async def book(treasury_database: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Book]:
    """A tenant of this test's own, in which ada and bo may sign with keys of their own; desks are of that tenant."""
    tenant = f"tenant-{next(_numbers)}"
    monkeypatch.setattr(desk, "TENANT", tenant)
    async with working_on(treasury_database):
        yield Book.with_officers(treasury_database, "ada", "bo", tenant=tenant)


@pytest.fixture
def own_book(agents_on_shop: str) -> Book:
    """A database of this test's own, for what all tenants share: the sanctions lists."""
    return Book.with_officers(agents_on_shop, "ada", "bo", tenant="main")
