"""One Agent Server: threads are read, runs are started, and what goes wrong is told plainly."""

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from langgraph_sdk import get_client
from langgraph_sdk.errors import NotFoundError

from stationmaster.reviews.agent_server.learning import TTL_S, Learning
from stationmaster.reviews.agent_server.translating import (
    NeverArrived,
    ThreadMissing,
    reading_state,
    require_its_own,
    require_told_by_itself,
    translated,
)
from stationmaster.reviews.errors import AgentServerRefused, AgentServerUnavailable
from stationmaster.reviews.model import Beginning, Checkpoint, Gone, ThreadSnapshot
from stationmaster.reviews.questions import makers
from stationmaster.reviews.reading import checkpoint_from, snapshot_from
from stationmaster.reviews.vanishing import Vanishing

TIMEOUT_S = (5.0, 30.0, 30.0, 30.0)
"""To connect, read, write, and for a free connection."""
RUNS_READ = 10
LOOKS = 5
"""At a thread that one run after another moves, before it is left for later."""
PAGE = 1000
HISTORY_PAGE, HISTORY_PAGES = 20, 50
SELECT: Any = ["thread_id", "status", "state_updated_at"]
ONLY_IF = "stationmaster_only_if"
"""Reserved in a run's metadata by the durable runtime, which removes it: {interrupt_id, digest}."""
OFFERS, CONDITIONAL_RESUME = "x-stationmaster-offers", "conditional-resume"


@dataclass(frozen=True)
class ThreadRow:
    """What the sweep needs to know of a thread."""

    thread_id: str
    status: str
    state_updated_at: datetime


@dataclass(frozen=True)
class Course:
    """What a run made of a thread: the checkpoint on which it began (the newest, if it made none), and its own first
    and last."""

    before: Checkpoint | None = None
    first: Checkpoint | None = None
    last: Checkpoint | None = None


@dataclass
class AgentServer(Learning):
    """A server and what was learned about its assistants; safe to share between tasks."""

    vanishing: Vanishing = field(default_factory=Vanishing)
    _conditions: tuple[float, bool] = (0.0, False)

    async def read(self, thread_id: str, run_ids: Iterable[str] = ()) -> ThreadSnapshot | Gone:
        """One look at a thread: row, state with subgraphs, newest runs, and the runs asked for.

        The row and the runs are read before the state: a run that ended before the state was read is then never
        taken for one that comes later. Nor is a run that began in between taken for one that was over: a state that is
        newer than all runs of the list is read again with them.
        """
        wanted = set(run_ids)
        with translated(self.url):
            seen = await self._look(thread_id, wanted)
            for _ in range(LOOKS):
                if isinstance(seen, Gone):
                    return seen
                if not (
                    unseen := makers(seen.checkpoint) - {run.run_id for run in seen.runs} - seen.forgotten
                ):
                    break
                wanted |= unseen
                seen = await self._look(thread_id, wanted)
            else:
                raise AgentServerUnavailable(
                    f"thread {thread_id} moves faster than it can be read: look again"
                )
        self.vanishing.found(thread_id)
        return seen

    async def _look(self, thread_id: str, run_ids: Collection[str]) -> ThreadSnapshot | Gone:
        row, runs = await asyncio.gather(
            self._row(thread_id), self.client.runs.list(thread_id, limit=RUNS_READ), return_exceptions=True
        )
        if isinstance(row, BaseException):
            raise row
        if row is None:
            return Gone(thread_id)
        if isinstance(runs, BaseException):
            raise runs
        more, forgotten = [], set[str]()
        for run_id in set(run_ids) - {run["run_id"] for run in runs}:
            try:
                more.append(await self.client.runs.get(thread_id, run_id))
            except NotFoundError as error:
                require_its_own(error)
                forgotten.add(run_id)
        with reading_state():
            state = await self.client.threads.get_state(thread_id, subgraphs=True)
        return snapshot_from(row, state, [*runs, *more], frozenset(forgotten))

    async def confirm_gone(self, thread_id: str) -> None:
        """After a look at which it was gone; ThreadMissing as long as that may have another reason.

        It is sure when this server still knows another thread that was there before. Where none tells, time does.
        """
        self.vanishing.missed(thread_id)
        for witness in self.vanishing.witnesses():
            with translated(self.url):
                if await self._row(witness) is not None:
                    self.vanishing.settled(thread_id)
                    return
            self.vanishing.missed(witness)
        if not self.vanishing.is_over(thread_id):
            raise ThreadMissing(
                f"the Agent Server at {self.url} does not know thread {thread_id} (any more), and that may be "
                "another server or an empty one: it is looked at again; if all threads were deleted, wait an hour",
                404,
            )
        self.vanishing.settled(thread_id)

    async def beginning(self, thread_id: str, run_id: str, namespace: str) -> Beginning | None:
        """Where a run took the thread up, or a subgraph of it, as the history tells; None when the server can't say."""
        try:
            course = await self.course(thread_id, run_id, namespace)
        except NeverArrived:
            raise
        except (AgentServerRefused, AgentServerUnavailable):
            return None
        if course.before is None:
            return Beginning(course.first and course.first.parent_id, moved=course.first is not None)
        return Beginning(
            course.before.checkpoint_id,
            course.before.source,
            course.before.parent_id,
            course.first is not None,
        )

    async def course(self, thread_id: str, run_id: str, namespace: str = "") -> Course:
        """What a run made of a thread, or of a subgraph, from the history."""
        first: Checkpoint | None = None
        last: Checkpoint | None = None
        newest: Checkpoint | None = None
        async for made in self.history(thread_id, namespace):
            newest = newest or made
            if made.run_id == run_id:
                first, last = made, last or made
            elif first is not None and made.checkpoint_id == first.parent_id:
                return Course(made, first, last)
        return Course(None if first else newest, first, last)

    async def history(self, thread_id: str, namespace: str = "") -> AsyncIterator[Checkpoint]:
        """The thread's checkpoints, or those of a subgraph, the newest first."""
        before: str | None = None
        at: Any = {"checkpoint_ns": namespace} if namespace else None
        for _ in range(HISTORY_PAGES):
            with translated(self.url):
                page = await self.client.threads.get_history(
                    thread_id, limit=HISTORY_PAGE, before=before, checkpoint=at
                )
            for state in page:
                yield checkpoint_from(state)
            if len(page) < HISTORY_PAGE:
                return
            before = checkpoint_from(page[-1]).checkpoint_id

    async def waits(self, thread_id: str) -> bool:
        """Whether the thread stands before a node or a question: a cheaper look, for those that mostly don't.

        What waits in a subgraph shows at the top as well.
        """
        with translated(self.url):
            try:
                state = await self.client.threads.get_state(thread_id)
            except NotFoundError:
                return False
        return bool(state["next"] or state.get("interrupts") or state["tasks"])

    async def resume(
        self,
        thread_id: str,
        assistant_id: str,
        answers: Mapping[str, Any],
        *,
        stamp: Mapping[str, str],
        update: Mapping[str, Any] | None = None,
        only_if: Mapping[str, str] | None = None,
    ) -> str:
        """Start a run that answers by interrupt id; its id. ThreadBusy when another run is under way.

        `stamp`: its metadata, by which it is found again. `only_if`: {interrupt_id, digest}; where the server takes
        conditions, ThreadBusy too when that is not what is pending when the run is accepted.
        """
        command: dict[str, Any] = {"resume": dict(answers)}
        if update:
            command["update"] = dict(update)
        condition = {ONLY_IF: dict(only_if)} if only_if and await self.takes_conditions() else {}
        return await self._start(thread_id, assistant_id, {**stamp, **condition}, command=command)

    async def takes_conditions(self) -> bool:
        """Whether the server resumes a thread only if the question is still pending; kept for a while.

        Another server leaves the condition among the run's metadata, and heeds it not. AgentServerUnavailable for an
        answer that is not the server's own, as of a proxy while there is none: it says nothing of what comes after.
        """
        if self._conditions[0] <= time.monotonic():
            with translated(self.url):
                answer = await self.client.http.client.get("/info")
            if OFFERS not in answer.headers:
                require_told_by_itself(answer, self.url)
            offers = answer.headers.get(OFFERS, "").split(",")
            takes = CONDITIONAL_RESUME in {offer.strip() for offer in offers}
            self._conditions = (time.monotonic() + TTL_S, takes)
        return self._conditions[1]

    async def continue_(self, thread_id: str, assistant_id: str, *, stamp: Mapping[str, str]) -> str:
        """Start a run that goes on from where the thread stands; its id. ThreadBusy as above."""
        return await self._start(thread_id, assistant_id, stamp, input=None)

    async def update_state(
        self, thread_id: str, values: Any, *, as_node: str | None, checkpoint: Mapping[str, Any] | None = None
    ) -> None:
        """Write into the state of a thread that stands still, as if `as_node` had returned `values`."""
        with translated(self.url):
            await self.client.threads.update_state(
                thread_id, values, as_node=as_node, checkpoint=_checkpoint(checkpoint)
            )

    async def give_thread_to(self, thread_id: str, assistant: Mapping[str, Any]) -> None:
        """From now on the thread's state is read by the graph of this assistant."""
        whose = {"graph_id": assistant["graph_id"], "assistant_id": assistant["assistant_id"]}
        with translated(self.url):
            await self.client.threads.update(thread_id, metadata=whose)

    async def join(self, thread_id: str, run_id: str, timeout_s: float) -> bool:
        """Wait for the run's end, whatever it is; False when it still runs after `timeout_s`."""
        with translated(self.url):
            try:
                async with asyncio.timeout(timeout_s):
                    await self.client.runs.join(thread_id, run_id)
            except (TimeoutError, NotFoundError):
                return False
        return True

    async def threads(self) -> AsyncIterator[list[ThreadRow]]:
        """All threads in pages, by `state_updated_at`, newest first. One that changes meanwhile may come twice."""
        offset = 0
        while True:
            with translated(self.url):
                # Without `select` each row would carry the thread's whole state.
                found: Any = await self.client.threads.search(
                    select=SELECT,
                    limit=PAGE, offset=offset, sort_by="state_updated_at", sort_order="desc",
                )  # fmt: skip
            yield [
                ThreadRow(row["thread_id"], row["status"], datetime.fromisoformat(row["state_updated_at"]))
                for row in found
            ]
            if len(found) < PAGE:
                return
            offset += PAGE

    async def _row(self, thread_id: str) -> Mapping[str, Any] | None:
        """The thread; None when the server itself says that there is none."""
        try:
            return {**await self.client.threads.get(thread_id)}
        except NotFoundError as error:
            require_its_own(error)
            return None

    async def _start(self, thread_id: str, assistant_id: str, stamp: Mapping[str, Any], **what: Any) -> str:
        """`reject`: where another run is under way nothing is started, so that no answer waits in a queue while
        its question changes."""
        with translated(self.url):
            run = await self.client.runs.create(
                thread_id, assistant_id, multitask_strategy="reject", metadata=dict(stamp), **what
            )
        return run["run_id"]


@asynccontextmanager
async def connect(url: str, api_key: str | None = None) -> AsyncIterator[AgentServer]:
    """A server, for as long as the block lasts. No key is passed as None: left out, the SDK would send
    LANGSMITH_API_KEY."""
    async with get_client(url=url, api_key=api_key, timeout=TIMEOUT_S) as client:
        yield AgentServer(client, url)


def _checkpoint(config: Mapping[str, Any] | None) -> Any:
    return dict(config) if config else None
