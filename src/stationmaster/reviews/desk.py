"""What the engine works with: database, Agent Server, policies. Made once, where the process is put together."""

from dataclasses import dataclass
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
    """`name` tells this process from others in what workers hold."""

    pool: Pool
    server: AgentServer
    policies: Stamper
    name: str
