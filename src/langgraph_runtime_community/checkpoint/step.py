"""What a super-step leaves behind, gathered into one statement."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from langgraph_runtime_community import database
from langgraph_runtime_community.errors import LeaseLost
from langgraph_runtime_community.lease import Lease
from stationmaster.postgres.queries import load

SAVE = load(Path(__file__).with_name("step.sql"))["save"]
# Writes wait this long for the checkpoint that follows at once where a step has one task.
PATIENCE_S = 0.002

WriteKey = tuple[str, str, str, int]


@dataclass(frozen=True)
class Write:
    """A pending write: a row of checkpoint_writes."""

    ns: str
    checkpoint: str
    task: str
    path: str
    index: int
    channel: str
    type: str
    blob: bytes
    replace: bool

    @property
    def key(self) -> WriteKey:
        return self.ns, self.checkpoint, self.task, self.index


@dataclass(frozen=True)
class Saved:
    """A checkpoint with its blobs (channel, version, type, bytes)."""

    ns: str
    checkpoint: str
    parent: str | None
    content: dict[str, Any]
    metadata: dict[str, Any]
    blobs: Sequence[tuple[str, str, str, bytes | None]]


@dataclass
class StepWriter:
    """Writes one thread's steps, for a run (fenced) or from outside (refused while a run is in flight).

    Pending writes wait a moment: where the step has one task, its checkpoint follows at once and takes them along.
    With parallel tasks nothing follows, and they are written by themselves.
    """

    thread_id: str
    lease: Lease | None
    execute: Callable[[database.Query, dict[str, Any]], Awaitable[object]] = database.execute
    _waiting: list[Write] = field(default_factory=list)
    _written: asyncio.Future[None] | None = None
    _flushing: set[asyncio.Task[None]] = field(default_factory=set)

    async def add(self, writes: Sequence[Write]) -> None:
        """Return once they are committed."""
        loop = asyncio.get_running_loop()
        self._waiting.extend(writes)
        if self._written is None:
            self._written = loop.create_future()
            loop.call_later(PATIENCE_S, self._flush, self._written)
        await asyncio.shield(self._written)

    async def save(self, saved: Saved) -> None:
        """Commit a checkpoint, and the writes that wait, in one transaction; never before writes under way."""
        writes, written = self._take()
        while self._flushing:
            await asyncio.wait(set(self._flushing))
        await self._commit(writes, written, saved)

    def _take(self) -> tuple[list[Write], asyncio.Future[None] | None]:
        taken = self._waiting, self._written
        self._waiting, self._written = [], None
        return taken

    def _flush(self, expected: asyncio.Future[None]) -> None:
        if self._written is not expected:
            return  # a checkpoint took them along
        writes, written = self._take()
        task = asyncio.get_running_loop().create_task(self._commit(writes, written, None))
        self._flushing.add(task)
        task.add_done_callback(self._flushed)

    def _flushed(self, task: asyncio.Task[None]) -> None:
        self._flushing.discard(task)
        if not task.cancelled():
            task.exception()  # told to those who wait for the future

    async def _commit(
        self, writes: list[Write], written: asyncio.Future[None] | None, saved: Saved | None
    ) -> None:
        try:
            await self._write(writes, saved)
        except BaseException as error:
            if written is not None and not written.done():
                written.set_exception(error if isinstance(error, Exception) else RuntimeError("cancelled"))
                written.exception()  # whoever waits gets it; that nobody does is no fault
            raise
        if written is not None and not written.done():
            written.set_result(None)

    async def _write(self, writes: list[Write], saved: Saved | None) -> None:
        lease = self.lease
        if lease is not None and lease.lost:
            raise lease.lose()
        try:
            await self.execute(SAVE, self._params(writes, saved))
        except LeaseLost:
            raise (lease.lose() if lease else LeaseLost("the run was taken")) from None

    def _params(self, writes: list[Write], saved: Saved | None) -> dict[str, Any]:
        lease = self.lease
        blobs = list(zip(*saved.blobs, strict=True)) if saved and saved.blobs else [None] * 4
        # The same key twice in one statement is an error where it replaces: the later one counts, else the first.
        rows: dict[WriteKey, Write] = {}
        for write in writes:
            if write.replace or write.key not in rows:
                rows[write.key] = write
        columns = list(rows.values())
        return {
            "run": lease.run_id if lease else None,
            "epoch": lease.epoch if lease else None,
            "idle": None if lease else _as_uuid(self.thread_id),
            "thread": self.thread_id,
            "ns": saved.ns if saved else None,
            "channels": _column(blobs[0]),
            "versions": _column(blobs[1]),
            "types": _column(blobs[2]),
            "blobs": _column(blobs[3]),
            "checkpoint": saved.checkpoint if saved else None,
            "parent": saved.parent if saved else None,
            "content": database.json(saved.content) if saved else None,
            "metadata": database.json(saved.metadata) if saved else None,
            **_write_columns(columns),
        }


def _write_columns(rows: list[Write]) -> dict[str, Any]:
    if not rows:
        return dict.fromkeys(
            (
                "w_ns",
                "w_checkpoint",
                "w_task",
                "w_path",
                "w_index",
                "w_channel",
                "w_type",
                "w_blob",
                "w_replace",
            )
        )
    return {
        "w_ns": [row.ns for row in rows],
        "w_checkpoint": [row.checkpoint for row in rows],
        "w_task": [row.task for row in rows],
        "w_path": [row.path for row in rows],
        "w_index": [row.index for row in rows],
        "w_channel": [row.channel for row in rows],
        "w_type": [row.type for row in rows],
        "w_blob": [row.blob for row in rows],
        "w_replace": [row.replace for row in rows],
    }


def _column(values: Sequence[Any] | None) -> list[Any] | None:
    return None if values is None else list(values)


def _as_uuid(thread_id: str) -> UUID | None:
    try:
        return UUID(thread_id)
    except ValueError:
        return None
