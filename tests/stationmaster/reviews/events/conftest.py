"""A pool, a receiver, and settings that name it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from stationmaster.reviews.database import Pool, open_pool
from stationmaster.reviews.outbox.queue import Trouble, troubled
from stationmaster.settings import Settings
from tests.stationmaster.reviews.events.receiver import Receiver, receiving

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OLDER_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
EVERYTHING: dict[str, object] = {"every_group": True, "own_groups": []}


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    async with open_pool(database, max_size=10) as pool:
        yield pool


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


def settings_for(*receivers: Receiver, secrets: str = SECRET, **more: Any) -> Settings:
    return settings_of(event_urls=" ".join(f"{receiver.url}#{secrets}" for receiver in receivers), **more)


def settings_of(**values: Any) -> Settings:
    """Settings of these values alone, whatever the environment says."""
    return Settings.model_validate(values)


async def in_trouble(pool: Pool) -> list[Trouble]:
    async with pool.connection() as conn:
        return await troubled(conn, EVERYTHING)


async def due_now(pool: Pool) -> None:
    """As if the wait until the next try, and the time of a worker that died, were over."""
    async with pool.connection() as conn:
        await conn.execute(
            "UPDATE reviews.dispatches SET next_try_at = now(), worked_until = NULL WHERE state = 'waiting'"
        )
