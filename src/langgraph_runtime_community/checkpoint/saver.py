"""The checkpointer that the server asks for: AsyncPostgresSaver's reading, our writing, no lock between runs."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import cache
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import WRITES_IDX_MAP, ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.postgres import aio as library
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.types import _DeltaSnapshot  # pyright: ignore[reportPrivateUsage]
from psycopg import AsyncCursor
from psycopg.pq import Format
from psycopg.rows import DictRow, dict_row

from langgraph_runtime_community import database
from langgraph_runtime_community.checkpoint.step import Saved, StepWriter, Write
from langgraph_runtime_community.lease import LEASE, Lease
from langgraph_runtime_community.sealing.blobs import active, opened_bytes, require_open, seal, seals_bytes
from langgraph_runtime_community.sealing.objects import open_object, seal_metadata

# Of `configurable`: what the columns say, and what belongs to one request alone.
NOT_KEPT = frozenset(
    {
        "checkpoint_ns", "checkpoint_id", "thread_id", "langgraph_request_id", "langgraph_auth_user",
        "langgraph_auth_user_id", "langgraph_auth_permissions",
    }
)  # fmt: skip
SURE = object()
LARGEST_INT, LARGEST_FLOAT = 2**63, 1e15
# The library looks for the last snapshot of a delta channel among so many checkpoints at once, for each state that it
# shows. Its own thousand reads a whole thread for each state of a page of history; a snapshot is rarely as far.
DELTA_PAGE = 128


class Checkpointer(AsyncPostgresSaver):
    """One a run, or one a request. It belongs to the run in whose worker it was made, and writes as that.

    `held`: a connection in a transaction, in which all is read and written as long as it is set.
    `conn` and `use_direct_connection` are what the server passes to every runtime; connections come from the pool.
    """

    latest_iter: AsyncIterator[Any] | None = None

    def __init__(
        self,
        conn: Any = None,
        *,
        unpack_hook: Callable[[int, bytes], Any] | None = None,
        use_direct_connection: bool = False,
        lease: Lease | object | None = SURE,
    ) -> None:
        kind = _serializer()
        serde = kind(__unpack_ext_hook__=unpack_hook) if unpack_hook else kind()
        super().__init__(cast("Any", database.pool()), serde=serde)
        library._DELTA_PAGE_SIZE = DELTA_PAGE  # noqa: SLF001  # pyright: ignore[reportPrivateUsage, reportPrivateImportUsage]
        self.lease = LEASE.get() if lease is SURE else cast("Lease | None", lease)
        self.held: database.Connection | None = None
        self._writers: dict[str, StepWriter] = {}

    def _writer(self, config: RunnableConfig) -> StepWriter:
        thread_id = str(config.get("configurable", {})["thread_id"])
        if thread_id not in self._writers:
            lease = self.lease if self.lease and str(self.lease.thread_id) == thread_id else None
            self._writers[thread_id] = StepWriter(thread_id, lease, self._execute)
        return self._writers[thread_id]

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint with the writes of its step; LeaseLost if the run is another worker's."""
        configurable = config.get("configurable", {})
        ns, parent = configurable.get("checkpoint_ns", ""), configurable.get("checkpoint_id")
        inline, apart = _parted(checkpoint, seals_bytes())
        versions = {
            name: version for name, version in _new(new_versions, checkpoint).items() if name in apart
        }
        rows = self._dump_blobs("", "", apart, versions)
        saved = Saved(
            ns, str(checkpoint["id"]), str(parent) if parent else None, inline,
            await seal_metadata(kept_metadata(config, metadata)),
            [(row[2], row[3], row[4], row[5] and await seal(row[5])) for row in rows],
        )  # fmt: skip
        await self._writer(config).save(saved)
        return {
            "configurable": {
                "thread_id": configurable["thread_id"],
                "checkpoint_ns": ns,
                "checkpoint_id": checkpoint["id"],
            }
        }

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a task wrote before its step is over."""
        configurable = config.get("configurable", {})
        replace = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        rows = self._dump_writes(
            "",
            configurable.get("checkpoint_ns", ""),
            configurable["checkpoint_id"],
            task_id,
            task_path,
            writes,
        )
        sealed = [(*row[1:-1], await seal(row[-1])) for row in rows]
        await self._writer(config).add([Write(*row, replace) for row in sealed])

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Called between a step and the next one, with nothing awaited: the place to stop a run without a lease.

        Saving would not: it goes on beside the next step, whose effects would be there by then.
        """
        if self.lease is not None:
            self.lease.require()
        return super().get_next_version(current, channel)

    async def _execute(self, query: database.Query, params: dict[str, Any]) -> None:
        if self.held is None:
            await database.execute(query, params)
        else:
            await self.held.execute(query, params)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove what these runs saved."""
        from langgraph_runtime_community.checkpoint import storage

        await storage.delete_for_runs(run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints of a thread."""
        from langgraph_runtime_community.checkpoint import storage

        await storage.copy_thread(source_thread_id, target_thread_id)

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        """A connection for each operation: the library's lock would let the reads of a run wait for each other."""
        kind = OpeningCursor if active() else AsyncCursor[DictRow]
        taken = nullcontext(self.held) if self.held else database.connection()
        async with taken as conn, kind(conn, row_factory=dict_row) as cursor:
            cursor.format = Format.BINARY
            if pipeline:
                async with conn.transaction():
                    yield cursor
            else:
                yield cursor


@cache
def _serializer() -> Any:
    """The server's, which refuses what is sealed still: msgpack would take it for the number 0."""
    from langgraph_api.serde import Serializer

    class Checked(Serializer):
        def loads_typed(self, data: tuple[str, bytes]) -> Any:
            return super().loads_typed((data[0], require_open(data[1])))

    return Checked


class OpeningCursor(AsyncCursor[DictRow]):
    """Gives the library rows in which everything that was sealed is open."""

    async def fetchone(self) -> DictRow | None:
        """The next row."""
        row = await super().fetchone()
        return None if row is None else await _opened(row)

    async def fetchall(self) -> list[DictRow]:
        """The rest of them."""
        return [await _opened(row) for row in await super().fetchall()]

    async def __anext__(self) -> DictRow:
        return await _opened(await super().__anext__())


async def _opened(row: DictRow) -> DictRow:
    opened = {name: await opened_bytes(value) for name, value in row.items()}
    return {**opened, "metadata": await open_object(row["metadata"])} if "metadata" in row else opened


def _new(new_versions: ChannelVersions, checkpoint: Checkpoint) -> ChannelVersions:
    """The versions of channels to write. With encryption plain values are blobs; one from before it has none yet."""
    if not seals_bytes():
        return new_versions
    known = checkpoint["channel_versions"]
    plain = {name: known[name] for name, value in checkpoint["channel_values"].items() if _is_plain(value)}
    return {**{name: version for name, version in plain.items() if version}, **new_versions}


def _parted(checkpoint: Checkpoint, sealed: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """The checkpoint with plain values in it, unless `sealed`, and the values that become blobs, as the library
    stores them."""
    inline: dict[str, Any] = {}
    apart: dict[str, Any] = {}
    for name, value in checkpoint["channel_values"].items():
        if isinstance(value, _DeltaSnapshot):
            apart[name] = value
            inline[name] = True
        elif not sealed and _is_plain(value):
            inline[name] = value
        else:
            apart[name] = value
    return {**checkpoint, "channel_values": inline}, apart


def _is_plain(value: object) -> bool:
    """Whether JSON in Postgres gives a value back as it was. Not so: NUL, a subclass such as StrEnum, NaN and
    infinity, numbers beyond 64 bits, and floats so large that they come back as whole numbers."""
    kind = type(value)
    if kind is str:
        return "\x00" not in cast("str", value)
    if kind is int:
        return abs(cast("int", value)) < LARGEST_INT
    if kind is float:
        return abs(cast("float", value)) < LARGEST_FLOAT
    return value is None or kind is bool


def kept_metadata(config: RunnableConfig, metadata: CheckpointMetadata) -> dict[str, Any]:
    """What the server shows as a checkpoint's metadata: of the run's configurable, its metadata, and the step's."""
    configurable = {
        name: value
        for name, value in config.get("configurable", {}).items()
        if not name.startswith("__") and name not in NOT_KEPT
    }
    run = {name: value for name, value in config.get("metadata", {}).items() if name not in NOT_KEPT}
    step = {name: value for name, value in metadata.items() if name not in NOT_KEPT and name != "writes"}
    return {**configurable, **run, **step}
