"""All migrations of a database: the tool's, those of the durable server and its libraries, those of upkeep."""

import asyncio
import os
import sys

from stationmaster.errors import StationmasterError
from stationmaster.postgres import embedded, ensure
from stationmaster.postgres.migrate import noted
from stationmaster.settings import Settings
from stationmaster.upkeep import database

# Nobody imports the runtime; it takes the same variables as in a server, where it asks none of these.
RUNTIME = ("-m", "langgraph_runtime_community")
PLACE_HOLDERS = {"REDIS_URI": "none", "MIGRATIONS_PATH": "none", "LANGSMITH_LANGGRAPH_API_VARIANT": ""}


async def migrate(settings: Settings) -> list[str]:
    """Apply what is missing; what was applied."""
    uri = settings.database_uri or await asyncio.to_thread(embedded.start, settings.data_dir)
    before = await noted(uri)
    await ensure(settings)
    await _runtime(uri)
    await database.prepare(uri)
    return sorted(await noted(uri) - before)


async def _runtime(uri: str) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *RUNTIME, env={**os.environ, **PLACE_HOLDERS, "DATABASE_URI": uri},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, said = await process.communicate()
    if process.returncode:
        lines = said.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        reason = next((line for line in lines if line.startswith("error: ")), lines[-1]).removeprefix(
            "error: "
        )
        raise StationmasterError(f"the durable server's tables can't be made: {reason}")
