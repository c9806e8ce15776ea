"""Signing in with a browser: cookies, one-time links, other sites' pages, guesses."""

import logging
import re
from pathlib import Path

import httpx
import pytest

from stationmaster.reviews.access import links, throttle, users
from stationmaster.reviews.database import Pool
from tests.stationmaster.console.serving import anybody, open_review, served, settings_for, somebody

PASSWORD = "correct horse battery"
COOKIE = "stationmaster_session"


async def sign_in(
    http: httpx.AsyncClient, name: str = "ann", password: str = PASSWORD, **data: str
) -> httpx.Response:
    origin = f"{http.base_url.scheme}://{http.base_url.netloc.decode()}"
    return await http.post(
        "/sign-in", data={"name": name, "password": password, **data}, headers={"Origin": origin}
    )


async def test_a_session_cookie_is_kept_from_scripts_other_sites_and_long_life(
    pool: Pool, console: str
) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    async with anybody(console) as http:
        response = await sign_in(http, next="/reviews/1?a=b")
    assert (response.status_code, response.headers["location"]) == (303, "/reviews/1?a=b")
    cookie = response.headers["set-cookie"]
    assert re.match(rf"{COOKIE}=sms_[\w-]{{43}};", cookie)
    for attribute in ("HttpOnly", "SameSite=lax", "Path=/", "Max-Age=43200"):
        assert attribute in cookie
    assert "Domain" not in cookie and "Secure" not in cookie


async def test_over_https_the_cookie_is_bound_to_this_host(database: str, pool: Pool, tmp_path: Path) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    settings = settings_for(database, tmp_path, public_url="https://console.example")
    async with served(settings) as url, anybody(url) as http:
        response = await http.post(
            "/sign-in",
            data={"name": "ann", "password": PASSWORD},
            headers={"Origin": "https://console.example"},
        )
    cookie = response.headers["set-cookie"]
    assert cookie.startswith(f"__Host-{COOKIE}=") and "Secure" in cookie and "Domain" not in cookie
    assert response.headers["strict-transport-security"]


async def test_each_sign_in_makes_a_new_session_and_ends_the_one_before(pool: Pool, console: str) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    async with anybody(console) as http:
        http.cookies.set(COOKIE, "sms_planted-by-somebody-else", domain="127.0.0.1", path="/")
        await sign_in(http)
        first = http.cookies[COOKIE]
        assert "planted" not in first
        assert (await http.get("/api/v1/me")).json()["name"] == "ann"
        await sign_in(http)
        assert http.cookies[COOKIE] != first
    async with anybody(console, cookies={COOKIE: first}) as http:
        assert (await http.get("/api/v1/me")).status_code == 401


async def test_signing_out_here_and_everywhere(pool: Pool, console: str) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    async with anybody(console) as one, anybody(console) as two, anybody(console) as three:
        for http in (one, two, three):
            await sign_in(http)
        kept = one.cookies[COOKIE]
        assert (await one.post("/sign-out", headers={"Origin": console})).status_code == 303
        assert COOKIE not in one.cookies
        one.cookies.set(COOKIE, kept, domain="127.0.0.1", path="/")
        assert (await one.get("/api/v1/me")).status_code == 401
        assert (await two.get("/api/v1/me")).status_code == 200
        await two.post("/sign-out", data={"everywhere": "1"}, headers={"Origin": console})
        assert (await three.get("/api/v1/me")).status_code == 401


@pytest.mark.parametrize(
    "onward",
    ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", "/a\r\nX: y"],
)
async def test_after_the_sign_in_nobody_is_sent_elsewhere(pool: Pool, console: str, onward: str) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    async with anybody(console) as http:
        assert (await sign_in(http, next=onward)).headers["location"] == "/"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Referer": "https://evil.example/"},
        {"X-CSRF-Token": "0" * 64},
        {},
    ],
)
async def test_other_sites_pages_can_do_nothing_with_our_cookie(
    pool: Pool, console: str, headers: dict[str, str]
) -> None:
    await users.add(pool, "ann", groups=["money"], password=PASSWORD)
    review = await open_review(pool)
    async with anybody(console) as http:
        await sign_in(http)
        for path in (f"/api/v1/reviews/{review}/claim", f"/api/v1/reviews/{review}/decide", "/sign-out"):
            response = await http.post(path, headers=headers, json={"decision": "answer", "answer": 1})
            assert response.status_code == 403, path
        found = (await http.get(f"/api/v1/reviews/{review}")).json()
    assert (found["state"], found["claimed_by"]) == ("open", None)


async def test_our_own_pages_can(pool: Pool, console: str) -> None:
    await users.add(pool, "ann", groups=["money"], password=PASSWORD)
    review = await open_review(pool)
    async with anybody(console) as http:
        await sign_in(http)
        for headers in (
            {"Origin": console},
            {"Sec-Fetch-Site": "same-origin"},
            {"Referer": f"{console}/reviews/x"},
        ):
            for verb in ("claim", "release"):
                response = await http.post(f"/api/v1/reviews/{review}/{verb}", headers=headers)
                assert response.status_code == 200, response.text


async def test_a_foreign_page_cannot_sign_somebody_in_as_its_owner(pool: Pool, console: str) -> None:
    await users.add(pool, "eve", password=PASSWORD)
    async with anybody(console) as http:
        form = {"name": "eve", "password": PASSWORD}
        response = await http.post("/sign-in", data=form, headers={"Origin": "https://evil.example"})
    assert response.status_code == 403 and "set-cookie" not in response.headers


async def test_a_wrong_token_beside_a_good_cookie_is_refused(pool: Pool, console: str) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    async with anybody(console) as http:
        await sign_in(http)
        for sent in ("Bearer smt_wrong", "Bearer", "Basic YW5uOng=", "smt_wrong"):
            response = await http.get("/api/v1/me", headers={"Authorization": sent})
            assert response.status_code == 401
            assert response.headers["www-authenticate"] == "Bearer"


async def test_guessing_is_told_to_wait(pool: Pool, console: str) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    async with anybody(console) as http:
        for _ in range(throttle.LIMIT["here"]):
            assert (await sign_in(http, password="not the password")).status_code == 401
        response = await sign_in(http)
    assert response.status_code == 429
    assert 0 < int(response.headers["retry-after"]) <= throttle.WINDOW_S
    assert response.headers["retry-after"] in response.text and "set-cookie" not in response.headers


async def test_a_link_does_nothing_until_its_button_is_pressed_and_works_once(
    pool: Pool, console: str
) -> None:
    await users.add(pool, "ann")
    made, _ = await links.create(pool, "ann")
    path = links.url(console, made)
    async with anybody(console) as scanner:
        for _ in range(3):
            shown = await scanner.get(path)
            assert shown.status_code == 200 and 'method="post"' in shown.text
            assert "set-cookie" not in shown.headers and shown.headers["cache-control"] == "no-store"
        await scanner.head(path)
    async with anybody(console) as http:
        evil = await http.post(path, headers={"Origin": "https://evil.example"})
        assert evil.status_code == 403
        pressed = await http.post(path, headers={"Origin": console})
        assert pressed.status_code == 303
        assert (await http.get("/api/v1/me")).json()["name"] == "ann"
    async with anybody(console) as late:
        for response in (await late.get(path), await late.post(path, headers={"Origin": console})):
            assert response.status_code == 410 and "set-cookie" not in response.headers


async def test_no_credential_reaches_a_log(
    pool: Pool, console: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)  # the client's own
    await users.add(pool, "ann", password=PASSWORD)
    async with await somebody(pool, console, "bot") as http, anybody(console) as browser:
        await http.get("/api/v1/me")
        await sign_in(browser, password="wrong but long enough")
        await sign_in(browser)
        await http.get("/api/v1/me", headers={"Authorization": "Bearer smt_nobody-has-this"})
        secrets = [
            http.headers["authorization"].split()[1],
            browser.cookies[COOKIE],
            PASSWORD,
            "smt_nobody",
            "wrong but",
        ]
    assert not [secret for secret in secrets if secret in caplog.text]


async def test_what_every_response_carries(pool: Pool, console: str) -> None:
    async with await somebody(pool, console, "bot") as http:
        for path in (
            "/healthz",
            "/sign-in",
            "/api/v1/me",
            "/api/v1/nothing",
            "/nothing",
            "/api/v1/openapi.json",
        ):
            headers = (await http.get(path)).headers
            policy = headers["content-security-policy"]
            assert "frame-ancestors 'none'" in policy and "unsafe-inline" not in policy
            assert "script-src 'self'" in policy and "default-src 'none'" in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"


async def test_a_body_that_is_too_large(pool: Pool, console: str) -> None:
    async def chunks():
        for _ in range(6):
            yield b"x" * 1024 * 1024

    review = await open_review(pool)
    async with await somebody(pool, console, "bot") as http:
        for content in (b"x" * 6 * 1024 * 1024, chunks()):
            response = await http.post(f"/api/v1/reviews/{review}/decide", content=content)
            assert response.status_code == 413
            assert response.json()["code"] == "too_large"
