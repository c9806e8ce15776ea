"""Standard Webhooks: id, time and signature, so that a receiver knows the sender and drops repetitions."""

import os
from datetime import UTC, datetime

from standardwebhooks.webhooks import EmptyWebhookSecretError, Webhook

SECRET = "LG_WEBHOOK_SECRET"  # noqa: S105  the name of the variable


def require_usable() -> None:
    """RuntimeError for a secret with which nothing can be signed: better at the start than with each webhook."""
    try:
        signed("msg", b"{}")
    except (ValueError, EmptyWebhookSecretError) as error:  # what is no base64 is a ValueError
        raise RuntimeError(
            f"{SECRET} can't be used ({error}): after whsec_ comes base64; without this prefix it is taken as it is"
        ) from None


def signed(hook_id: str, body: bytes) -> dict[str, str]:
    """Headers of one try; nothing without a secret. `whsec_` is followed by base64, else the secret is the key."""
    secret = os.environ.get(SECRET)
    if not secret:
        return {"webhook-id": hook_id}
    now = datetime.now(UTC)
    key = Webhook(secret if secret.startswith("whsec_") else secret.encode())
    return {
        "webhook-id": hook_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": key.sign(hook_id, now, body.decode()),
    }
