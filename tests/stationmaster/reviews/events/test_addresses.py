"""Where events may go: a URL must not become a way into the network that the console stands in."""

import asyncio
import socket
from ipaddress import ip_address
from typing import Any

import pytest

from stationmaster.reviews import events
from stationmaster.reviews.database import Pool
from stationmaster.reviews.events.addresses import allowed
from stationmaster.settings import SettingsError, load_settings
from tests.stationmaster.reviews.events.conftest import SECRET, in_trouble, settings_of
from tests.stationmaster.reviews.events.receiver import Receiver
from tests.stationmaster.reviews.events.test_delivery import emitted

PRIVATE = ["10.0.0.1", "172.16.0.1", "192.168.1.1", "fd00::1"]
NEVER = [
    "169.254.169.254", "fe80::1", "224.0.0.1", "0.0.0.0", "::", "255.255.255.255", "240.0.0.1",
    "::ffff:169.254.169.254", "2002:7f00:1::", "ff02::1",
]  # fmt: skip
PUBLIC = ["1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1"]
LOOPBACK = ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"]


@pytest.mark.parametrize(
    ("addresses", "plain", "with_private", "named_loopback"),
    [(PUBLIC, True, True, False), (PRIVATE, False, True, False), (NEVER, False, False, False),
     (LOOPBACK, False, False, True), (["100.64.0.1"], False, False, False)],
)  # fmt: skip
def test_which_addresses(addresses: list[str], plain: bool, with_private: bool, named_loopback: bool) -> None:
    for text in addresses:
        address = ip_address(text)
        assert allowed(address, loopback=False, private=False) is plain, text
        assert allowed(address, loopback=False, private=True) is with_private, text
        assert allowed(address, loopback=True, private=True) is named_loopback, text


@pytest.mark.parametrize("private", [False, True])
async def test_a_public_name_that_leads_to_this_machine_is_refused(
    pool: Pool, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, private: bool
) -> None:
    async def resolve(*_: Any, **__: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", receiver.port))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
    await emitted(pool)
    url = f"https://hooks.example:{receiver.port}/hook#{SECRET}"
    settings = settings_of(event_urls=url, event_private=private)
    assert await events.deliver_due(pool, settings) == 1
    assert "its address is private" in (await in_trouble(pool))[0].last_error and not receiver.requests


async def test_a_name_that_does_not_resolve(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(*_: Any, **__: Any) -> list[Any]:
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
    await emitted(pool)
    settings = settings_of(event_urls=f"https://nowhere.example#{SECRET}")
    assert await events.deliver_due(pool, settings) == 1
    assert "no connection" in (await in_trouble(pool))[0].last_error


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("https://host/x", "must have its secret after each URL"),
        ("https://host/x#whsec_c2hvcnQ=", "base64 of 24 bytes or more"),
        ("https://host/x#secret-sesame", "must have its secret"),
        (f"ftp://host/x#{SECRET}", "must be http or https URLs"),
        (f"https://me:sesame@host/x#{SECRET}", "without user and password"),
        (f"http://host/x#{SECRET}", "write https, or set STATIONMASTER_EVENT_PRIVATE=true"),
    ],
)
def test_settings_that_are_refused_and_never_repeated(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, value: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STATIONMASTER_EVENT_URLS", value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert said in str(caught.value)
    assert "sesame" not in str(caught.value) and SECRET not in str(caught.value)


def test_http_within_a_network_of_ones_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(
        "STATIONMASTER_EVENT_URLS", f"http://hooks:80/x#{SECRET} http://[::1]/y#{SECRET},{SECRET}"
    )
    monkeypatch.setenv("STATIONMASTER_EVENT_PRIVATE", "true")
    first, second = load_settings().event_urls
    assert (first.url, second.shown, len(second.secrets)) == ("http://hooks:80/x", "http://[::1]/y", 2)
