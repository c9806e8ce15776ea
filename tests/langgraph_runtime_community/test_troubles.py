"""A run whose attempts are used up says what the last one failed with: on its row, in its thread, to its webhook and
its clients; in a line without secrets."""

from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from langgraph_sdk.client import LangGraphClient

from langgraph_runtime_community.attempts import LONGEST, UNREACHABLE, in_words
from langgraph_runtime_community.errors import translated
from tests.langgraph_runtime_community.conftest import HOOK_SECRET
from tests.langgraph_runtime_community.test_hooks import Receiver
from tests.langgraph_runtime_community.world import World, key

FULL = "could not extend file: No space left on device"
NO_ROOM = f"""
    CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION '{FULL}' USING ERRCODE = '53100', DETAIL = 'a detail of somebody''s data';
    END $$;
    CREATE TRIGGER no_room BEFORE INSERT ON public.checkpoints FOR EACH ROW
    WHEN (NEW.metadata ? 'no_room') EXECUTE FUNCTION no_room()
"""


@pytest.fixture
def world(served_database: str) -> World:
    return World(served_database)


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    assert HOOK_SECRET
    receiver = Receiver()
    async with receiver.listening():
        yield receiver


async def test_it_says_what_the_last_attempt_failed_with(
    client: LangGraphClient, world: World, receiver: Receiver
) -> None:
    thread, metadata = (await client.threads.create())["thread_id"], {"no_room": 1}
    world.change(NO_ROOM)
    try:
        events = [
            part
            async for part in client.runs.stream(
                thread, "steps", input={"key": key(), "slow": 0}, metadata=metadata, webhook=receiver.url,
                stream_mode="updates",
            )
        ]  # fmt: skip
    finally:
        world.change("DROP TRIGGER no_room ON public.checkpoints; DROP FUNCTION no_room")
    run = (await client.runs.list(thread))[0]["run_id"]
    (hook,) = await receiver.of(run)
    row: Any = await client.threads.get(thread)
    assert row["status"] == hook["status"] == "error"
    told = row["error"]["message"]
    assert "max attempts (3): attempt 3 was the last" in told and f"DiskFull: {FULL}" in told
    assert "somebody's data" not in told and "\n" not in told
    assert hook["error"]["message"] == events[-1].data["message"] == told
    kept = world.run(run)["trouble"]
    assert kept["attempt"] == 3 and kept["error"] == f"DiskFull: {FULL}" and kept["told"] is True


async def test_a_run_whose_workers_died_says_that(
    client: LangGraphClient, world: World, receiver: Receiver
) -> None:
    """As recovered from a dead worker, three times; stateless, so that only the webhook can tell."""
    run = await client.runs.create(
        None, "steps", input={"key": key(), "slow": 0}, webhook=receiver.url, after_seconds=3600
    )
    world.change(
        "UPDATE server.runs SET attempt = 3, epoch = 3, due_at = now(), trouble = jsonb_build_object('epoch', 3,"
        " 'attempt', 3, 'error', 'its process (a host, pid 7) ended or fell silent', 'told', false)"
        " WHERE run_id = %s", run["run_id"],
    )  # fmt: skip
    (hook,) = await receiver.of(run["run_id"])
    assert "failed with: its process ended or fell silent." in hook["error"]["message"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            translated(psycopg.OperationalError('connection to server at "h", port 5432 failed: role "r"')),
            f"OperationalError: {UNREACHABLE}",
        ),
        (translated(psycopg.errors.DiskFull("full\nDETAIL: a row")), "DiskFull: full"),
        (RuntimeError(), "RuntimeError"),
        (ValueError("\n\n  second line\nthird"), "ValueError: second line"),
        (ValueError("at postgres://ann:s3cret@host/db"), "ValueError: at postgres://***@host/db"),
        (ValueError("host=h password=s3cret user=u"), "ValueError: host=h password=*** user=u"),
        (ValueError("nul \x00 here"), "ValueError: nul  here"),
    ],
)
def test_it_is_one_line_without_secrets(stock_config: None, error: Exception, words: str) -> None:
    assert in_words(error) == words


def test_it_is_short(stock_config: None) -> None:
    assert len(in_words(ValueError("x" * 10_000))) == LONGEST
