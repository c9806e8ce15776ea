"""Sign-in through a real provider on this machine: groups and roles taken over, and every lie refused."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import uvicorn
from pydantic import SecretStr

from stationmaster.console.app import create_app
from stationmaster.errors import StationmasterError
from stationmaster.reviews.access import users
from stationmaster.reviews.database import Pool
from tests.fakes.oidc_provider import CLIENT_ID, CLIENT_SECRET, Lie, Provider, new_key
from tests.stationmaster.console.serving import anybody, listening, served, settings_for

COOKIE = "stationmaster_session"


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    made = Provider()
    with listening() as sock:
        made.url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(made.app(), log_config=None, lifespan="off"))
        serving = asyncio.create_task(server.serve(sockets=[sock]))
        yield made
        server.should_exit = True
        await serving


@pytest.fixture
async def console(database: str, tmp_path: Path, provider: Provider) -> AsyncIterator[str]:
    settings = settings_for(
        database, tmp_path, oidc_issuer=provider.url, oidc_client_id=CLIENT_ID,
        oidc_client_secret=SecretStr(CLIENT_SECRET), oidc_roles=(("leads", "lead"), ("ops: all", "admin")),
    )  # fmt: skip
    async with served(settings) as url:
        provider.redirect_uri = f"{url}/sign-in/oidc/callback"
        yield url


async def go(http: httpx.AsyncClient, onward: str = "/") -> httpx.Response:
    """Through the provider and back; what the console says to the code."""
    away = await http.get("/sign-in/oidc", params={"next": onward})
    assert away.status_code == 303, away.text
    async with httpx.AsyncClient(trust_env=False) as browser:
        back = await browser.get(away.headers["location"])
    assert back.status_code == 302, back.text
    return await http.get(back.headers["location"])


async def me(http: httpx.AsyncClient) -> dict[str, Any]:
    return (await http.get("/api/v1/me")).json()


async def test_who_the_provider_vouches_for_gets_its_groups_and_roles(
    provider: Provider, console: str, pool: Pool
) -> None:
    provider.person = {
        "sub": "77",
        "preferred_username": "Ann",
        "groups": ["money", "leads", "*", "", 5, "a,b"],
    }
    async with anybody(console) as http:
        assert "/sign-in/oidc" in (await http.get("/sign-in")).text
        back = await go(http, "/reviews/1")
        assert (back.status_code, back.headers["location"]) == (303, "/reviews/1")
        assert "HttpOnly" in back.headers["set-cookie"] and "SameSite=lax" in back.headers["set-cookie"]
        assert await me(http) == {
            "name": "ann", "roles": ["lead"], "groups": ["leads", "money"], "every_group": False,
        }  # fmt: skip
    found = (await users.everybody(pool))[0]
    assert (found.name, found.from_provider, found.has_password) == ("ann", True, False)


async def test_groups_follow_the_provider_and_the_subject_is_who_it_is(
    provider: Provider, console: str, pool: Pool
) -> None:
    provider.person = {"sub": "77", "preferred_username": "ann", "groups": ["ops: all"]}
    async with anybody(console) as http:
        await go(http)
        assert (await me(http))["roles"] == ["admin"]
        provider.person = {"sub": "77", "preferred_username": "ann.lee", "groups": ["money"]}
        async with anybody(console) as elsewhere:
            await go(elsewhere)
            assert await me(elsewhere) == await me(http)
        assert await me(http) == {
            "name": "ann",
            "roles": ["reviewer"],
            "groups": ["money"],
            "every_group": False,
        }
    assert [user.name for user in await users.everybody(pool)] == ["ann"]


async def test_groups_that_only_userinfo_tells(provider: Provider, console: str) -> None:
    provider.groups_in_userinfo = True
    provider.person = {"sub": "77", "email": "ann@shop.example", "groups": "money"}
    async with anybody(console) as http:
        await go(http)
        assert await me(http) == {
            "name": "ann@shop.example", "roles": ["reviewer"], "groups": ["money"], "every_group": False,
        }  # fmt: skip


async def test_a_name_that_is_taken_opens_nothing(provider: Provider, console: str, pool: Pool) -> None:
    await users.add(pool, "ann", roles=["admin"], password="correct horse battery")
    async with anybody(console) as http:
        back = await go(http)
        assert back.status_code == 502 and COOKIE not in http.cookies
        assert "nother user here is called ann" in back.text
        provider.person = {"sub": "1", "preferred_username": "ben"}
        await go(http)
        provider.person = {"sub": "2", "preferred_username": "ben"}
        assert (await go(http)).status_code == 502


LIES: dict[str, Lie] = {
    "another client's": lambda claims: {**claims, "aud": "somebody-else"},
    "for two, made for the other": lambda claims: {**claims, "aud": [CLIENT_ID, "b"], "azp": "b"},
    "another issuer's": lambda claims: {**claims, "iss": "https://evil.example"},
    "over": lambda claims: {**claims, "exp": int(time.time()) - 120},
    "endless": lambda claims: {name: value for name, value in claims.items() if name != "exp"},
    "of another sign-in": lambda claims: {**claims, "nonce": "another"},
    "without nonce": lambda claims: {name: value for name, value in claims.items() if name != "nonce"},
    "of nobody": lambda claims: {name: value for name, value in claims.items() if name != "sub"},
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
async def test_an_id_token_that_does_not_hold(provider: Provider, console: str, pool: Pool, lie: Lie) -> None:
    provider.lie = lie
    async with anybody(console) as http:
        back = await go(http)
        assert back.status_code == 502 and COOKIE not in http.cookies
    assert await users.nobody_yet(pool)


async def test_a_token_signed_by_another_key_or_with_the_public_one(
    provider: Provider, console: str, pool: Pool
) -> None:
    good = provider.key
    async with anybody(console) as http:
        provider.published = [good]
        provider.key = new_key("k1")
        assert (await go(http)).status_code == 502
        provider.key, provider.algorithm = good, "HS256"
        assert (await go(http)).status_code == 502
    assert await users.nobody_yet(pool)


async def test_new_keys_of_the_provider_are_fetched_when_they_are_used(
    provider: Provider, console: str
) -> None:
    async with anybody(console) as http:
        for _ in range(2):
            assert (await go(http)).status_code == 303
        assert (provider.asked.count("describe"), provider.asked.count("keys")) == (1, 1)
        provider.key = new_key("k2")
        assert (await go(http)).status_code == 303
        assert provider.asked.count("keys") == 2


async def test_a_code_is_taken_only_by_the_browser_that_began(provider: Provider, console: str) -> None:
    async with (
        anybody(console) as eve,
        anybody(console) as ann,
        httpx.AsyncClient(trust_env=False) as browser,
    ):
        began = await eve.get("/sign-in/oidc")
        cookie = began.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Path=/sign-in/oidc/callback" in cookie
        back = (await browser.get(began.headers["location"])).headers["location"]
        # Sent to somebody else, it would sign her in as eve.
        assert (await ann.get(back)).status_code == 502
        state = parse_qs(urlsplit(back).query)["state"][0]
        for query in (
            {},
            {"code": "x"},
            {"state": state},
            {"code": "x", "state": "other"},
            {"error": "access_denied"},
        ):
            response = await eve.get("/sign-in/oidc/callback", params=query)
            assert response.status_code == 502 and COOKIE not in eve.cookies
        assert (await eve.get(back)).status_code == 303
        assert (await eve.get(back)).status_code == 502


async def test_a_provider_that_is_away_or_another_than_it_should_be(provider: Provider, console: str) -> None:
    async with anybody(console) as http:
        provider.issuer_said = "https://evil.example"
        told = await http.get("/sign-in/oidc")
        assert told.status_code == 502 and "STATIONMASTER_OIDC_ISSUER" in told.text
    with pytest.raises(StationmasterError, match="CLIENT_SECRET is not set"):
        create_app(
            settings_for("postgresql://nowhere", Path(), oidc_issuer="https://x.example", oidc_client_id="x")
        )


async def test_without_a_provider_there_is_none(database: str, tmp_path: Path) -> None:
    async with served(settings_for(database, tmp_path)) as url, anybody(url) as http:
        assert (await http.get("/sign-in/oidc")).status_code == 404
        assert (await http.get("/sign-in/oidc/callback?code=x&state=y")).status_code == 404
        assert "oidc" not in (await http.get("/sign-in")).text
