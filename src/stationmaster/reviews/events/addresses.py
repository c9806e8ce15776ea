"""Connect only to addresses that events may go to: checked after the name was resolved, and then used as checked.

A name that is public when it is looked up first, and one of ours when it is connected to, gets nowhere.
"""

import asyncio
import socket
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import cast

import httpcore

from stationmaster.receivers import is_loopback

Address = IPv4Address | IPv6Address


class AddressRefused(Exception):
    """A host none of whose addresses may be connected to."""


def allowed(address: Address, *, loopback: bool, private: bool) -> bool:
    """Whether events may go there. Loopback only for a URL that names it; private networks only by a setting."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return allowed(address.ipv4_mapped, loopback=loopback, private=private)
        if address.sixtofour or address.teredo:  # they carry another address inside
            return False
    if address.is_loopback or loopback:
        return address.is_loopback and loopback
    # Link-local is where clouds keep their metadata service.
    if address.is_link_local or address.is_multicast or address.is_unspecified:
        return False
    return address.is_global or (private and address.is_private and not address.is_reserved)


class CheckedNetwork(httpcore.AsyncNetworkBackend):
    """httpcore's network with the check in it; TLS still asks for the certificate of the URL's host."""

    def __init__(self, *, private: bool) -> None:
        self._private = private
        self._inner = cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, local_address: str | None = None,  # noqa: ASYNC109
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:  # fmt: skip
        """The first allowed address that answers. AddressRefused, or httpcore's errors."""
        found = [
            address for address in await _resolve(host, port)
            if allowed(address, loopback=is_loopback(host), private=self._private)
        ]  # fmt: skip
        if not found:
            raise AddressRefused
        for address in found[:-1]:
            try:
                return await self._inner.connect_tcp(
                    str(address), port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._inner.connect_tcp(str(found[-1]), port, timeout, local_address, socket_options)

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None,  # noqa: ASYNC109
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:  # fmt: skip
        raise AddressRefused

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


async def _resolve(host: str, port: int) -> list[Address]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise httpcore.ConnectError("the name does not resolve") from None
    return list(dict.fromkeys(ip_address(str(sockaddr[0]).partition("%")[0]) for *_, sockaddr in found))
