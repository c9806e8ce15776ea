"""Who may send: a Standard Webhooks signature, a bearer, or, where no secret is set, this machine alone."""

import hashlib
import hmac
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from standardwebhooks import Webhook, WebhookVerificationError
from starlette.datastructures import Headers

from stationmaster.loopback import hostname, is_loopback, is_relayed
from stationmaster.settings import Settings

Known: TypeAlias = Literal["signature", "bearer", "loopback"]
# What the Standard Webhooks library allows too, on either side of now.
TOLERANCE_S = 300
SIGNED = ("webhook-id", "webhook-timestamp", "webhook-signature")
ID_LENGTH = 255


class Unknown(Exception):
    """The sender is not known, so that nothing of the delivery is kept. `reason` is counted; the message is sent."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Senders:
    """The secrets that are accepted, any of them: two while one replaces the other.

    A credential that is sent must be right, whatever else is sent. Every secret is compared, in constant time.
    """

    secrets: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, settings: Settings) -> "Senders":
        ours = (settings.webhook_secret,) if settings.webhook_secret else ()
        return cls(tuple(secret.get_secret_value() for secret in (*ours, *settings.webhook_secrets)))

    def before_body(self, headers: Headers, peer: str | None) -> Known:
        """How the sender says who it is. `signature` is still to be proven, the others are.

        Here and not after the body, so that nobody unknown has us read one.
        """
        if not self.secrets:
            _require_local(headers, peer)
            return "loopback"
        if "webhook-signature" in headers:
            _require_signed_now(headers)
            return "signature"
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise Unknown("no_credential", "send a Standard Webhooks signature, or `Authorization: Bearer`")
        if not _is_one_of(token.strip(), self.secrets):
            raise Unknown("wrong_secret", "the bearer is none of the receiver's secrets")
        return "bearer"

    def verify(self, headers: Headers, body: bytes) -> None:
        """Unknown unless one of the secrets made the signature over id, timestamp and body."""
        signed = {name: headers[name] for name in SIGNED}
        fits = [_has_signed(secret, signed, body) for secret in self.secrets]
        if not any(fits):
            raise Unknown("bad_signature", "the signature fits none of the receiver's secrets")


def _has_signed(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    try:
        _key(secret).verify(body, dict(headers), json_parse=False)
    except (WebhookVerificationError, ValueError):  # ValueError: no base64, no version, no UTF-8
        return False
    return True


def _key(secret: str) -> Webhook:
    """`whsec_` is followed by base64; any other secret is the key as it stands."""
    return Webhook(secret if secret.startswith("whsec_") else secret.encode())


def _require_signed_now(headers: Headers) -> None:
    if missing := [name for name in SIGNED if not headers.get(name)]:
        raise Unknown("no_credential", f"a signed delivery has {missing[0]} too")
    if len(headers["webhook-id"]) > ID_LENGTH:
        raise Unknown("bad_signature", f"webhook-id is longer than {ID_LENGTH} characters")
    try:
        age = time.time() - float(headers["webhook-timestamp"])
    except ValueError:
        raise Unknown("bad_signature", "webhook-timestamp is no number of seconds") from None
    if not age <= TOLERANCE_S:  # so that NaN is refused as well
        raise Unknown("too_old", f"webhook-timestamp is more than {TOLERANCE_S} s ago: sign each try anew")
    if age < -TOLERANCE_S:
        raise Unknown(
            "too_new", f"webhook-timestamp is more than {TOLERANCE_S} s ahead: set the sender's clock"
        )


def _is_one_of(token: str, secrets: Sequence[str]) -> bool:
    matches = [hmac.compare_digest(_digest(token), _digest(secret)) for secret in secrets]
    return any(matches)


def _digest(value: str) -> bytes:
    return hashlib.sha256(value.encode()).digest()


def _require_local(headers: Headers, peer: str | None) -> None:
    """Without a secret: a process on this machine, neither through a proxy nor from a page in its browser."""
    set_one = "set LG_WEBHOOK_SECRET for server and console"
    if not is_loopback(peer) or is_relayed(headers.keys()):
        raise Unknown("not_local", f"no secret is set, so only this machine is served: {set_one}")
    if "origin" in headers or not is_loopback(hostname(headers.get("host", ""))):
        raise Unknown("not_local", f"no secret is set, and this came by way of a web page: {set_one}")
