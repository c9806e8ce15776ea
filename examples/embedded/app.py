"""A FastAPI service with the support graph inside it; state in Postgres, turns as server-sent events.

    stationmaster shop seed
    uvicorn examples.embedded.app:app --port 8100
    curl -N localhost:8100/threads/$(uuidgen)/messages -H 'content-type: application/json' \\
        -d '{"text": "How long does standard delivery take?"}'

DATABASE_URI names a Postgres; without it the embedded one of this directory is started. Nothing is checked here but
types: put your own authentication in front.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import StreamingResponse
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.types import Command
from psycopg import AsyncConnection, sql
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout
from pydantic import BaseModel, Field

from agents.shared import database
from agents.support.context import RECURSION_LIMIT
from agents.support.graph import builder
from examples.embedded.locks import ThreadIsBusy, alone, lock_pool
from examples.embedded.turns import standing, turn
from stationmaster.postgres import ensure, release
from stationmaster.settings import load_settings

SCHEMA = "embedded"
TURNS_AT_ONCE = 10
WAIT_FOR_THREAD_S = 30.0


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Database, graph and locks, for as long as the service runs."""
    settings = load_settings()
    uri = await ensure(settings)
    database.configure(uri)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(release, settings)
        stack.push_async_callback(database.close)
        locks = await stack.enter_async_context(lock_pool(uri, TURNS_AT_ONCE))
        saver = await stack.enter_async_context(saving(uri, locks))
        app.state.locks = locks
        app.state.graph = builder.compile(checkpointer=saver, name="support").with_config(
            recursion_limit=RECURSION_LIMIT
        )
        yield


@asynccontextmanager
async def saving(uri: str, locks: AsyncConnectionPool) -> AsyncIterator[AsyncPostgresSaver]:
    """The checkpointer, in a schema of its own; two processes that start at once set it up one after the other."""
    async with alone(locks, "set-up", WAIT_FOR_THREAD_S), locks.connection() as conn:
        await conn.execute(sql.SQL("create schema if not exists {}").format(sql.Identifier(SCHEMA)))
    kwargs = {
        "autocommit": True, "prepare_threshold": 0, "row_factory": dict_row, "options": f"-c search_path={SCHEMA}",
    }  # fmt: skip
    async with AsyncConnectionPool[AsyncConnection[dict[str, Any]]](
        uri, min_size=1, max_size=TURNS_AT_ONCE, open=False, kwargs=kwargs
    ) as pool:
        saver = AsyncPostgresSaver(pool)
        async with alone(locks, "set-up", WAIT_FOR_THREAD_S):
            await saver.setup()
        yield saver


async def own_turn(request: Request, thread_id: UUID) -> AsyncIterator[str]:
    """The thread's id, and the thread itself until the answer has been sent; 409 if another request keeps it."""
    try:
        async with alone(request.app.state.locks, str(thread_id), WAIT_FOR_THREAD_S):
            yield str(thread_id)
    except ThreadIsBusy:
        raise HTTPException(
            409, "another message of this conversation is being answered; try again"
        ) from None
    except PoolTimeout:
        raise HTTPException(503, f"{TURNS_AT_ONCE} conversations are being answered; try again") from None


Turn = Annotated[str, Depends(own_turn)]


class Message(BaseModel):
    """What a customer says."""

    text: str = Field(min_length=1, max_length=20_000)


app = FastAPI(title="Support, embedded", lifespan=lifespan)


@app.post("/threads/{thread_id}/messages")
async def say(request: Request, thread: Turn, message: Message) -> StreamingResponse:
    """Answer a message. While a question waits for a person a new message is refused: it would take it away."""
    if (await standing(request.app.state.graph, thread))[0] == "waits":
        raise HTTPException(409, "this conversation waits for a person; answer that first")
    return _streamed(request, thread, {"messages": [{"role": "user", "content": message.text}]})


@app.post("/threads/{thread_id}/answers")
async def answer(request: Request, thread: Turn, answers: dict[str, Any]) -> StreamingResponse:
    """Answer questions, by their ids, as they are pending now; 409 if they are not."""
    kind, told = await standing(request.app.state.graph, thread)
    pending = {question["id"] for question in told.get("questions", [])}
    if kind != "waits" or not answers or not answers.keys() <= pending:
        raise HTTPException(409, f"no such question waits here; pending: {sorted(pending) or 'none'}")
    return _streamed(request, thread, Command(resume=answers))


@app.post("/threads/{thread_id}/continue")
async def go_on(request: Request, thread: Turn) -> StreamingResponse:
    """Go on with a turn that was cut off: its client went away, the process was killed, or a step failed."""
    return _streamed(request, thread, None)


@app.get("/threads/{thread_id}")
async def show(request: Request, thread_id: UUID) -> dict[str, Any]:
    """The conversation, and how it stands."""
    graph = request.app.state.graph
    kind, told = await standing(graph, str(thread_id))
    state = await graph.aget_state({"configurable": {"thread_id": str(thread_id)}})
    messages = [{"type": each.type, "content": each.text} for each in state.values.get("messages", [])]
    return {"status": kind, **told, "messages": messages}


def _streamed(request: Request, thread: str, given: Any) -> StreamingResponse:
    return StreamingResponse(turn(request.app.state.graph, thread, given), media_type="text/event-stream")
