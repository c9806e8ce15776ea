"""What goes, what stays, what is exported first; one pass at a time, and none that is cut off does harm."""

import asyncio
import json
import os
import tracemalloc
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from stationmaster.upkeep import holding, pruning
from stationmaster.upkeep.database import Connection, opened, rows
from stationmaster.upkeep.errors import NoDurableServer, PruneAtWork
from stationmaster.upkeep.pruning import Rule, prune
from tests.stationmaster.upkeep.threads import Threads

LARGE = """
WITH blobs AS (
    INSERT INTO checkpoint_blobs (thread_id, channel, version, type, blob)
    SELECT %(thread)s, 'large', n, 'x', decode(repeat('00', CASE n WHEN 0 THEN 3000000 ELSE 100000 END), 'hex')
    FROM generate_series(0, 250) n
)
INSERT INTO checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob)
SELECT %(thread)s, '00000002', 'many', n, 'said', 'x', 'w' FROM generate_series(1, 2500) n
"""


@pytest.fixture
def rule(tmp_path: Path) -> Rule:
    return Rule(30, tmp_path / "exports")


def exported(rule: Rule) -> list[dict[str, Any]]:
    """The lines of all exports."""
    files = sorted(rule.exports.glob("*.jsonl")) if rule.exports.exists() else []
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


async def test_an_idle_thread_leaves_no_row_of_any_kind(
    conn: Connection, threads: Threads, rule: Rule
) -> None:
    old, failed, new = await threads.make(), await threads.make(status="error"), await threads.make(idle=29)
    await threads.webhook(old, dead_days=35)
    assert set(await threads.left(old)) == {
        "public.checkpoints", "public.checkpoint_blobs", "public.checkpoint_writes", "server.threads", "server.runs",
        "server.events", "server.outbox",
    }  # fmt: skip
    before = await holding.would_prune(conn, 30)
    done = await prune(conn, rule)
    assert done is not None and (done.deleted, done.trimmed, done.exported) == (2, 0, 0)
    assert done.bytes == before["bytes"] > 6000 and before["deleted"] == 2
    assert await threads.left(old) == await threads.left(failed) == {}
    assert await threads.left(new)
    assert not rule.exports.exists()


async def test_who_is_asked_is_never_pruned(conn: Connection, threads: Threads, rule: Rule) -> None:
    asked = [
        await threads.make(status="interrupted", asks=True),
        await threads.make(asks=True),  # the row says idle: the state is the authority
        await threads.make(status="interrupted"),  # a breakpoint
    ]
    reviewed = await threads.make()
    await threads.review(reviewed)
    assert (await holding.would_prune(conn, 30))["spared"] == 4
    done = await prune(conn, rule)
    assert done is not None and done.deleted == 0
    for thread in (*asked, reviewed):
        assert await threads.checkpoints(thread) == ["00000000", "00000001", "00000002"]


async def test_an_answered_question_does_not_keep_a_thread(
    conn: Connection, threads: Threads, rule: Rule
) -> None:
    answered = await threads.make()
    await threads.write(answered, 1, "__interrupt__", index=-3)  # asked on an older checkpoint
    await prune(conn, rule)
    assert await threads.left(answered) == {}


async def test_what_is_still_to_do_keeps_a_thread(conn: Connection, threads: Threads, rule: Rule) -> None:
    runs, hook = await threads.make(), await threads.make()
    await threads.run(runs, "pending")
    await threads.webhook(hook, dead_days=None)
    await prune(conn, rule)
    assert await threads.left(runs) and await threads.left(hook)


async def test_flagged_threads_are_exported_first(conn: Connection, threads: Threads, rule: Rule) -> None:
    export = await threads.make(metadata={"export": True})
    keep = await threads.make(metadata={"keep": "audit 2026"})
    plain = await threads.make(metadata={"export": False, "keep": None})
    done = await prune(conn, rule)
    assert done is not None and (done.deleted, done.trimmed, done.exported) == (2, 1, 2)
    assert await threads.left(export) == await threads.left(plain) == {}
    lines = {line["thread_id"]: line for line in exported(rule)}
    assert set(lines) == {str(export), str(keep)}
    line = lines[str(export)]
    assert line["thread"]["values"] == {"said": "x\ny"} and line["runs"][0]["input"] == {"a": 1}
    assert "s3" not in json.dumps(line)  # what a caller sent along
    assert len(line["checkpoints"]) == len(line["blobs"]) == len(line["writes"]) == 3
    (file,) = rule.exports.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    # A thread that is kept has its newest checkpoint; it is not exported again every night.
    assert await threads.checkpoints(keep) == ["00000002"]
    again = await prune(conn, rule)
    assert again is not None and (again.trimmed, again.exported) == (0, 0)
    assert len(exported(rule)) == 2


async def test_a_thread_with_a_cron_keeps_its_newest_checkpoint(
    conn: Connection, threads: Threads, rule: Rule
) -> None:
    thread = await threads.make()
    await threads.cron(thread)
    done = await prune(conn, rule)
    assert done is not None and (done.deleted, done.trimmed) == (0, 1)
    left = await threads.left(thread)
    assert left["server.crons"] == left["server.threads"] == left["public.checkpoints"] == 1
    assert left["public.checkpoint_blobs"] == left["public.checkpoint_writes"] == 1


async def test_flagged_threads_stay_where_they_can_not_be_exported(
    conn: Connection, threads: Threads, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    flagged, plain = await threads.make(metadata={"export": True}), await threads.make()
    done = await prune(conn, Rule(30, tmp_path / "file" / "exports"))
    assert done is not None and done.deleted == 1 and done.exported == 0
    assert done.problem is not None and "flagged threads stay" in done.problem
    assert await threads.left(flagged) and not await threads.left(plain)
    (noted,) = await rows(conn, "SELECT problem, ended_at FROM upkeep.passes")
    assert noted["problem"] == done.problem and noted["ended_at"]


async def test_a_run_that_comes_in_between_keeps_its_thread(
    conn: Connection, kept: str, threads: Threads, rule: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread, other = sorted([await threads.make(), await threads.make()])
    found = pruning.rows

    async def with_a_run_meanwhile(conn: Connection, query: Any, params: Any = None) -> Any:
        answer = await found(conn, query, params)
        if query == pruning.QUERIES["ripe"]:  # found, not yet locked
            await threads.run(thread, "pending")
        return answer

    monkeypatch.setattr(pruning, "rows", with_a_run_meanwhile)
    done = await prune(conn, rule)
    assert done is not None and done.deleted == 1
    assert await threads.left(thread) and not await threads.left(other)


async def test_a_thread_that_somebody_holds_is_left_for_later(
    conn: Connection, kept: str, threads: Threads, rule: Rule
) -> None:
    thread, other = await threads.make(), await threads.make()
    async with opened(kept) as somebody, somebody.transaction():
        await somebody.execute("SELECT 1 FROM server.threads WHERE thread_id = %s FOR UPDATE", (thread,))
        async with asyncio.timeout(10):
            done = await prune(conn, rule)
    assert done is not None and done.deleted == 1
    assert await threads.left(thread) and not await threads.left(other)


async def test_one_pass_at_a_time_by_hand_too(
    conn: Connection, kept: str, threads: Threads, rule: Rule
) -> None:
    await threads.make()
    await conn.execute("UPDATE upkeep.turn SET holder = 'host:1:x', held_until = now() + interval '1 minute'")
    with pytest.raises(PruneAtWork, match="host:1 is pruning"):
        await prune(conn, rule)
    await conn.execute("UPDATE upkeep.turn SET held_until = now() - interval '1 second'")  # it died
    done = await prune(conn, rule)
    assert done is not None and done.deleted == 1


async def test_a_pass_that_is_cut_off_has_done_what_it_did_and_the_next_goes_on(
    conn: Connection, kept: str, threads: Threads, rule: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        await threads.make(metadata={"export": True})
    dropped = pruning.one
    calls: list[Any] = []

    async def cut(conn: Connection, query: Any, params: Any = None) -> Any:
        if query == pruning.QUERIES["trim"]:
            calls.append(params)
            if len(calls) == 2:  # the second batch: exported and deleted, not committed
                await conn.close()
        return await dropped(conn, query, params)

    monkeypatch.setattr(pruning, "one", cut)
    async with opened(kept) as other:
        with pytest.raises(Exception, match="closed"):
            await prune(other, rule, batch=2)
    (count,) = await rows(conn, "SELECT count(*) AS n FROM server.threads")
    assert count["n"] == 3
    await conn.execute("UPDATE upkeep.turn SET held_until = now() - interval '1 second'")
    done = await prune(conn, rule, batch=2)
    assert done is not None and done.deleted == 3
    ids = [line["thread_id"] for line in exported(rule)]
    assert len(set(ids)) == 5 and len(ids) == 7  # none is missing; what was cut off is there twice


async def test_webhooks_given_up_long_ago_are_forgotten(
    conn: Connection, threads: Threads, rule: Rule
) -> None:
    alive = await threads.make(idle=0)
    await threads.webhook(alive, dead_days=31)
    newer = await threads.webhook(alive, dead_days=29)
    done = await prune(conn, rule)
    assert done is not None and done.webhooks == 1
    (left,) = await rows(conn, "SELECT hook_id FROM server.outbox")
    assert left["hook_id"] == newer


async def test_without_a_durable_server_there_is_nothing_to_prune(database: str) -> None:
    with pytest.raises(NoDurableServer, match="stationmaster db migrate"):
        async with opened(database):
            pass
    assert (await holding.held(database, 30))["server"] is None


TOO_LARGE = """CREATE SCHEMA shadow;
CREATE FUNCTION shadow.encode(bytea, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
    IF $1 = 'too large' THEN RAISE EXCEPTION 'invalid memory alloc request size' USING ERRCODE = '54000'; END IF;
    RETURN pg_catalog.encode($1, $2);
END $$;
SET search_path = shadow, pg_catalog, public"""


async def test_a_flagged_thread_that_can_not_be_exported_holds_up_no_others(
    conn: Connection, threads: Threads, rule: Rule
) -> None:
    """Postgres makes no text of more than a gigabyte."""
    large, other = [await threads.make(metadata={"export": True}) for _ in range(2)]
    plain = await threads.make()
    await conn.execute("UPDATE checkpoint_blobs SET blob = 'too large' WHERE thread_id = %s", (str(large),))
    await conn.execute(TOO_LARGE)
    done = await prune(conn, rule, batch=2)
    assert done is not None and (done.deleted, done.exported) == (2, 1)
    assert f"1 flagged threads stay that can't be exported, as {large}: invalid memory" in str(done.problem)
    assert await threads.left(large)
    assert await threads.left(other) == await threads.left(plain) == {}
    assert [line["thread_id"] for line in exported(rule)] == [str(other)]


async def test_an_export_holds_little_of_a_large_thread_in_memory(
    conn: Connection, threads: Threads, tmp_path: Path
) -> None:
    """Thirty megabytes of blobs, one of them of three, and many small writes: nothing of it is lost on the way."""
    thread = await threads.make(metadata={"export": True}, steps=3)
    await conn.execute(LARGE, {"thread": str(thread)})
    await threads.run(thread)
    export = Rule(30, tmp_path / "exports")
    tracemalloc.start()
    try:
        done = await prune(conn, export)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert done is not None and (done.deleted, done.exported) == (1, 1)
    (file,) = export.exports.iterdir()
    assert file.stat().st_size > 37_000_000 and peak < 16_000_000
    (line,) = exported(export)
    counts = {section: len(line[section]) for section in ("runs", "checkpoints", "blobs", "writes")}
    assert counts == {"runs": 2, "checkpoints": 3, "blobs": 3 + 251, "writes": 3 + 2500}
    sizes = sorted(len(b64decode(blob["base64"])) for blob in line["blobs"])
    assert sizes[-2:] == [100_000, 3_000_000] and sizes[:4] == [1000, 1000, 1000, 100_000]
    assert len({write["idx"] for write in line["writes"] if write["task_id"] == "many"}) == 2500


async def test_an_export_that_fails_in_the_middle_leaves_no_part_of_a_line(
    conn: Connection, threads: Threads, rule: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Because the disk is full, say."""
    thread = await threads.make(metadata={"export": True})
    await conn.execute(LARGE, {"thread": str(thread)})
    write, written = os.write, 0

    def full(descriptor: int, data: bytes) -> int:
        nonlocal written
        written += len(data)
        if written > 1_000_000:
            raise OSError(28, "No space left on device")
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", full)
    done = await prune(conn, rule)
    assert done is not None and (done.deleted, done.exported) == (0, 0)
    assert "No space left" in str(done.problem) and await threads.left(thread)
    assert exported(rule) == [] and [file.stat().st_size for file in rule.exports.iterdir()] == [0]


async def test_what_was_replaced_is_counted(conn: Connection, threads: Threads, rule: Rule) -> None:
    thread = await threads.make()
    plain = (await holding.would_prune(conn, 30))["bytes"]
    await conn.execute(
        "INSERT INTO server.replaced_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, by_run, task_path,"
        " channel, blob) VALUES (%s, '', '00000002', 't', 1, gen_random_uuid(), '', 'said', %s)",
        (str(thread), os.urandom(50_000)),
    )
    assert (await holding.would_prune(conn, 30))["bytes"] > plain + 50_000
    done = await prune(conn, rule)
    assert done is not None and done.bytes > plain + 50_000 and not await threads.left(thread)
