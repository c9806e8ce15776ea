"""The JSON API below /api/v1: every route in one table, described as OpenAPI in /api/v1/openapi.json."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.security import HTTPBearer

from stationmaster.console.api import (
    assistants,
    crons,
    decisions,
    events,
    listing,
    operations,
    outgoing,
    records,
    threads,
)
from stationmaster.console.api.bodies import Problem

ABOUT = """Reviews: what graphs ask people, who answered, and what came of it. Assistants and crons, as on the pages.

Send a token as `Authorization: Bearer ...` (`stationmaster users token create`), or the session cookie of a browser
that is signed in. What is not in scope reads as 404. Every refusal is `application/problem+json` with a `code` that
never changes and a sentence that says what to do."""

# Method, path below /api/v1, function; what a route is for is the first line of the function's docstring.
ROUTES: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("GET", "/reviews", listing.list_reviews),
    ("GET", "/reviews/counts", listing.count_reviews),
    ("GET", "/reviews/{review_id}", listing.get_review),
    ("POST", "/reviews/{review_id}/claim", decisions.claim_review),
    ("POST", "/reviews/{review_id}/release", decisions.release_review),
    ("POST", "/reviews/{review_id}/decide", decisions.decide_review),
    ("POST", "/reviews/{review_id}/undo", decisions.undo_decision),
    ("POST", "/reviews/{review_id}/comments", decisions.comment_on_review),
    ("GET", "/reviews/{review_id}/history", records.get_history),
    ("GET", "/reviews/{review_id}/thread", threads.get_thread),
    ("GET", "/reviews/{review_id}/result", threads.get_result),
    ("POST", "/reviews/decide", decisions.decide_many),
    ("GET", "/edits", records.export_edits),
    ("GET", "/audit", records.search_audit),
    ("GET", "/audit/export", records.export_audit),
    ("GET", "/audit/verify", records.verify_audit),
    ("GET", "/operations/drift", operations.get_drift),
    ("GET", "/operations/deliveries", operations.list_deliveries),
    ("POST", "/operations/deliveries/{delivery_id}/retry", operations.retry_delivery),
    ("GET", "/operations/messages", outgoing.list_messages),
    ("POST", "/operations/messages/replay", outgoing.replay_message),
    ("GET", "/operations/loops", operations.list_loops),
    ("GET", "/operations/stuck", operations.list_stuck),
    ("POST", "/operations/reviews/{review_id}/settle", operations.settle_review),
    ("GET", "/assistants", assistants.list_assistants),
    ("GET", "/assistants/{name}", assistants.get_assistant),
    ("GET", "/assistants/{name}/versions", assistants.list_versions),
    ("POST", "/assistants/{name}/versions", assistants.save_version),
    ("GET", "/assistants/{name}/versions/{version}", assistants.get_version),
    ("GET", "/assistants/{name}/diff", assistants.diff_versions),
    ("GET", "/assistants/{name}/file", assistants.get_assistant_file),
    ("POST", "/assistants/{name}/promote", assistants.promote_assistant),
    ("POST", "/assistants/{name}/rollback", assistants.roll_back_assistant),
    ("GET", "/assistants/{name}/canary", assistants.get_canary),
    ("POST", "/assistants/{name}/canary", assistants.start_canary),
    ("POST", "/assistants/{name}/canary/end", assistants.end_canary),
    ("GET", "/crons", crons.list_crons),
    ("GET", "/crons/{name}", crons.get_cron),
    ("GET", "/crons/{name}/next", crons.list_next),
    ("GET", "/crons/{name}/history", crons.list_history),
    ("GET", "/crons/{name}/file", crons.get_cron_file),
    ("POST", "/crons/{name}/pause", crons.pause_cron),
    ("POST", "/crons/{name}/resume", crons.resume_cron),
    ("POST", "/crons/{name}/run", crons.run_cron),
    ("GET", "/slots", crons.list_slots),
    ("GET", "/events", events.stream_events),
    ("GET", "/me", listing.get_me),
)


def app(exception_handlers: Mapping[Any, Any]) -> FastAPI:
    """The API, to be mounted. No pages of documentation: those that FastAPI has load scripts from elsewhere."""
    made = FastAPI(
        title="Stationmaster", version="1", description=ABOUT, openapi_url="/openapi.json", docs_url=None,
        redoc_url=None, exception_handlers=dict(exception_handlers), redirect_slashes=False,
        dependencies=[Depends(HTTPBearer(auto_error=False, description="A token of a user."))],
    )  # fmt: skip
    for method, path, work in ROUTES:
        declared = {**getattr(work, "declared", {})}
        responses = {"default": {"model": Problem}, **declared.pop("responses", {})}
        summary, _, more = (inspect.getdoc(work) or "").partition("\n")
        made.add_api_route(
            path, work, methods=[method], operation_id=work.__name__, responses=responses,
            summary=summary.rstrip("."), description=more.strip(), **declared,
        )  # fmt: skip
    return made
