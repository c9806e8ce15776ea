"""The database grew by 12 GB a day, and nobody had said for how long a conversation is kept.

50,000 threads a day, eight super-steps each, about 30 KB a checkpoint: more than a terabyte after ninety days.
Half of each step is there twice, as what a task wrote and as the state that came of it. With thirty days of
retention, by the real nightly prune, two thirds are gone; and nobody who is still asked loses a thread, however
long ago it was.

Measured with fewer threads a day and multiplied: no thread knows of another.
"""

import random
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, NotRequired
from uuid import UUID, uuid4

import psycopg
import pytest
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.types import interrupt
from typing_extensions import TypedDict

from stationmaster.cli import db_schema
from stationmaster.settings import Settings
from stationmaster.upkeep.database import opened
from stationmaster.upkeep.pruning import Rule, prune
from tests.fakes.community_server import CommunityServer
from tests.labs.figures import Figures
from tests.labs.rows import in_a_row
from tests.labs.test_streaming_modes import Stream, message

DAYS, KEPT_DAYS, STEPS = 90, 30, 8
STATE_BYTES = 14_300  # comes to 30 KB a step: it is kept as the task's write, and as the state's value
TOLD_A_DAY = 50_000
GB = 1_000_000_000
WAITING_DAYS = (0, 45)  # on each of these days there is one thread more, which waits for a person to this day
TABLE = Figures(
    "growing database",
    (
        "threads a day", "scale", "KB a step", "GB a day", "GB, 90 days, no retention", "GB, kept 30 days", "saved",
        "waiting threads lost",
    ),
    ("1", "50"),
    varies=frozenset({"KB a step", "GB a day", "GB, 90 days, no retention", "GB, kept 30 days"}),
    zero={"waiting threads lost": ()},
)  # fmt: skip
STORED = """
select sum(bytes) from (
    select thread_id, pg_column_size(c.*) as bytes from checkpoints c
    union all select thread_id, pg_column_size(b.*) from checkpoint_blobs b
    union all select thread_id, pg_column_size(w.*) from checkpoint_writes w
) as kept where (thread_id = any (%s)) = %s
"""
LATEST = Figures(
    "only the latest",
    ("turns", "KB, whole history", "KB, latest only", "saved", "messages lost"),
    ("20",),
    varies=frozenset({"KB, whole history", "KB, latest only"}),
    zero={"messages lost": ()},
)
THREAD = """
insert into server.threads (thread_id, status, settled, metadata, updated_at, state_updated_at)
values (%(id)s, %(status)s, %(status)s, '{}', now() - %(idle)s, now() - %(idle)s)
"""


class State(TypedDict):
    work: bytes
    waits: NotRequired[bool]


def step(number: int) -> Any:
    async def work(state: State) -> dict[str, Any]:
        if number == STEPS and state.get("waits"):
            interrupt("Still there?")
        return {"work": random.randbytes(STATE_BYTES)}

    return work


graph = in_a_row(State, **{f"step_{number}": step(number) for number in range(1, STEPS + 1)})


@pytest.fixture
async def database(empty_database: str) -> str:
    """With every table there is."""
    await db_schema.migrate(Settings.model_validate({"database_uri": empty_database}))
    return empty_database


async def ninety_days(uri: str, threads_a_day: int) -> list[UUID]:
    """Threads that are idle since their days; those that wait."""
    waiting: list[UUID] = []
    async with (
        AsyncPostgresSaver.from_conn_string(uri) as saver,
        await psycopg.AsyncConnection.connect(uri, autocommit=True) as conn,
    ):
        kept = graph.copy({"checkpointer": saver})
        for day in range(DAYS):
            for waits in [False] * threads_a_day + [True] * (day in WAITING_DAYS):
                thread = uuid4()
                config: Any = {"configurable": {"thread_id": str(thread)}}
                await kept.ainvoke({"work": b"", "waits": waits}, config)
                status = "interrupted" if waits else "idle"
                idle = timedelta(days=DAYS - 1 - day, hours=12)
                await conn.execute(THREAD, {"id": thread, "status": status, "idle": idle})
                waiting += [thread] * waits
    return waiting


def stored(uri: str, threads: Sequence[object], *, others: bool = False) -> int:
    """Bytes of all checkpoints, values and writes of these threads as they are on disk, or of all `others`."""
    with psycopg.connect(uri) as conn:
        found = conn.execute(STORED, ([str(thread) for thread in threads], not others))
        return int((found.fetchone() or (0,))[0])


def questions(uri: str, threads: list[UUID]) -> int:
    """How many of these threads can still be answered."""
    query = "select count(*) from unnest(%s::uuid[]) as t (id) where upkeep.asked(t.id::text)"
    with psycopg.connect(uri) as conn:
        return int((conn.execute(query, (threads,)).fetchone() or (0,))[0])


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("threads_a_day", [1, pytest.param(50, marks=pytest.mark.slow)])
async def test_retention_keeps_a_third(threads_a_day: int, database: str, tmp_path: Path) -> None:
    waiting = await ninety_days(database, threads_a_day)
    whole = stored(database, waiting, others=True)
    async with opened(database) as conn:
        done = await prune(conn, Rule(KEPT_DAYS, tmp_path))
    left, threads = stored(database, waiting, others=True), DAYS * threads_a_day
    assert done is not None and done.deleted == (DAYS - KEPT_DAYS) * threads_a_day
    lost = len(waiting) - questions(database, waiting)
    scale = TOLD_A_DAY / threads_a_day
    saved = 1 - left / whole
    told = [whole * scale / DAYS / GB, whole * scale / GB, left * scale / GB]
    assert round(saved, 3) >= 0.667
    TABLE.keep(
        threads_a_day, f"1:{scale:,.0f}", round(whole / threads / STEPS / 1000, 1), round(told[0], 1),
        round(told[1]), round(told[2]), f"{saved:.1%}", lost,
    )  # fmt: skip


async def test_a_conversation_without_its_history_goes_on(lab_server: CommunityServer) -> None:
    """What is kept longer need not keep every step: the runtime's own prune leaves the newest state."""
    stream = await Stream.on(lab_server)
    for turn in range(20):
        await stream.turn("updates", message(turn))
    whole = stored(lab_server.database, [stream.thread])
    async with lab_server.sdk() as client:
        await client.threads.prune([stream.thread], strategy="keep_latest")
        left = stored(lab_server.database, [stream.thread])
        await stream.turn("updates", message(20))
        values: Any = (await client.threads.get_state(stream.thread))["values"]
    asked = [said["content"] for said in values["messages"] if said["type"] == "human"]
    lost = sum(message(turn)["content"] not in asked for turn in range(21)) + 42 - len(values["messages"])
    LATEST.keep(20, round(whole / 1000), round(left / 1000), f"{1 - left / whole:.0%}", lost)
