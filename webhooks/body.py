"""The body of a delivery: read up to a limit, and what of it is understood."""

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request

LIMIT_BYTES = 5 * 1024 * 1024
QUOTED = 1000


class TooLarge(Exception):
    """More than LIMIT_BYTES were announced, or came."""


class Unreadable(Exception):
    """From a known sender, and still not what the Agent Server sends; the message says why."""


class Hook(BaseModel):
    """What a run's end tells us. Only the thread counts; everything else is read from its state."""

    thread_id: UUID
    run_id: UUID | None = None
    status: Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")] | None = None


async def read_body(request: Request) -> bytes:
    """The raw bytes; TooLarge as soon as that is known. Content-Length is believed only where it says too much."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > LIMIT_BYTES:
        raise TooLarge
    body = bytearray()
    async for chunk in request.stream():
        if len(body) + len(chunk) > LIMIT_BYTES:
            raise TooLarge
        body += chunk
    return bytes(body)


def read_hook(body: bytes) -> Hook:
    """The hook in a body, or Unreadable."""
    try:
        return Hook.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "body"
        # The message quotes what was sent: a text column takes neither NUL nor half of a character.
        said = f"{place}: {first['msg']}".replace("\0", "\\0").encode("utf-8", "replace").decode()
        raise Unreadable(said[:QUOTED]) from None
