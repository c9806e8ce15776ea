"""Flagged threads as JSON lines, on the disk before anything of them goes."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import psycopg

from stationmaster.postgres.queries import load
from stationmaster.upkeep.database import Connection, one

QUERIES = load(Path(__file__).with_name("exporting.sql"))


@dataclass
class Export:
    """One file a pass, made with the first line. One that is cut off may leave a line whose thread is still there."""

    directory: Path
    _descriptor: int | None = None

    @classmethod
    @asynccontextmanager
    async def into(cls, directory: Path) -> AsyncIterator["Export"]:
        """An export for the length of a block."""
        export = cls(directory)
        try:
            yield export
        finally:
            if export._descriptor is not None:
                os.close(export._descriptor)

    async def write(self, conn: Connection, threads: Sequence[UUID]) -> dict[UUID, str]:
        """Add threads, and come back once they are on the disk; why not, of those that can't be read as one line.

        Within a transaction. OSError leaves no part of a line behind.
        """
        unreadable: dict[UUID, str] = {}
        for thread in threads:
            try:
                async with conn.transaction():
                    line = (await one(conn, QUERIES["threads"], {"thread": thread}))["line"]
            except psycopg.Error as error:
                if conn.broken:
                    raise
                unreadable[thread] = str(error).splitlines()[0]
                continue
            await asyncio.to_thread(self._append, line.replace("\n", " ").encode() + b"\n")
        await asyncio.to_thread(self._sync)
        return unreadable

    def _append(self, line: bytes) -> None:
        if self._descriptor is None:
            self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            name = f"threads-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.getpid()}.jsonl"
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            self._descriptor = os.open(self.directory / name, flags, 0o600)
        begun = os.fstat(self._descriptor).st_size
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError:
            os.ftruncate(self._descriptor, begun)
            raise

    def _sync(self) -> None:
        if self._descriptor is not None:
            os.fsync(self._descriptor)
