"""The cron slot that a run is made for, told from the cron loop to the place where the run is accepted.

A context variable and no key of the request: a client could send the key and use up slots of others.
"""

from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class Slot:
    """A planned time of a cron."""

    cron_id: UUID
    at: datetime


SLOT: ContextVar[Slot | None] = ContextVar("community_runtime_slot", default=None)
