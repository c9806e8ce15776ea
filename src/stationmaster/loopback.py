"""Which addresses are this machine, and which headers say that a request was relayed to it."""

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

# Any of these says that somebody relayed the request, so that the peer address proves nothing.
RELAY_HEADERS = frozenset({"forwarded", "x-real-ip", "via", "true-client-ip", "cf-connecting-ip"})


def is_loopback(host: str | None) -> bool:
    """Whether a host, an address or `localhost`, is this machine. Other names are not resolved."""
    if host is None:
        return False
    if host.lower() == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def is_relayed(names: Iterable[str]) -> bool:
    """Whether these header names, in lower case, hold one that a proxy adds."""
    return any(name in RELAY_HEADERS or name.startswith("x-forwarded-") for name in names)


def hostname(authority: str) -> str | None:
    """The host of a Host header, without port and brackets; None for what can't be read."""
    try:
        return urlsplit(f"//{authority}").hostname
    except ValueError:
        return None
