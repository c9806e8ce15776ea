"""A database that a server of an older schema left behind is brought up to date, and everything in it goes on."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.store.postgres.aio import AsyncPostgresStore
from psycopg.rows import DictRow, dict_row

from langgraph_runtime_community import migrate as ours
from stationmaster.postgres.migrate import migrate, migrations
from tests.conftest import clone
from tests.fakes.community_server import CommunityServer
from tests.fakes.graphs import ledger
from tests.langgraph_runtime_community.world import World

OLDER = Path(__file__).with_name("older")
KEPT = OLDER / "kept_by_0005.sql"
LAST = "0005"
ASSISTANT, PAUSED, AT_WORK, ENDED = (f"00000000-0000-4000-8000-00000000000{n}" for n in (1, 2, 3, 4))


@pytest.fixture
def older(server: str) -> Iterator[World]:
    for uri in clone(server, "template0", "older"):
        ledger.create(uri)
        yield World(uri)


async def as_it_was(uri: str, directory: Path) -> None:
    """The schema up to LAST, and what was in it."""
    for each in migrations(ours.DIRECTORY):
        if each.name[:4] <= LAST:
            shutil.copy(ours.DIRECTORY / each.name, directory)
    connection = psycopg.AsyncConnection[DictRow].connect(uri, autocommit=True, row_factory=dict_row)
    async with await connection as conn:
        await AsyncPostgresSaver(conn).setup()
        await AsyncPostgresStore(conn).setup()
        await conn.execute(ours.QUERIES["runs_of_writes"])
        await migrate(uri, directory, room=ours.ROOM)
        await conn.execute(
            "SET session_replication_role = replica"
        )  # rows stand in the order of their tables
        await conn.execute(KEPT.read_bytes())


async def test_every_migration_since_takes_what_is_there(older: World, tmp_path: Path) -> None:
    await as_it_was(older.uri, tmp_path)
    counts = (
        "SELECT (SELECT count(*) FROM server.runs) AS runs, (SELECT count(*) FROM checkpoints) AS checkpoints"
    )
    before = older.ask(counts)
    await ours.prepare(older.uri)
    newest = migrations(ours.DIRECTORY)[-1].name
    assert newest[:4] > LAST
    noted = older.ask("SELECT name FROM stationmaster.migrations WHERE name LIKE 'server/%%' ORDER BY 1")
    assert noted[-1]["name"] == f"server/{newest}"
    assert older.ask(counts) == before
    await ours.prepare(older.uri)


@pytest.mark.slow
async def test_paused_threads_are_resumed_and_work_goes_on(older: World, tmp_path: Path) -> None:
    (tmp_path / "migrations").mkdir()
    await as_it_was(older.uri, tmp_path / "migrations")
    (at_work,) = older.ask("SELECT run_id FROM server.runs WHERE status = 'running'")
    served = CommunityServer(tmp_path / "server", database=older.uri, env={"LEDGER_URI": older.uri})
    try:
        await served.start()
        async with served.sdk() as api:
            assert (await api.threads.get(PAUSED))["status"] == "interrupted"
            for expected in ("first?", "second?"):
                (question,) = (await api.threads.get_state(PAUSED))["interrupts"]
                assert question["value"] == expected
                resume: Any = {"resume": {question["id"]: f"answer to {expected}"}}
                await api.runs.wait(PAUSED, "gates", command=resume)
            values: Any = (await api.threads.get_state(PAUSED))["values"]
            assert (values["first"], values["second"]) == ("answer to first?", "answer to second?")
            # Step 7 is done again, and none before it.
            assert await older.ended(str(at_work["run_id"])) == "success"
            assert older.effects("older steps") == [f"step {at}" for at in range(7, 11)]
            history: Any = await api.threads.get_history(ENDED)
            assert history[0]["values"]["tone"] == "warm"
            await api.runs.wait(ENDED, ASSISTANT, input={"messages": ["and again"]})
            assert [row["version"] for row in await api.assistants.get_versions(ASSISTANT)] == [2, 1]
            item: Any = await api.store.get_item(["older"], "item")
            assert item["value"] == {"text": "kept"}
            assert await api.crons.count() == 1
    finally:
        served.kill_blocking()
