"""The stock server's webhooks, made fit for the console: the bearer header, and leave to call its host."""

import sys
from collections.abc import MutableMapping
from typing import Any, cast
from urllib.parse import urlsplit

from stationmaster.errors import StationmasterError
from stationmaster.settings import Settings


class NoWebhooks(StationmasterError):
    """The project does not say where webhooks may go."""


def configure_webhooks(settings: Settings) -> None:
    """Adapt the running server's webhook configuration; nothing without STATIONMASTER_WEBHOOK_URL.

    Done here and not in langgraph.json: a `${{ env.X }}` there stops the server where X is unset, `langgraph dev`
    in a fresh checkout included. It must run while the server is being imported: the first hook freezes it.
    """
    if settings.webhook_url is None:
        return
    from langgraph_api import config  # reads the server's environment, which only its process has

    secret = settings.webhook_secret.get_secret_value() if settings.webhook_secret else None
    try:
        adapt(cast("dict[str, Any] | None", config.WEBHOOKS_CONFIG), settings.webhook_url, secret)
    except NoWebhooks as error:  # one line, where any other exception would be a page of traceback
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(error.exit_code) from None


def adapt(webhooks: MutableMapping[str, Any] | None, url: str, secret: str | None) -> None:
    """Add header and host in place. What langgraph.json says already stands.

    The header goes with every webhook, also with one that a caller named itself: so the secret is good for hints to
    the console and for nothing else, and `allowed_domains` says who may see it.
    """
    if not webhooks:
        raise NoWebhooks(
            "langgraph.json has no `webhooks` section, so the server would refuse to call the console: "
            "add it as in the file that Stationmaster comes with, or unset STATIONMASTER_WEBHOOK_URL"
        )
    domains = webhooks.setdefault("url", {}).setdefault("allowed_domains", [])
    host = urlsplit(url).hostname or ""
    # An empty list allows all public hosts: one entry would forbid them. Loopback needs an entry in any case.
    if domains and host not in domains:
        domains.append(host)
    headers = webhooks.setdefault("headers", {})
    if secret and not any(name.lower() == "authorization" for name in headers):
        headers["authorization"] = f"Bearer {secret}"
