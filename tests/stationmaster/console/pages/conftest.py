"""A console on a socket, people signed in to it, and Chromium."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect
from psycopg.sql import SQL, Identifier, Placeholder

from stationmaster.reviews import store
from stationmaster.reviews.access import sessions, users
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.database import Pool, open_pool
from stationmaster.reviews.model import Review
from tests.stationmaster.console.pages.questions import GROUP
from tests.stationmaster.console.serving import served, settings_for

HERE = Path(__file__).parent
CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
]  # fmt: skip
COOKIE = "stationmaster_session"
DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 360, "height": 760}
PATIENCE_MS = 30_000
"""How long a state is waited for: what is late on a busy machine is no defect, and what never comes costs once."""


@dataclass
class Desk:
    """A running console and its database."""

    url: str
    pool: Pool

    async def person(self, name: str, role: str = "reviewer", groups: tuple[str, ...] = (GROUP,)) -> str:
        """A new user's session secret."""
        await users.add(self.pool, name, roles=[role], groups=groups)
        return await self.session(name)

    async def session(self, name: str) -> str:
        return await sessions.start(self.pool, name, hours=1, address="127.0.0.1", agent="test")

    async def browser_of(self, name: str, **options: Any) -> httpx.AsyncClient:
        """A client that behaves like a browser without scripts."""
        secret = await self.person(name, **options)
        return httpx.AsyncClient(
            base_url=self.url,
            cookies={COOKIE: secret},
            headers={"Origin": self.url},
            trust_env=False,
            timeout=30,
        )

    async def review(self, review_id: str) -> Review:
        async with self.pool.connection() as conn:
            found = await store.find(conn, review_id)
        assert found is not None
        return found

    async def change(self, review_id: str, **columns: Any) -> None:
        """What workers would write."""
        assignments = SQL(", ").join(SQL("{} = {}").format(Identifier(n), Placeholder(n)) for n in columns)
        statement = SQL("UPDATE reviews.reviews SET {} WHERE id = {}").format(assignments, Placeholder("id"))
        async with self.pool.connection() as conn:
            await conn.execute(statement, {**columns, "id": review_id})


ANA = Identity("ana", frozenset({GROUP}), frozenset({"reviewer"}), "session:test")
BO = Identity("bo", frozenset({GROUP}), frozenset({"reviewer"}), "session:other")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One loop for all tests here: a browser belongs to the loop that started it, and starting one takes a second."""
    for item in items:
        if HERE in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(loop_scope="session")
async def desk(database: str, tmp_path: Path) -> AsyncIterator[Desk]:
    """A console without workers, and its database."""
    async with open_pool(database) as pool, served(settings_for(database, tmp_path)) as url:
        yield Desk(url, pool)


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Debian's Chromium."""
    if not CHROMIUM.exists():  # noqa: ASYNC240
        pytest.skip(f"no browser at {CHROMIUM}: apt-get install chromium")
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        await launched.close()


Open: TypeAlias = Callable[..., Awaitable[Page]]


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(desk: Desk, browser: Browser) -> AsyncIterator[Open]:
    """`await open_page("/path", name="ana")`: a page of a signed-in person. A script error or a breach of the
    content security policy fails the test at its end."""
    problems: list[str] = []
    secrets: dict[str, str] = {}
    contexts: list[BrowserContext] = []

    async def opened(path: str = "/", *, name: str = "ana", role: str = "reviewer", **options: Any) -> Page:
        groups = options.pop("groups", (GROUP,))
        if name not in secrets:
            secrets[name] = await desk.person(name, role, groups)
        context = await browser.new_context(**{"viewport": DESKTOP, **options})
        contexts.append(context)
        await context.add_cookies([{"name": COOKIE, "value": secrets[name], "url": desk.url}])
        page = await context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda said: problems.append(said.text) if _is_problem(said) else None)
        await page.goto(desk.url + path)
        await ready(page)
        return page

    yield opened
    for context in contexts:
        await context.close()
    assert problems == []


async def ready(page: Page) -> None:
    """The page's scripts run: before that, keys do nothing."""
    await page.locator("html[data-ready]").wait_for(state="attached")


def _is_problem(said: Any) -> bool:
    """Refused answers (409, 422) and the thread of a server that is not there are part of the tests."""
    return said.type == "error" and not re.search(r"status of (409|422|404|403|401|5\d\d)|ERR_", said.text)
