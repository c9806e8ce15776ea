"""Standard Webhooks: id, time and signature, so that a receiver knows the sender and drops repetitions."""

import os
from datetime import UTC, datetime

from standardwebhooks import Webhook

SECRET = "LG_WEBHOOK_SECRET"  # noqa: S105  the name of the variable


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
