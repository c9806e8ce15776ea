"""Consoles before a real `langgraph dev` with the support graph: one that holds to the files, one that lets drift."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import httpx
import pytest
import pytest_asyncio
from langgraph_sdk.client import LangGraphClient
from playwright.async_api import Browser, BrowserContext, Page

from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import Assistant, ServedAssistant, Signature
from stationmaster.reviews.access import sessions, users
from stationmaster.reviews.database import Pool, open_pool
from tests.fakes.agent_server import AgentServer
from tests.stationmaster.console.pages.conftest import COOKIE, DESKTOP, PATIENCE_MS, ready
from tests.stationmaster.console.serving import served, settings_for

ANNA = Signature("anna", "apply", "as agreed")
CONTEXT: dict[str, Any] = {"tone": "friendly", "approval_threshold_usd": 500}
_numbers = count(1)


@dataclass
class Served:
    """Two consoles on one server: `held` lets nothing differ from the files, `free` does."""

    held: str
    free: str
    pool: Pool
    gateway: Gateway

    @property
    def client(self) -> LangGraphClient:
        return self.gateway.client

    async def made(self, name: str = "", **content: Any) -> ServedAssistant:
        """An assistant as an apply makes them, of a name that no other test has."""
        given = {"context": CONTEXT, "description": "Answers.", "tags": ("shop",), **content}
        name = name or f"desk-{next(_numbers)}"
        return await self.gateway.create_assistant(Assistant(name, "support", **given), ANNA)

    async def now(self, assistant: ServedAssistant) -> ServedAssistant:
        found = await self.gateway.assistant(assistant.assistant_id)
        assert found is not None
        return found

    async def secret(self, role: str, name: str = "") -> str:
        """A new person's session."""
        name = name or f"{role}-{next(_numbers)}"
        await users.add(self.pool, name, roles=[role], groups=["*"])
        return await sessions.start(self.pool, name, hours=1, address="127.0.0.1", agent="test")

    @asynccontextmanager
    async def person(
        self, role: str = "editor", *, name: str = "", held: bool = False
    ) -> AsyncIterator[httpx.AsyncClient]:
        """A browser without scripts, signed in."""
        url = self.held if held else self.free
        async with httpx.AsyncClient(
            base_url=url, cookies={COOKIE: await self.secret(role, name)}, headers={"Origin": url}, trust_env=False,
            timeout=60,
        ) as http:  # fmt: skip
            yield http


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def consoles(
    support: AgentServer, served_shop: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[str, str]]:
    """Shared by all tests of this folder, as the server is."""
    settings = settings_for(served_shop, tmp_path_factory.mktemp("consoles"), api_url=support.url)
    async with served(settings) as held, served(settings.model_copy(update={"allow_drift": True})) as free:
        yield held, free


@pytest_asyncio.fixture(loop_scope="session")
async def place(consoles: tuple[str, str], support: AgentServer, served_shop: str) -> AsyncIterator[Served]:
    """The consoles, their database, and the server behind them."""
    held, free = consoles
    async with open_pool(served_shop, max_size=3) as pool, support.sdk() as client:
        yield Served(held, free, pool, Gateway(client, support.url))


Open: TypeAlias = Callable[..., Awaitable[Page]]


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(place: Served, browser: Browser) -> AsyncIterator[Open]:
    """`await open_page("/assistants")`: in Chromium, as an editor. A script's error fails the test at its end."""
    problems: list[str] = []
    contexts: list[BrowserContext] = []

    async def opened(path: str, *, role: str = "editor", held: bool = False, **options: Any) -> Page:
        url = place.held if held else place.free
        context = await browser.new_context(**{"viewport": DESKTOP, **options})
        contexts.append(context)
        await context.add_cookies([{"name": COOKIE, "value": await place.secret(role), "url": url}])
        page = await context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console",
            lambda said: (
                problems.append(said.text)
                if said.type == "error" and "status of 4" not in said.text
                else None
            ),
        )
        await page.goto(url + path)
        await ready(page)
        return page

    yield opened
    for context in contexts:
        await context.close()
    assert problems == []


def fields(page: str) -> dict[str, str]:
    """What a browser would send of the page's form of settings, or of the one that follows it."""
    form = re.search(r'<form class="(?:settings|decide|trial)".*?</form>', page, re.DOTALL)
    assert form is not None, page
    sent = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form[0]))
    sent |= dict(re.findall(r'<input id="[^"]*" name="([^"]*)" value="([^"]*)"', form[0]))
    sent |= dict(re.findall(r'<textarea[^>]*?name="([^"]*)"[^>]*>\n(.*?)</textarea>', form[0], re.DOTALL))
    for name, select in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', form[0], re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', select)
        sent[name] = chosen[1] if chosen else ""
    for name, value in re.findall(r'<input type="checkbox" name="([^"]*)" value="([^"]*)" checked', form[0]):
        sent[name] = f"{sent[name]}\n{value}".strip()  # one line for each, as when a page sends them on
    return {name: unescape(value) for name, value in sent.items()}


def words(page: str) -> str:
    """The text of a page's main part, in one line."""
    main = page[page.find("<main") : page.find("</main")]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", main)).split())


def row_of(page: str, text: str) -> str:
    """The words of the table's row that holds a text."""
    rows = re.findall(r"<tr role=\"row\".*?</tr>", page, re.DOTALL)
    (found,) = (row for row in rows if text in row)
    return words(f"<main>{found}</main>")


@pytest.fixture
def file_places(tmp_path: Path) -> tuple[Path, Path]:
    """Folders of assistants and crons for files that were downloaded."""
    folders = tmp_path / "assistants", tmp_path / "crons"
    for folder in folders:
        folder.mkdir()
    return folders
