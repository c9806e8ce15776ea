"""What this runtime can be told, as variables of the server process; `stationmaster` sets them from its settings."""

import os
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

PREFIX = "COMMUNITY_RUNTIME_"


@dataclass(frozen=True)
class Config:
    """Times in seconds. Each field is read from PREFIX and its name in capitals."""

    lease_s: float = 10.0
    """A worker that was silent for so long loses its runs to others."""
    poll_s: float = 1.0
    """How often an idle process looks for runs that nobody told it of."""
    silence_s: float = 60.0
    """An event loop that is blocked for longer loses its lease although its process is alive."""
    drain_s: float = 8.0
    """What runs get to finish once the process was asked to stop; the rest goes back to the queue."""
    pool_size: int = 20
    pool_timeout_s: float = 10.0
    prepare: int = 1
    """0 behind a pooler in transaction mode, which knows no prepared statements."""
    events_keep_s: float = 86_400.0
    """How long stream events can be asked for again after their run."""
    hooks_keep_s: float = 86_400.0
    """How long a webhook that can't be delivered is tried again."""
    keys_keep_s: float = 604_800.0
    """How long an idempotency key stands for its run."""
    refuse_input: int = 0
    """1: new input on a thread that waits for an answer is refused, unless a run says otherwise."""


@cache
def config() -> Config:
    """The configuration of this process."""
    given = {
        field.name: _number(field.name, os.environ[name])
        for field in fields(Config)
        if (name := PREFIX + field.name.upper()) in os.environ
    }
    return Config(**given)


def _number(name: str, text: str) -> Any:
    return int(text) if name in {"pool_size", "prepare", "refuse_input"} else float(text)
