"""`python -m stationmaster.postgres.snapshot` writes schema.sql: the whole schema as the migrations make it.

The file is for reading and for review; a test fails when it is not what the migrations make.
"""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

from stationmaster.postgres import embedded
from stationmaster.postgres.cluster import binaries
from stationmaster.postgres.errors import MigrationFailed
from stationmaster.postgres.migrate import migrate

SCHEMA = Path(__file__).parent / "schema.sql"
HEADER = "-- Made from the migrations by `python -m stationmaster.postgres.snapshot`; not to be edited.\n\n"
# What differs from one dump to the next: a random token for psql, and the versions.
NOISE = re.compile(r"(\\(un)?restrict .*|-- Dumped (from|by) .*)\n")


async def dump(uri: str) -> str:
    """The schema of a database as SQL, equal for equal schemas."""
    command = (str(binaries() / "pg_dump"), "--schema-only", "--no-owner", "--no-privileges", "--dbname", uri)
    done = await asyncio.to_thread(subprocess.run, command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise MigrationFailed(f"pg_dump failed ({done.stderr.strip()}): see that the database can be reached")
    lines = done.stdout.splitlines(keepends=True)
    return HEADER + "".join(line for line in lines if not NOISE.fullmatch(line))


async def snapshot() -> str:
    """The schema that the migrations make of an empty database, in a server made for this alone."""
    with embedded.temporary() as uri:
        await migrate(uri)
        return await dump(uri)


if __name__ == "__main__":
    SCHEMA.write_text(asyncio.run(snapshot()), encoding="utf-8")
    sys.stdout.write(f"{SCHEMA.name} written\n")
