"""How a failure reads to whoever asked: a JSON problem with a stable code, or a page; internals to nobody."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeAlias

import psycopg
from fastapi.exceptions import RequestValidationError
from psycopg_pool import PoolClosed, PoolTimeout
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.console.at_server import refusal_of
from stationmaster.console.json import JSONResponse
from stationmaster.errors import StationmasterError
from stationmaster.reviews.errors import ReviewError

LOG = logging.getLogger(__name__)
CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}
# Everything below these is for programs; the rest is for people.
PROGRAMS = ("/api/", "/webhooks/", "/healthz")

Page: TypeAlias = Callable[[Request, int, str], Awaitable[Response]]
"""Draws a failure for people: request, status, one plain sentence."""


def problem(error: ReviewError) -> dict[str, Any]:
    """A refusal as JSON (RFC 9457): the sentence, the code that never changes, and what belongs to it."""
    return {**error.detail(), **_problem(error.status, error.code, str(error))}


class Failures:
    """Exception handlers for the app and for the API that is mounted in it; `page` draws them for people."""

    def __init__(self, page: Page | None = None) -> None:
        self._page = page

    def handlers(self) -> Mapping[Any, Any]:
        """By exception class, as Starlette wants them."""
        return {
            ReviewError: self.refused, RequestValidationError: self.misfit, HTTPException: self.http,
            StationmasterError: self.unusable, PoolTimeout: self.away, PoolClosed: self.away,
            psycopg.OperationalError: self.away, Exception: self.unknown,
        }  # fmt: skip

    async def refused(self, request: Request, error: ReviewError) -> Response:
        return await self._answer(request, problem(error))

    async def misfit(self, request: Request, error: RequestValidationError) -> Response:
        """What was sent is not repeated: it may be a secret, or large."""
        fields = {".".join(map(str, found["loc"])): found["msg"] for found in error.errors()}
        said = "; ".join(f"{name}: {text}" for name, text in fields.items())
        detail = f"the request does not fit ({said}): correct it and send it again"
        return await self._answer(request, {"fields": fields, **_problem(422, "bad_request", detail)})

    async def http(self, request: Request, error: HTTPException) -> Response:
        code = CODES.get(error.status_code, f"http_{error.status_code}")
        response = await self._answer(request, _problem(error.status_code, code, str(error.detail)))
        response.headers.update(error.headers or {})
        return response

    async def away(self, request: Request, error: Exception) -> Response:
        LOG.warning("the database does not answer: %s", type(error).__name__)
        said = "the database does not answer: try again in a moment"
        return await self._answer(request, _problem(503, "database_away", said))

    async def unusable(self, request: Request, error: StationmasterError) -> Response:
        if refusal := refusal_of(error):
            return await self._answer(request, _problem(*refusal, str(error)))
        LOG.error("%s", error)
        said = "something is not set up as it should be: the console's log says what"
        return await self._answer(request, _problem(500, "misconfigured", said))

    async def unknown(self, request: Request, _: Exception) -> Response:
        """Starlette raises it again once this is sent, so that the log has the traceback."""
        said = "something went wrong in the console: try again, and look in its log if it stays so"
        return await self._answer(request, _problem(500, "internal", said))

    async def _answer(self, request: Request, found: Mapping[str, Any]) -> Response:
        if self._page is not None and not request.scope["path"].startswith(PROGRAMS):
            response = await self._page(request, found["status"], found["detail"])
        else:
            response = JSONResponse(found, found["status"], media_type="application/problem+json")
        if found["status"] == HTTPStatus.UNAUTHORIZED:
            response.headers["WWW-Authenticate"] = "Bearer"
        if "retry_after_s" in found:
            response.headers["Retry-After"] = str(found["retry_after_s"])
        return response


def _problem(status: int, code: str, detail: str) -> dict[str, Any]:
    return {"title": HTTPStatus(status).phrase, "status": status, "code": code, "detail": detail}
