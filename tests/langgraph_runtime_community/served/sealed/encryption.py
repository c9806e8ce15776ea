"""Handlers that encrypt with a key of the caller's tenant: the context says whose, and without it nothing opens."""

import base64
import json
from typing import Any

from cryptography.fernet import Fernet
from langgraph_sdk import Encryption, EncryptionContext

encryption = Encryption()
PREFIX = "sealed:"
# What auth filters and searches compare must stay readable, as must what `stationmaster` looks for.
READABLE = frozenset({"owner", "created_by", "graph_id", "assistant_id", "run_id", "thread_id", "mark"})


def cipher(ctx: EncryptionContext) -> Fernet:
    tenant = str(ctx.metadata.get("tenant", "nobody")).encode()
    return Fernet(base64.urlsafe_b64encode(tenant.ljust(32, b"-")))


@encryption.context
async def of_caller(user: Any, ctx: EncryptionContext) -> dict[str, Any]:
    return {**ctx.metadata, "tenant": user.identity}


@encryption.encrypt.blob
async def encrypt_blob(ctx: EncryptionContext, blob: bytes) -> bytes:
    return cipher(ctx).encrypt(blob)


@encryption.decrypt.blob
async def decrypt_blob(ctx: EncryptionContext, blob: bytes) -> bytes:
    return cipher(ctx).decrypt(blob)


@encryption.encrypt.json
async def encrypt_json(ctx: EncryptionContext, data: dict[str, Any]) -> dict[str, Any]:
    def sealed(value: Any) -> str:
        return PREFIX + cipher(ctx).encrypt(json.dumps(value, default=str).encode()).decode()

    return {key: value if key in READABLE or value is None else sealed(value) for key, value in data.items()}


@encryption.decrypt.json
async def decrypt_json(ctx: EncryptionContext, data: dict[str, Any]) -> dict[str, Any]:
    def opened(value: Any) -> Any:
        if not isinstance(value, str) or not value.startswith(PREFIX):
            return value
        return json.loads(cipher(ctx).decrypt(value.removeprefix(PREFIX).encode()))

    return {key: opened(value) for key, value in data.items()}
