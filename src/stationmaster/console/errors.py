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

from stationmaster.console.json import JSONResponse
from stationmaster.errors import StationmasterError
from stationmaster.reviews.errors import ReviewError

LOG = logging.getLogger(__name__)
# Everything below these is for programs; the rest is for people.
PROGRAMS = ("/api/", "/webhooks/", "/healthz")

Page: TypeAlias = Callable[[Request, int, str], Awaitable[Response]]
"""Draws a failure for people: request, status, one plain sentence."""


def handlers(page: Page | None = None) -> Mapping[Any, Any]:
    """Exception handlers for the app and for the API that is mounted in it."""

    async def answer(
        request: Request, status: int, code: str, detail: str, more: Mapping[str, Any] = {}
    ) -> Response:
        headers = {"Cache-Control": "no-store"}
        if status == HTTPStatus.UNAUTHORIZED:
            headers["WWW-Authenticate"] = "Bearer"
        if "retry_after_s" in more:
            headers["Retry-After"] = str(more["retry_after_s"])
        if page is not None and not request.scope["path"].startswith(PROGRAMS):
            response = await page(request, status, detail)
        else:
            problem = {"title": HTTPStatus(status).phrase, "status": status, "code": code, "detail": detail}
            response = JSONResponse({**more, **problem}, status, media_type="application/problem+json")
        response.headers.update(headers)
        return response

    async def refused(request: Request, error: ReviewError) -> Response:
        return await answer(request, error.status, error.code, str(error), error.detail())

    async def misfit(request: Request, error: RequestValidationError) -> Response:
        fields = {".".join(map(str, found["loc"])): found["msg"] for found in error.errors()}
        detail = "the request does not fit: " + "; ".join(f"{name}: {text}" for name, text in fields.items())
        return await answer(request, 422, "bad_request", detail, {"fields": fields})

    async def http(request: Request, error: HTTPException) -> Response:
        code = HTTPStatus(error.status_code).name.lower()
        response = await answer(request, error.status_code, code, str(error.detail))
        response.headers.update(error.headers or {})
        return response

    async def away(request: Request, error: Exception) -> Response:
        LOG.warning("the database does not answer: %s", type(error).__name__)
        return await answer(
            request, 503, "database_away", "the database does not answer: try again in a moment"
        )

    async def unusable(request: Request, error: StationmasterError) -> Response:
        LOG.error("%s", error)
        return await answer(
            request, 500, "misconfigured", "something here is not set up: the console's log says what"
        )

    async def unknown(request: Request, _: Exception) -> Response:
        # Starlette raises it again once this is sent, so that the log has the traceback.
        return await answer(
            request, 500, "internal", "something went wrong here, and the console's log has it"
        )

    return {
        ReviewError: refused, RequestValidationError: misfit, HTTPException: http, StationmasterError: unusable,
        PoolTimeout: away, PoolClosed: away, psycopg.OperationalError: away, Exception: unknown,
    }  # fmt: skip
