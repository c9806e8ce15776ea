"""Bytes: checkpoints, pending writes, stream events. A sealed blob tells that it is one, and carries its context."""

import base64
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import orjson
from starlette.exceptions import HTTPException

MAGIC = bytes.fromhex("00b7e1516d9c4f0a8e2f5a61c3d877e4")
"""Sixteen bytes that nothing else begins with. Then two bytes of length, the context as JSON, what the handler made."""
LENGTH = 2
DOCUMENT = "stationmaster_sealed"
"""A JSON document that was sealed as bytes: {DOCUMENT: base64}, beside keys that must stay readable."""


class Sealed(HTTPException):
    """Something was encrypted that nothing here can open; or shall be encrypted in a way that is not supported."""

    def __init__(self, detail: str) -> None:
        super().__init__(500, detail)


@cache
def handlers() -> Any:
    """The project's `Encryption`, or None."""
    from langgraph_api.encryption import get_custom_encryption_instance

    return get_custom_encryption_instance()


def require_supported() -> None:
    """Sealed for a key by which the licensed images encrypt checkpoints: unheeded it would leave them readable."""
    from langgraph_api.config import LANGGRAPH_AES_KEY

    handlers()  # a module that does not load shall stop the start, not the first request
    if LANGGRAPH_AES_KEY:
        raise Sealed(
            "LANGGRAPH_AES_KEY is not supported on this runtime: unset it, and name handlers of the project's own "
            'under "encryption" in langgraph.json'
        )


def _of_bytes(name: str) -> Any:
    """`encryptor` or `decryptor` of bytes, or None: the class offers them to its server by no public way."""
    return getattr(handlers(), f"_blob_{name}", None)


def active() -> bool:
    """Whether the project has any encryption."""
    return handlers() is not None


def seals_bytes() -> bool:
    """Whether it encrypts bytes; one that has handlers for JSON alone does not."""
    return active() and _of_bytes("encryptor") is not None


def seals_json() -> bool:
    """Whether it encrypts JSON key by key."""
    return active() and handlers().get_json_encryptor() is not None


def context() -> dict[str, Any]:
    """The context of the request or run that is at work here."""
    from langgraph_api.encryption.context import get_encryption_context

    return get_encryption_context() if active() else {}


async def seal(data: bytes, given: Mapping[str, Any] | None = None) -> bytes:
    """The bytes as they may be written; as they are where nothing encrypts bytes."""
    if not seals_bytes():
        return data
    known = dict(context() if given is None else given)
    head = orjson.dumps(known)
    made = await _of_bytes("encryptor")(_told(known), data)
    return MAGIC + len(head).to_bytes(LENGTH) + head + made


async def opened(data: bytes) -> bytes:
    """The bytes as they were; Sealed where nobody here can open them."""
    if not data.startswith(MAGIC):
        return data
    if (decryptor := _of_bytes("decryptor")) is None:
        return require_open(data)
    start = len(MAGIC) + LENGTH
    end = start + int.from_bytes(data[len(MAGIC) : start])
    made = await decryptor(_told(orjson.loads(data[start:end])), data[end:])
    return made if isinstance(made, bytes) else made.plaintext


def require_open(data: bytes) -> bytes:
    """The bytes, if they are not sealed; else Sealed."""
    if data and data[: len(MAGIC)] == MAGIC:
        raise Sealed(
            "encrypted data, and no decrypt.blob handler: name the project's `encryption` in langgraph.json"
        )
    return data


async def seal_document(value: Any) -> Any:
    """A JSON document as one sealed value; as it is where nothing encrypts bytes."""
    from langgraph_api.serde import json_dumpb

    if value is None or not seals_bytes():
        return value
    return {DOCUMENT: base64.b64encode(await seal(json_dumpb(value))).decode("ascii")}


async def open_document(value: Any) -> Any:
    """The document, with what was written beside it since."""
    if not (isinstance(value, Mapping) and isinstance(value.get(DOCUMENT), str)):
        return value
    document = orjson.loads(await opened(base64.b64decode(value[DOCUMENT])))
    beside = {name: part for name, part in value.items() if name != DOCUMENT}
    return {**document, **beside} if isinstance(document, dict) else document


async def opened_bytes(value: Any) -> Any:
    """A column, or a list of lists of them, with its sealed bytes opened."""
    match value:
        case bytes() | memoryview():
            return await opened(bytes(value))
        case [*parts]:
            return [await opened_bytes(part) for part in parts]
        case _:
            return value


def _told(known: Mapping[str, Any]) -> Any:
    from langgraph_sdk import EncryptionContext

    return EncryptionContext(model="checkpoint", metadata=dict(known))


async def opened_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows with their sealed bytes and documents opened."""
    if not active():
        return [dict(row) for row in rows]
    return [
        {name: await open_document(await opened_bytes(value)) for name, value in row.items()} for row in rows
    ]
