"""What runs and what waits under an assistant, and what threads have cost: asked of the server through the gateway."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.translating import translated

PAGE = 200


@dataclass(frozen=True)
class Thread:
    """A thread as far as its cost goes. `usage` is the state's key of that name, {} where the graph keeps none."""

    thread_id: str
    created_at: str
    usage: Mapping[str, Any]


async def running(gateway: Gateway, assistant_id: str) -> int:
    """Threads on which a run of the assistant is under way or queued."""
    return await _count(gateway, assistant_id, "busy")


async def waiting(gateway: Gateway, assistant_id: str) -> int:
    """Threads that stopped at a question. A hint: some that wait read `error` or `idle`; reviews know better."""
    return await _count(gateway, assistant_id, "interrupted")


async def threads(gateway: Gateway, thread_ids: Sequence[str]) -> list[Thread]:
    """Those that are still there, without their state but for `usage`."""
    found: list[Thread] = []
    for ids in _pages(thread_ids):
        with translated(gateway.url):
            rows: Any = await gateway.client.threads.search(
                ids=ids, limit=len(ids), select=["thread_id", "created_at"], extract={"usage": "values.usage"}
            )
        found += [
            Thread(str(row["thread_id"]), str(row["created_at"]), _mapping(_extracted(row))) for row in rows
        ]
    return found


async def _count(gateway: Gateway, assistant_id: str, status: Any) -> int:
    with translated(gateway.url):
        return await gateway.client.threads.count(status=status, metadata={"assistant_id": assistant_id})


def _pages(ids: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(ids), PAGE):
        yield list(ids[start : start + PAGE])


def _extracted(row: Mapping[str, Any]) -> object:
    return _mapping(row.get("extracted")).get("usage")


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
