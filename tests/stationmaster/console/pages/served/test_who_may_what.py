"""Who gets which page about assistants and crons, by the table of all routes; and pages without a server."""

from typing import Any

import httpx
import pytest

from tests.stationmaster.console.api.about_the_server import AN_EDITOR, SERVED
from tests.stationmaster.console.pages.conftest import COOKIE, Desk
from tests.stationmaster.console.pages.served.conftest import Served, words
from tests.stationmaster.console.pages.served.test_crons import scheduled

API = "/api/v1"


async def test_a_stranger_gets_nowhere(place: Served):
    """Pages lead to the sign-in, the API says so."""
    async with httpx.AsyncClient(base_url=place.free, trust_env=False) as nobody:
        for method, path in SERVED:
            told = await nobody.request(method, path, headers={"Origin": place.free})
            if path.startswith(API):
                assert (told.status_code, told.json()["code"]) == (401, "not_signed_in"), path
            else:
                assert told.headers["location"].startswith("/sign-in"), path


@pytest.mark.parametrize("role", ["reader", "reviewer", "lead", "editor", "admin"])
async def test_the_table_holds(place: Served, role: str):
    """A reviewer and a lead look and change nothing; an editor and an admin may."""
    cron = await scheduled(place)
    assistant = await place.made()
    async with place.person(role) as viewer:
        for (method, path), who in SERVED.items():
            name = cron.name if "/crons" in path else assistant.known_as
            where = path.replace("{name}", name).replace("{version}", "1")
            empty = {} if method == "POST" else None
            body: Any = {"json": empty} if path.startswith(API) else {"data": empty}
            told = await viewer.request(method, where, params={"from": 1}, **body)
            may = who != AN_EDITOR or role in ("editor", "admin")
            assert (told.status_code != 403) == may, (method, path, told.status_code)
            if method == "GET" and who != AN_EDITOR:
                expected = (404,) if path == f"{API}/assistants/{{name}}/canary" else (200, 303)
                assert told.status_code in expected, (path, told.status_code, told.text)
    await place.gateway.delete_cron(cron.cron_id)


async def test_another_sites_form_changes_nothing(place: Served):
    assistant = await place.made()
    evil = {"Origin": "https://evil.example"}
    async with place.person() as pia:
        for method, path in SERVED:
            if method == "POST":
                told = await pia.post(
                    path.replace("{name}", assistant.known_as), headers=evil, data={"reason": "x"}
                )
                assert told.status_code == 403, path
    assert (await place.now(assistant)).version == 1


async def test_a_server_that_is_away_is_told_and_the_inbox_works(desk: Desk):
    secret = await desk.person("ana", "admin")
    async with httpx.AsyncClient(
        base_url=desk.url, cookies={COOKIE: secret}, trust_env=False, timeout=30
    ) as ana:
        for path in ("/assistants", "/assistants/support", "/crons", "/assistants/support/try"):
            told = await ana.get(path)
            assert told.status_code == 503 and "does not answer" in words(told.text), path
        for path in ("/assistants", "/assistants/support", "/crons"):
            told = await ana.get(f"{API}{path}")
            assert (told.status_code, told.json().get("code")) == (503, "server_away"), (path, told.text)
        assert (await ana.get("/")).status_code == 200
