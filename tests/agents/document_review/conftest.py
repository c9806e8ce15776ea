"""What tests of the document review work on: one database that they share, each as a tenant of its own."""

from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest

from tests.agents.document_review import shelf as shelves
from tests.agents.document_review.shelf import Shelf
from tests.agents.working import working_on
from tests.conftest import clone

_numbers = count(1)


@pytest.fixture(scope="session")
def documents_database(server: str, migrated_template: str) -> Iterator[str]:
    """The URI of the database that these tests share: a clone each would cost more than most of them."""
    yield from clone(server, migrated_template)


@pytest.fixture
async def shelf(documents_database: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Shelf]:
    """A shelf of a tenant of this test's own; reviews are of that tenant."""
    tenant = f"tenant-{next(_numbers)}"
    monkeypatch.setattr(shelves, "TENANT", tenant)
    async with working_on(documents_database):
        yield Shelf(documents_database, tenant)
