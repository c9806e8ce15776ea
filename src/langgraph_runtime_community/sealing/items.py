"""The store with encrypted values. Vectors are made of the plain text: without it they would find nothing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from langgraph.store.base import NOT_PROVIDED, Item, Op, PutOp, Result
from langgraph.store.postgres.aio import AsyncPostgresStore

from langgraph_runtime_community.sealing import blobs
from langgraph_runtime_community.sealing.objects import open_object, seal_values


class Both(dict[str, Any]):
    """A value as it was given, and as it is kept."""

    kept: dict[str, Any]


class SealedStore(AsyncPostgresStore):
    """Seals where a value is put, for there the context of its run is known; the store's batches have none."""

    async def aput(
        self,
        namespace: tuple[str, ...],
        key: str,
        value: Mapping[str, Any],
        index: Any = None,
        *,
        ttl: Any = NOT_PROVIDED,
    ) -> None:
        """Store or replace a value."""
        await super().aput(namespace, key, await _both(value), index, ttl=ttl)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Many operations; values come out opened."""
        given: list[Any] = [
            op._replace(value=await _both(op.value)) if isinstance(op, PutOp) and op.value is not None else op
            for op in ops
        ]
        results = await super().abatch(given)
        for result in results:
            for item in result if isinstance(result, list) else [result]:
                if isinstance(item, Item):
                    item.value = await _opened(item.value)
        return results

    def _prepare_batch_PUT_queries(self, put_ops: Sequence[tuple[int, PutOp]]) -> Any:  # noqa: N802
        """Rows of what is kept, vectors of what was given."""
        _, vectors = super()._prepare_batch_PUT_queries(put_ops)
        kept = [
            (number, op._replace(value=op.value.kept, index=False) if isinstance(op.value, Both) else op)
            for number, op in put_ops
        ]
        rows, _ = super()._prepare_batch_PUT_queries(kept)
        return rows, vectors


async def _both(value: Any) -> Any:
    """What a route has sealed already is opened first."""
    if value is None or isinstance(value, Both):
        return value
    both = Both(await _opened(dict(value)))
    both.kept = await seal_values(dict(both))
    return both


async def _opened(value: dict[str, Any]) -> dict[str, Any]:
    return cast("dict[str, Any]", await open_object(await blobs.open_document(value), "store"))
