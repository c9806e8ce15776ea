"""What this room asks of an Agent Server beyond lists of crons: single crons, threads, and runs that are no tick."""

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stationmaster.reconcile.errors import Missing
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.reading_back import cron_from
from stationmaster.reconcile.resources import ServedCron
from stationmaster.reconcile.translating import translated
from stationmaster.reviews.agent_server import AgentServer
from stationmaster.reviews.model import Gone, ThreadSnapshot

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient

TICK = "cron_tick"
"""Metadata of a cron's run, and of the thread that it makes: the number of its row in the history."""
STARTED = "cron_started"
"""Metadata of a run that is no tick: {cron_id, by, tick?}. Admission checks what it says."""
PAGE = 100
# What a run takes of a cron's payload; the rest is the scheduler's own.
TAKEN = (
    "input", "context", "webhook", "interrupt_before", "interrupt_after", "stream_mode", "stream_subgraphs",
    "stream_resumable", "durability",
)  # fmt: skip
SERVERS_OWN = ("cron_id", "langgraph_auth_user", "langgraph_auth_user_id", "langgraph_auth_permissions")


@dataclass(frozen=True)
class CronServer:
    """A server, as the crons room needs it. Errors are ReconcileError, or of reviews where threads are read."""

    client: "LangGraphClient"
    url: str
    gateway: Gateway = field(init=False)
    threads: AgentServer = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gateway", Gateway(self.client, self.url))
        object.__setattr__(self, "threads", AgentServer(self.client, self.url))

    async def cron(self, cron_id: str) -> ServedCron | None:
        """It as it is now; None where there is none."""
        try:
            with translated(self.url):
                row: Any = await self.client.http.get(f"/runs/crons/{cron_id}")
        except Missing:
            return None
        return cron_from(row)

    async def read(self, thread_id: str, run_ids: Iterable[str] = ()) -> ThreadSnapshot | Gone:
        """One look at a thread, with its newest runs and those asked for."""
        return await self.threads.read(thread_id, run_ids)

    async def thread_of(self, tick_id: int) -> str | None:
        """The thread that this tick's run made for itself; None if the server knows none."""
        with translated(self.url):
            found: Any = await self.client.threads.search(
                metadata={TICK: tick_id}, limit=PAGE, select=["thread_id", "metadata"]
            )
        # Filters differ between servers: looked at again.
        own = [row for row in found if (row.get("metadata") or {}).get(TICK) == tick_id]
        return str(own[0]["thread_id"]) if own else None

    async def start(self, cron: ServedCron, started: Mapping[str, Any]) -> Mapping[str, Any]:
        """A run of the cron's payload, with the metadata that a tick would have and who started it; the run.

        On its one thread it is refused while another run is under way there.
        """
        asked = _asked(cron.payload)
        asked["metadata"] = {**cron.metadata, **(cron.payload.get("metadata") or {}), STARTED: dict(started)}
        with translated(self.url):
            if cron.thread_id is None:
                run: Any = await self.client.runs.create(
                    None, cron.assistant_id, on_completion="keep", **asked
                )
            else:
                run = await self.client.runs.create(
                    cron.thread_id, cron.assistant_id, multitask_strategy="reject", **asked
                )
        return run

    async def delete_thread(self, thread_id: str) -> None:
        """Take it away with its runs and checkpoints; nothing happens if it is gone already."""
        try:
            with translated(self.url):
                await self.client.threads.delete(thread_id)
        except Missing:
            return

    async def existing_threads(self, thread_ids: Iterable[str]) -> AsyncIterator[str]:
        """Those of these threads that the server still has."""
        asked = list(thread_ids)
        for start in range(0, len(asked), PAGE):
            with translated(self.url):
                found: Any = await self.client.threads.search(
                    ids=asked[start : start + PAGE], limit=PAGE, select=["thread_id"]
                )
            for row in found:
                yield str(row["thread_id"])


def _asked(payload: Mapping[str, Any]) -> dict[str, Any]:
    """What of a cron's payload a client may ask for."""
    asked: dict[str, Any] = {name: payload[name] for name in TAKEN if payload.get(name) is not None}
    config = dict(payload.get("config") or {})
    given = config.pop("configurable", None) or {}
    configurable = {key: value for key, value in given.items() if key not in SERVERS_OWN}
    if configurable and "context" not in asked:
        config["configurable"] = configurable
    return {**asked, "config": config} if config else asked
