"""`stationmaster db` and `stationmaster webhooks` as somebody types them."""

import asyncio
import io
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from stationmaster.postgres import embedded
from stationmaster.upkeep.database import Connection, opened
from tests.stationmaster.cli.running import in_process
from tests.stationmaster.upkeep.threads import Threads


@pytest.fixture
def call(kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A command on the test's database, with nobody at the keyboard; its exit code and what it said."""
    monkeypatch.setattr("sys.stdin", io.StringIO(""))

    async def called(*arguments: str, uri: str = kept, **env: str) -> Any:
        environment = {"STATIONMASTER_DATABASE_URI": uri, **env}
        return await asyncio.to_thread(in_process, *arguments, cwd=tmp_path, env=environment)

    return called


@pytest.fixture
def data() -> Iterator[Path]:
    """A data directory under the system's own directory for such things: pytest's is closed to other users."""
    path = Path(tempfile.mkdtemp(prefix="sm-"))
    path.chmod(0o755)
    yield path / "data"
    shutil.rmtree(path)


async def test_status_tells_sizes_counts_and_what_a_prune_would_free(call: Any, threads: Threads) -> None:
    await threads.make()
    await threads.make(status="interrupted", asks=True, graph="refunds")
    await threads.webhook(await threads.make(idle=0), dead_days=1)
    done = await call("db", "status", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["database"]["bytes"] > 1_000_000
    assert "server.threads" in {table["name"] for table in found["tables"]}
    server = found["server"]
    graphs = {graph["graph"]: (graph["threads"], graph["bytes"] > 1000) for graph in server["graphs"]}
    assert graphs == {"support": (2, True), "refunds": (1, True)}
    assert {row["status"]: row["count"] for row in server["threads"]} == {"idle": 2, "interrupted": 1}
    assert {row["status"]: row["count"] for row in server["webhooks"]} == {"given up": 1}
    assert server["prune"]["deleted"] == server["prune"]["spared"] == 1 and server["prune"]["bytes"] > 1000
    told = await call("db", "status")
    assert "a prune would delete 1 threads idle for 30 days" in told.stdout
    assert "1 as old stay because somebody is asked" in told.stdout and "refunds" in told.stdout


async def test_prune_asks_first_and_a_dry_run_deletes_nothing(call: Any, threads: Threads) -> None:
    thread = await threads.make(metadata={"export": True})
    dry = await call("db", "prune", "--dry-run", "--json")
    assert json.loads(dry.stdout) == {
        "days": 30, "deleted": 1, "trimmed": 0, "exported": 1, "spared": 0, "bytes": json.loads(dry.stdout)["bytes"]
    }  # fmt: skip
    asked = await call("db", "prune")  # nobody is there to say yes
    assert asked.returncode == 1 and "would delete 1 threads" in asked.stderr
    assert await threads.left(thread)
    done = await call("db", "prune", "--yes", "--json", "--export-to", "out")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["deleted"] == json.loads(done.stdout)["exported"] == 1
    assert not await threads.left(thread)


async def test_prune_says_where_it_exported_to_and_fails_where_it_could_not(
    call: Any, threads: Threads, tmp_path: Path
) -> None:
    await threads.make(metadata={"keep": True})
    (tmp_path / "file").write_text("")
    done = await call("db", "prune", "--yes", "--export-to", "file/out")
    assert done.returncode == 1 and "flagged threads stay" in done.stdout
    done = await call("db", "prune", "--yes")
    assert done.returncode == 0 and str(tmp_path / ".stationmaster" / "exports") in done.stdout


async def test_retention_that_is_off_is_not_overruled_by_chance(call: Any, threads: Threads) -> None:
    await threads.make()
    off = {"STATIONMASTER_RETENTION_DAYS": "0"}
    done = await call("db", "prune", "--yes", **off)
    assert done.returncode == 2 and "say --days" in done.stderr
    told = await call("db", "status", **off)
    assert "nothing is pruned: STATIONMASTER_RETENTION_DAYS is 0" in told.stdout
    done = await call("db", "prune", "--yes", "--days", "10", "--json", **off)
    assert json.loads(done.stdout)["deleted"] == 1


async def test_another_prune_at_work_is_named(call: Any, conn: Connection) -> None:
    await conn.execute("UPDATE upkeep.turn SET holder = 'host:7:x', held_until = now() + interval '1 minute'")
    done = await call("db", "prune", "--yes")
    assert done.returncode == 1 and "host:7 is pruning" in done.stderr
    assert "host:7 is pruning now" in (await call("db", "status")).stdout


async def test_a_database_without_a_durable_server(call: Any, database: str) -> None:
    told = await call("db", "status", uri=database)
    assert told.returncode == 0 and "no durable server has used this database" in told.stdout
    done = await call("db", "prune", "--yes", uri=database)
    assert done.returncode == 2 and "stationmaster db migrate" in done.stderr
    assert (await call("webhooks", "dead", uri=database)).returncode == 2


async def test_dead_webhooks_are_listed_and_replayed(call: Any, conn: Connection, threads: Threads) -> None:
    thread = await threads.make(idle=0)
    hooks = [str(await threads.webhook(thread, dead_days=days)) for days in (3, 2, 1)]
    await threads.webhook(thread, dead_days=None)
    listed = json.loads((await call("webhooks", "dead", "--limit", "2", "--json")).stdout)
    assert listed["count"] == 3 and [row["hook_id"] for row in listed["webhooks"]] == hooks[:0:-1]
    assert listed["webhooks"][0]["last_error"] == "answered 500" and "payload" not in listed["webhooks"][0]
    told = await call("webhooks", "dead", "--limit", "2")
    assert "1 more: --limit shows them" in told.stdout
    again = await call("webhooks", "replay", hooks[0])
    assert again.returncode == 0 and f"{hooks[0]} of run" in again.stdout
    rest = json.loads((await call("webhooks", "replay", "--all", "--json")).stdout)
    assert {row["hook_id"] for row in rest["replayed"]} == set(hooks[1:])
    assert "none: every webhook arrived" in (await call("webhooks", "dead")).stdout


async def test_replay_refuses_what_was_not_given_up_and_then_replays_nothing(
    call: Any, threads: Threads
) -> None:
    thread, unknown = await threads.make(idle=0), str(uuid4())
    hook = str(await threads.webhook(thread, dead_days=1))
    done = await call("webhooks", "replay", hook, unknown)
    assert done.returncode == 2 and f"no webhook {unknown} was given up" in done.stderr
    assert json.loads((await call("webhooks", "dead", "--json")).stdout)["count"] == 1
    assert (await call("webhooks", "replay")).returncode == 2
    assert (await call("webhooks", "replay", hook, "--all")).returncode == 2


async def test_backup_and_restore(call: Any, threads: Threads, empty_database: str, tmp_path: Path) -> None:
    thread = await threads.make(status="interrupted", asks=True)
    done = await call("db", "backup", "all.dump", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["file"] == str(tmp_path / "all.dump")
    again = await call("db", "backup", "all.dump")
    assert again.returncode == 2 and "there already" in again.stderr
    over = await call("db", "restore", "all.dump")
    assert over.returncode == 2 and "say --replace" in over.stderr
    used = await call("db", "restore", "all.dump", "--replace")  # by this test's own connection
    assert used.returncode == 2 and "in use by" in used.stderr
    (tmp_path / "cut.dump").write_bytes((tmp_path / "all.dump").read_bytes()[:-1000])
    cut = await call("db", "restore", "cut.dump", uri=empty_database)
    assert cut.returncode == 1 and "pg_restore failed" in cut.stderr
    back = await call("db", "restore", "all.dump", "--json", uri=empty_database)
    assert back.returncode == 0, back.stderr
    assert json.loads(back.stdout)["before"] is None
    async with opened(empty_database) as conn:
        assert await Threads(conn).left(thread) == await threads.left(thread)


async def test_an_embedded_database_is_restored_and_backed_up_too(
    call: Any, threads: Threads, data: Path
) -> None:
    await threads.make(graph="from elsewhere")
    assert (await call("db", "backup", "all.dump")).returncode == 0
    embedded_one = ("--data-dir", str(data))
    try:
        done = await call("db", "restore", "all.dump", *embedded_one, uri="")
        assert done.returncode == 0, done.stderr
        found = json.loads((await call("db", "status", "--json", *embedded_one, uri="")).stdout)
        assert [graph["graph"] for graph in found["server"]["graphs"]] == ["from elsewhere"]
        assert (await call("db", "backup", "again.dump", *embedded_one, uri="")).returncode == 0
        done = await call("db", "restore", "again.dump", "--replace", *embedded_one, uri="")
        assert done.returncode == 0 and "is now the database postgres_before_" in done.stdout, done.stderr
        assert "schema is up to date" in (await call("db", "migrate", *embedded_one, uri="")).stdout
    finally:
        await asyncio.to_thread(embedded.release, data)


async def test_the_runtimes_trouble_with_its_tables_is_told(call: Any, kept: str, conn: Connection) -> None:
    await conn.execute(
        "UPDATE stationmaster.migrations SET checksum = 'x' WHERE name = 'server/0001_tables.sql'"
    )
    done = await call("db", "migrate")
    assert done.returncode == 2
    assert "durable server's tables can't be made: server/0001_tables.sql was changed" in done.stderr
