"""What the engine works with: database, Agent Server, policies. Made once, where the process is put together."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from stationmaster.reviews.agent_server import AgentServer
from stationmaster.reviews.database import Pool
from stationmaster.reviews.model import Facts, Stamp


class Stamper(Protocol):
    """Who reviews what, until when; `policies.Policies` is one."""

    def stamp(self, facts: Facts, now: datetime) -> Stamp:
        """What is laid down for a review that opens now."""
        ...


@dataclass(frozen=True)
class Desk:
    """`name` tells this process from others in what workers hold. `looks`: a look at a thread holds a connection while
    it waits for the server; a third of the pool is kept free of them, for what must not wait.
    """

    pool: Pool
    server: AgentServer
    policies: Stamper
    name: str
    looks: asyncio.Semaphore = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        at_once = max(1, self.pool.max_size * 2 // 3)
        object.__setattr__(self, "looks", asyncio.Semaphore(at_once))  # the dataclass is frozen
