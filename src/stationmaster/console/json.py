"""JSON as this console sends it: numbers as they are, and any text that a payload may hold."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from starlette.background import BackgroundTask
from starlette.responses import Response

from stationmaster.reviews import json_text


def dumps(value: Any) -> bytes:
    """ASCII, so that even half a surrogate pair in a payload leaves as it was shown; times in ISO form."""
    return json_text.write(value, compact=True, default=_other).encode()


def _other(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, (frozenset, set)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


class JSONResponse(Response):
    """A JSON body that no cache keeps."""

    media_type = "application/json"

    def __init__(
        self, content: Any, status_code: int = 200, headers: Mapping[str, str] | None = None,
        media_type: str | None = None, background: BackgroundTask | None = None,
    ) -> None:  # fmt: skip
        super().__init__(content, status_code, headers, media_type, background)
        self.headers.setdefault("Cache-Control", "no-store")

    def render(self, content: Any) -> bytes:
        return dumps(content)
