"""From settings to what the server process enforces: whose keys, which origins, and where it may listen."""

import os
import sys
from functools import cache
from urllib.parse import urlsplit

from stationmaster.errors import StationmasterError
from stationmaster.loopback import is_loopback
from stationmaster.server.admission import LOCAL_IDENTITY, Policy
from stationmaster.server.stock import OUR_AUTH, Project
from stationmaster.settings import Settings, load_settings

STUDIO_ORIGIN = "https://smith.langchain.com"


class UnsafeBind(StationmasterError):
    """The server would listen beyond this machine although nobody has set a key."""


@cache
def server_settings() -> Settings:
    """The settings of the server process, loaded once; a bad one or an unsafe address ends it with one line.

    The stock server says where it listens in LANGGRAPH_API_URL (a fact of this process, not a setting). This
    runs while its modules are imported, where any other exception would be a page of traceback.
    """
    try:
        settings = load_settings()
        if url := os.environ.get("LANGGRAPH_API_URL"):
            require_key_for(urlsplit(url).hostname or "", settings)
        allowed_origins(settings)
    except StationmasterError as error:
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(error.exit_code) from None
    return settings


def require_key_for(host: str, settings: Settings) -> None:
    """UnsafeBind for an address beyond this machine without a configured key.

    `up`'s local key does not count: it is new at each start and stays in a file here, so whoever calls from
    elsewhere cannot know it, and without a configured key loopback is open to everybody on this machine.
    """
    if not settings.api_keys and not is_loopback(host):
        raise UnsafeBind(
            f"listening on {host} without a configured key would let anybody in who reaches this address: "
            "set STATIONMASTER_API_KEYS=name:key, or listen on 127.0.0.1"
        )


def require_guarded(project: Project, settings: Settings) -> None:
    """UnsafeBind where the project would be served beyond this machine with nobody judging who calls.

    A project's own auth judges for itself; keys of ours would be asked of nobody there.
    """
    if project.auth == OUR_AUTH:
        require_key_for(settings.host, settings)
    elif project.auth is None and not is_loopback(settings.host):
        raise UnsafeBind(
            f"{project.path} has no auth, and listening on {settings.host} would let anybody in who reaches this "
            f'address: add "auth": {{"path": "{OUR_AUTH}"}} or one of the project\'s own, or listen on 127.0.0.1'
        )


def policy_from(settings: Settings) -> Policy:
    """The admission policy; the local key is accepted beside the configured ones, under its own name."""
    keys = [(entry.name, entry.key.get_secret_value()) for entry in settings.api_keys]
    if settings.local_key:
        keys.append((LOCAL_IDENTITY, settings.local_key.get_secret_value()))
    return Policy(
        keys=tuple(keys),
        open_on_loopback=not settings.api_keys,
        origins=allowed_origins(settings),
        tenants={entry.name: entry.tenant for entry in settings.api_keys if entry.tenant},
    )


def allowed_origins(settings: Settings) -> frozenset[str]:
    """The web origins whose pages may call the API. `*` would open a server without keys to every site."""
    if "*" in settings.cors_origins:
        raise StationmasterError(
            "STATIONMASTER_CORS_ORIGINS can't be `*`: name each origin, as https://app.example"
        )
    origins = {origin.rstrip("/") for origin in settings.cors_origins}
    return frozenset(origins | ({STUDIO_ORIGIN} if settings.studio else set()))
