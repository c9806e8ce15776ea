"""The key of a request that makes a run: told from the wrapper round the app to the place where the run is accepted."""

from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

from starlette.exceptions import HTTPException

from langgraph_runtime_community import database
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("guards.sql"))


class Body(Protocol):
    """What is known of the request's body once it was read."""

    def digest(self) -> str:
        """A hash of the whole request."""
        ...


@dataclass
class Keyed:
    """A request with a key. `known`: (thread, run) for which the key stands already; the wrapper answers with it."""

    key: str
    body: Body
    known: tuple[UUID, UUID] | None = None

    def guard(self, user_id: str | None) -> dict[str, Any]:
        """For the transaction that makes the run. Another caller's keys are others."""
        return {"owner": user_id or "", "key": self.key, "request": self.body.digest()}


KEYED: ContextVar[Keyed | None] = ContextVar("community_runtime_keyed", default=None)


async def require_new(keyed: Keyed, user_id: str | None) -> None:
    """HTTPException 409 where the key was used: `keyed.known` is set if by the same request, whose run is there."""
    guard = keyed.guard(user_id)
    row = await database.fetch_one(QUERIES["of_key"], guard)
    if row is None:
        return
    if row["request"] != guard["request"]:
        raise HTTPException(
            409, f"Idempotency key {keyed.key!r} was used for another request: take a new one for a new run."
        )
    if row["thread_id"] is None:
        raise HTTPException(
            409, f"Run {row['run_id']}, which this idempotency key made, was removed: nothing was done again."
        )
    keyed.known = (row["thread_id"], row["run_id"])
    raise HTTPException(409, f"Idempotency key {keyed.key!r} made run {row['run_id']} already.")
