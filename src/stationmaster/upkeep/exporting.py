"""Flagged threads as JSON lines, on the disk before anything of them goes."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import psycopg

from stationmaster.upkeep.database import Connection
from stationmaster.upkeep.lines import line_of


@dataclass
class Export:
    """One file a pass, made with the first line. Killed in the middle it leaves a part of a line, whose thread is
    still there."""

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

        Within a transaction that holds them. What fails, OSError included, leaves no part of a line behind.
        """
        unreadable: dict[UUID, str] = {}
        for thread in threads:
            begun = await asyncio.to_thread(self._size)
            try:
                async with conn.transaction(), aclosing(line_of(conn, thread)) as pieces:
                    async for piece in pieces:
                        await asyncio.to_thread(self._append, piece)
            except psycopg.Error as error:
                await asyncio.to_thread(self._shorten, begun)
                if conn.broken:
                    raise
                unreadable[thread] = str(error).splitlines()[0]
            except BaseException:
                await asyncio.to_thread(self._shorten, begun)
                raise
        await asyncio.to_thread(self._sync)
        return unreadable

    def _append(self, piece: bytes) -> None:
        if self._descriptor is None:
            self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            name = f"threads-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.getpid()}.jsonl"
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            self._descriptor = os.open(self.directory / name, flags, 0o600)
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def _size(self) -> int:
        return 0 if self._descriptor is None else os.fstat(self._descriptor).st_size

    def _shorten(self, size: int) -> None:
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, size)

    def _sync(self) -> None:
        if self._descriptor is not None:
            os.fsync(self._descriptor)
