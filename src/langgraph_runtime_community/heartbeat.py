"""The sign of life: an OS thread with a connection of its own, so that a busy event loop costs no run its lease."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import structlog
from psycopg.rows import dict_row

from langgraph_runtime_community.config import config
from langgraph_runtime_community.connecting import options
from langgraph_runtime_community.identity import HOST, PID, WORKER_ID
from langgraph_runtime_community.pulse import PULSE
from langgraph_runtime_community.work import BENCH
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("heartbeat.sql"))
BEAT, ASKED = QUERIES["beat"], QUERIES["asked"]
BEATS_A_LEASE = 5
logger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class Asked:
    """What is wanted of a run at work: to stop (`cancel`: how), to be told to other processes too. `gone`: it is ours
    no more, or was deleted."""

    run_id: UUID
    epoch: int
    cancel: str | None
    cancel_reason: str | None
    gone: bool


class Heartbeat:
    """Beats until `stop`. `asked` is called from the thread for each run of ours of which something is wanted:
    the notification may not have come, or there is a pooler that swallows it."""

    def __init__(self, uri: str, asked: Callable[[Asked], None]) -> None:
        self._uri = uri
        self._asked = asked
        self._stopping = threading.Event()
        self._loop_seen = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """The first beat is written before this returns: nothing may be claimed without a lease."""
        with self.connect() as conn:
            self._beat(conn)
        self._thread.start()

    def stop(self) -> None:
        """No more beats; blocks for the time of a statement. The lease runs out by itself."""
        self._stopping.set()
        self._thread.join(timeout=5)

    def loop_is_alive(self) -> None:
        """To be called from the event loop, again and again."""
        self._loop_seen = time.monotonic()

    def _run(self) -> None:
        conn = None
        while not self._stopping.wait(config().lease_s / BEATS_A_LEASE):
            if time.monotonic() - self._loop_seen > config().silence_s:
                continue  # nothing that this process still does can be trusted to end
            try:
                conn = conn if conn and not conn.closed else self.connect()
                self._beat(conn)
            except psycopg.Error as error:
                logger.warning("heartbeat failed", error=str(error))
                if conn:
                    conn.close()
        if conn and not conn.closed:
            conn.close()

    def connect(self) -> psycopg.Connection[dict[str, Any]]:
        """A connection of its own, which nobody else uses; psycopg.OperationalError where there is none to be had."""
        return psycopg.Connection[dict[str, Any]].connect(
            self._uri, autocommit=True, row_factory=dict_row, **options(self._uri, name="heartbeat", connect_s=5),
            # A beat that hangs is none; the next one comes with a new connection.
            options=f"-c statement_timeout={int(config().lease_s * 1000 / 2)}" if config().prepare else "",
        )  # fmt: skip

    def _beat(self, conn: psycopg.Connection[dict[str, Any]]) -> None:
        sent_at = time.monotonic()
        conn.execute(BEAT, {"worker": WORKER_ID, "host": HOST, "pid": PID, "lease": config().lease_s})
        PULSE.beat(sent_at)
        held = (
            {lease.run_id: lease.epoch for lease in list(bench.leases.values())}
            if (bench := BENCH.get())
            else {}
        )
        if held:
            for row in conn.execute(ASKED, {"runs": list(held), "epochs": list(held.values())}):
                self._asked(Asked(epoch=held[row["run_id"]], **row))
