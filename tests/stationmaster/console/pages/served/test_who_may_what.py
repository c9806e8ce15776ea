"""Who gets which page about assistants and crons, by the table of all routes; and pages without a server."""

import httpx
import pytest

from tests.stationmaster.console.api.test_who_may import AN_EDITOR, SERVED
from tests.stationmaster.console.pages.conftest import COOKIE, Desk
from tests.stationmaster.console.pages.served.conftest import Served, words
from tests.stationmaster.console.pages.served.test_crons import scheduled


@pytest.mark.parametrize("role", ["reader", "reviewer", "lead", "editor", "admin"])
async def test_the_table_holds(place: Served, role: str):
    """A reviewer and a lead look and change nothing; an editor and an admin may."""
    cron = await scheduled(place)
    assistant = await place.made()
    async with place.person(role) as viewer:
        for (method, path), who in SERVED.items():
            name = cron.name if path.startswith("/crons") else assistant.known_as
            told = await viewer.request(
                method, path.replace("{name}", name), data={} if method == "POST" else None
            )
            may = who != AN_EDITOR or role in ("editor", "admin")
            assert (told.status_code != 403) == may, (method, path, told.status_code)
            if method == "GET" and who != AN_EDITOR:
                assert told.status_code in (200, 303), (path, told.status_code)
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
        assert (await ana.get("/")).status_code == 200
