"""Which server a command speaks to, and with which key: the one of this data directory, or one named."""

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from stationmaster.console import record as console_record
from stationmaster.errors import StationmasterError
from stationmaster.loopback import is_loopback
from stationmaster.reconcile.errors import ServerUnavailable
from stationmaster.server.record import is_claimed, read_record
from stationmaster.settings import Settings

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient

    from stationmaster.console.client import ConsoleTarget


@dataclass(frozen=True)
class Target:
    """A server's base URL and the key to send, if any."""

    url: str
    api_key: str | None = field(default=None, repr=False)


class NoServer(StationmasterError):
    """Nothing runs where the command looked."""


def find_target(settings: Settings, api_url: str | None = None, data_dir: Path | None = None) -> Target:
    """`--api-url`, else `--data-dir`, else STATIONMASTER_API_URL, else the default data directory.

    What a command line says comes before what the environment says. A named server gets STATIONMASTER_API_KEY,
    the server of a data directory its local key. NoServer says how to start one.
    """
    key = settings.api_key.get_secret_value() if settings.api_key else None
    if api_url:
        return Target(_checked(api_url), key)
    if data_dir is None and settings.api_url:
        return Target(_checked(settings.api_url), key)
    directory = (data_dir or settings.data_dir).expanduser().absolute()
    record = read_record(directory)
    if record is None:
        if is_claimed(directory):
            raise NoServer(f"the server of {directory} is starting or stopping: try again in a few seconds")
        raise NoServer(
            f"no server runs for {directory}: start one with `stationmaster up{_option(data_dir)}`, "
            "or name one with --api-url"
        )
    if not is_claimed(directory):
        raise NoServer(
            f"the server of {directory} (pid {record.pid}, started {record.started_at}) is gone: "
            f"start it again with `stationmaster up{_option(data_dir)}`"
        )
    return Target(record.url, record.local_key)


def named_target(settings: Settings, name: str) -> Target:
    """One of STATIONMASTER_TARGETS, with its key of STATIONMASTER_TARGET_KEYS. NoServer lists those that there are."""
    known = dict(settings.targets)
    if name not in known:
        there = (
            f"write one of {', '.join(known)}, or add it"
            if known
            else "add it, like prod=https://agents.example.com"
        )
        raise NoServer(f"{name} is not among STATIONMASTER_TARGETS: {there}")
    keys = {entry.name: entry.key.get_secret_value() for entry in settings.target_keys}
    return Target(known[name], keys.get(name))


def find_console(
    settings: Settings, console_url: str | None = None, data_dir: Path | None = None
) -> "ConsoleTarget":
    """`--console-url`, else `--data-dir`, else STATIONMASTER_CONSOLE_URL, else the default data directory.

    A named console gets STATIONMASTER_CONSOLE_TOKEN, that of a data directory its own key. NoServer says how to start
    one.
    """
    from stationmaster.console.client import ConsoleTarget

    named = console_url or (settings.console_url if data_dir is None else None)
    if named:
        if settings.console_token is None:
            raise NoServer(
                f"{named} wants a token: set STATIONMASTER_CONSOLE_TOKEN to one of `stationmaster users token create`"
            )
        return ConsoleTarget(_checked(named), settings.console_token.get_secret_value())
    directory = (data_dir or settings.data_dir).expanduser().absolute()
    record = console_record.read_record(directory)
    if record is None or not console_record.is_claimed(directory):
        raise NoServer(
            f"no console runs for {directory}: start it with `stationmaster up{_option(data_dir)}`, "
            "or name one with --console-url"
        )
    return ConsoleTarget(record.url, record.key)


def client(target: Target) -> "LangGraphClient":
    """An SDK client for it. No key is passed as None: left out, the SDK would send LANGSMITH_API_KEY."""
    from langgraph_sdk import get_client  # a second of imports, which a refusal need not wait for

    return get_client(url=target.url, api_key=target.api_key)


async def listens(url: str) -> None:
    """ServerUnavailable at once where nothing listens on this machine: the SDK would try for eight seconds."""
    parts = urlsplit(url)
    if not is_loopback(parts.hostname):
        return
    try:
        _, writer = await asyncio.open_connection(parts.hostname, parts.port or 80)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else type(error).__name__
        raise ServerUnavailable(
            f"{url} does not answer ({why}): see that it runs, then do it again"
        ) from None
    writer.close()


def _checked(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise StationmasterError(f"{url} is no server's URL: write it as http://host:port")
    return url.rstrip("/")


def _option(data_dir: Path | None) -> str:
    return f" --data-dir {os.fspath(data_dir)}" if data_dir else ""
