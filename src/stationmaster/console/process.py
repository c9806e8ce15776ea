"""The console as a child process of `up`, and what must hold before any console listens beyond this machine."""

import os
from dataclasses import dataclass, field

from stationmaster.errors import StationmasterError
from stationmaster.loopback import is_loopback
from stationmaster.processes.child import Kind
from stationmaster.reviews.access import users
from stationmaster.reviews.database import Pool
from stationmaster.settings import Settings

CONSOLE = Kind(
    name="console",
    module="stationmaster.console.launch",
    health="/healthz",
    stop_grace_s=20,  # open requests, then the workers: an answer that is on its way is brought to its end
)
LOG_NAME = "console.log"
WEBHOOK_PATH = "/webhooks/langgraph"


class UnsafeConsole(StationmasterError):
    """The console would listen beyond this machine and could not tell friend from foe."""


@dataclass(frozen=True)
class Credentials:
    """What a console process gets: the Agent Server's URL and the key to send there, its own key for commands here,
    and the secret of the webhooks that come to it."""

    api_url: str
    api_key: str | None = field(repr=False)
    local_key: str = field(repr=False)
    webhook_secret: str | None = field(repr=False)


def environment(settings: Settings, host: str, credentials: Credentials) -> dict[str, str]:
    """The console process's environment: ours, over it what was settled here. It runs in the project's directory, so
    that it reads the same `.env`."""
    settled = {
        "STATIONMASTER_DATA_DIR": str(settings.data_dir),
        "STATIONMASTER_HOST": host,
        "STATIONMASTER_CONSOLE_PORT": str(settings.console_port),
        "STATIONMASTER_LOG_LEVEL": settings.log_level,
        "STATIONMASTER_API_URL": credentials.api_url,
        "STATIONMASTER_API_KEY": credentials.api_key,
        "STATIONMASTER_LOCAL_KEY": credentials.local_key,
        "LG_WEBHOOK_SECRET": credentials.webhook_secret,
        "STATIONMASTER_DATABASE_URI": settings.database_uri,
    }
    return {**os.environ, **{name: value for name, value in settled.items() if value}}


async def require_defences(host: str, settings: Settings, pool: Pool) -> None:
    """UnsafeConsole, with the reason, for an address beyond this machine while nobody could sign in or webhooks could
    not be told from forgeries."""
    if is_loopback(host):
        return
    if settings.oidc_issuer is None and await users.nobody_yet(pool):
        raise UnsafeConsole(
            f"the console would listen on {host} while it has no user who could sign in: add one with "
            "`stationmaster users add NAME`, set STATIONMASTER_OIDC_ISSUER, or listen on 127.0.0.1"
        )
    if settings.webhook_secret is None and not settings.webhook_secrets:
        raise UnsafeConsole(
            f"the console would listen on {host} and could not tell the Agent Server's webhooks from forged ones: "
            "set LG_WEBHOOK_SECRET, here and for the server, or listen on 127.0.0.1"
        )
