"""Who may speak to the server: one pure decision over a request, shared by middleware and auth handler."""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from stationmaster.loopback import hostname, is_loopback, is_relayed

LOCAL_IDENTITY = "local"


class NotAdmitted(Exception):
    """The request is refused (401); the message says why and what to do."""


@dataclass(frozen=True)
class Policy:
    """What is accepted: `keys` as (caller's name, key); `open_on_loopback` where no key is configured; `tenants` by
    caller's name, for those who have one.

    `up` always adds its own local key: it is a credential, yet nobody configured it, so loopback stays open.
    """

    keys: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    open_on_loopback: bool = True
    origins: frozenset[str] = frozenset()
    tenants: Mapping[str, str] = field(default_factory=dict)


def admit(scope: Mapping[str, Any], policy: Policy) -> str:
    """The caller's name, or NotAdmitted. A key that is sent must be right, wherever it comes from."""
    headers = _headers(scope)
    sent = _credentials(headers)
    if policy.open_on_loopback and "langsmith" in headers.get("x-auth-scheme", []):
        sent = []  # Studio labels its own LangSmith token so: it was never meant for this server
    if sent:
        return _caller(sent, policy.keys)
    if not policy.open_on_loopback:
        raise NotAdmitted("a key is needed: send it as `x-api-key` or `Authorization: Bearer`")
    _require_local(scope, headers, policy.origins)
    return LOCAL_IDENTITY


def _headers(scope: Mapping[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1").strip())
    return found


def _credentials(headers: Mapping[str, list[str]]) -> list[str]:
    """Every credential sent. Another scheme than Bearer counts too: as a wrong key, never as none."""
    sent = [value for value in headers.get("x-api-key", []) if value]
    for value in headers.get("authorization", []):
        scheme, _, token = value.partition(" ")
        sent.append(token.strip() if scheme.lower() == "bearer" else value)
    return [value for value in sent if value]


def _caller(sent: Iterable[str], keys: Iterable[tuple[str, str]]) -> str:
    """The name whose key was sent; every pair is compared, so that timing tells nothing."""
    name = None
    for value in sent:
        for candidate, key in keys:
            if hmac.compare_digest(_digest(value), _digest(key)):
                name = candidate
    if name is None:
        raise NotAdmitted(
            "the key that was sent is not one of this server's; note that langgraph-sdk sends "
            "LANGSMITH_API_KEY unless it is given api_key=None"
        )
    return name


def _digest(value: str) -> bytes:
    return hashlib.sha256(value.encode()).digest()


def _require_local(
    scope: Mapping[str, Any], headers: Mapping[str, list[str]], origins: frozenset[str]
) -> None:
    """Without any key only this machine is served, and no web page that its browser happens to show."""
    client = scope.get("client")
    if client is None or not is_loopback(client[0]):
        raise NotAdmitted("no key is configured, so only this machine is served: set STATIONMASTER_API_KEYS")
    if is_relayed(headers):
        raise NotAdmitted("the request was relayed and no key is configured: set STATIONMASTER_API_KEYS")
    host = headers.get("host", [""])[0]
    # A page on a foreign name that resolves to this machine (DNS rebinding) shows itself by the name.
    if not is_loopback(hostname(host)):
        raise NotAdmitted("no key is configured and the Host is not this machine: use http://127.0.0.1")
    for origin in headers.get("origin", []):
        if origin not in origins and urlsplit(origin).netloc.lower() != host.lower():
            raise NotAdmitted(
                f"no key is configured and the page's origin {origin} is not allowed: "
                "name it in STATIONMASTER_CORS_ORIGINS, or set STATIONMASTER_STUDIO=true for Studio"
            )
