"""What every request of the console may use, made once by the composition root."""

import asyncio
from dataclasses import dataclass, field

from starlette.requests import HTTPConnection

from stationmaster.console.changes import Changes
from stationmaster.reviews.access.oidc import Provider
from stationmaster.reviews.agent_server import AgentServer
from stationmaster.reviews.database import Pool
from stationmaster.reviews.supervising import Health
from stationmaster.settings import Settings

TRIALS = 8
"""Runs at once in this process that only try an assistant: each may ask real models."""


@dataclass
class Services:
    """`server`: the Agent Server, for pages that show what it has; one client for the process. `workers`: the loops of
    the review service; ended before its time, it means that nothing is sent. `health`: which of them have failed, and
    which of those stand still."""

    settings: Settings
    pool: Pool
    changes: Changes
    server: AgentServer
    provider: Provider | None = None
    workers: asyncio.Task[None] | None = field(default=None, repr=False)
    health: Health = field(default_factory=Health)
    trials: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(TRIALS), repr=False)

    @property
    def public_url(self) -> str | None:
        """Where people reach the console, without a slash at the end; None: where the request says."""
        return self.settings.public_url and self.settings.public_url.rstrip("/")


def services(request: HTTPConnection) -> Services:
    """The services, from a request of the console or of a part that is mounted in it."""
    return request.state.services
