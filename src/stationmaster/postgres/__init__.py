"""Embedded or external Postgres: where it is, how it is started, migrated and asked."""

import asyncio

from stationmaster.postgres import embedded
from stationmaster.postgres.connect import connect
from stationmaster.postgres.migrate import migrate
from stationmaster.settings import Settings

__all__ = ["connect", "ensure", "migrate", "release"]


async def ensure(settings: Settings) -> str:
    """The URI of a database that answers and has the schema of this version.

    Without a URI in the settings the embedded server is started, or joined, and this process holds it until
    `release` or its end. Safe to call again, and from several processes at once. Raises StationmasterError.
    """
    uri = settings.database_uri or await asyncio.to_thread(embedded.start, settings.data_dir)
    await migrate(uri)
    return uri


async def release(settings: Settings) -> None:
    """This process needs the database no longer; the last one to say so stops the embedded server."""
    await asyncio.to_thread(embedded.release, settings.data_dir)
