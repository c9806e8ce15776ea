"""The local operator: whoever can read the console's own key in the data directory, on this machine.

The key is new at each start, stands in `console.json` (its owner's alone) and is handed to the console process and to
nobody else: not to the Agent Server, where an agent's own code could find it and answer its own questions.
"""

import hashlib
import hmac

from starlette.requests import HTTPConnection

from stationmaster.loopback import hostname, is_loopback, is_relayed
from stationmaster.reviews.access.errors import NotSignedIn
from stationmaster.reviews.access.identity import EVERY_GROUP, LOCAL, Identity
from stationmaster.settings import Settings

# No user's name may hold a space.
NAME = "local operator"
OPERATOR = Identity(NAME, frozenset({EVERY_GROUP}), frozenset({"admin"}), credential=LOCAL)


def operator(settings: Settings, request: HTTPConnection, sent: str) -> Identity | None:
    """The local operator if `sent` is the console's key; NotSignedIn if it comes from elsewhere; else None."""
    key = settings.local_key
    if key is None or not hmac.compare_digest(_digest(sent), _digest(key.get_secret_value())):
        return None
    client, host = request.client, request.headers.get("host", "")
    if client is None or not is_loopback(client.host) or is_relayed(request.headers.keys()):
        raise NotSignedIn("the local key opens the console from its own machine only: use a token of a user")
    if "origin" in request.headers or not is_loopback(hostname(host)):
        raise NotSignedIn("the local key is for commands and not for web pages: sign in instead")
    return OPERATOR


def _digest(value: str) -> bytes:
    return hashlib.sha256(value.encode()).digest()
