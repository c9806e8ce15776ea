"""A socket on exactly the port that was asked for, and how it is reached from this machine."""

import errno
import socket

from stationmaster.errors import StationmasterError


class CannotListen(StationmasterError):
    """The address or the port is not to be had."""


def listen(host: str, port: int, *, option: str = "--port") -> socket.socket:
    """A listening socket on exactly this port, or CannotListen, which names the option that chooses another.

    Bound here and inherited by who serves, so that nobody takes the port in between and whoever answers on it
    is ours; the stock server would move to another port in silence. Requests that come too early wait.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # By its name: of a socket that only says "stream" asyncio doesn't know that it may turn off Nagle's delay.
        sock = socket.socket(family, kind, protocol)
    except OSError as error:
        raise CannotListen(
            f"{host} is no address of this machine ({error.strerror}): correct --host"
        ) from None
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(2048)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            raise CannotListen(
                f"port {port} on {host} is in use: stop what listens there, or choose another with {option}"
            ) from None
        raise CannotListen(
            f"can't listen on {host} port {port} ({error.strerror}): correct --host or {option}"
        ) from None
    return sock


def local_url(host: str, port: int) -> str:
    """Where a server that listens on `host` is reached from this machine."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1", "localhost": "127.0.0.1"}.get(host, host)  # noqa: S104
    return f"http://{f'[{reachable}]' if ':' in reachable else reachable}:{port}"
