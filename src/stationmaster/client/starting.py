"""Starting a run once: under a key, so that neither a broken connection nor a second try makes two of it."""

import asyncio
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import InternalServerError, NotFoundError

from stationmaster.client.errors import NotTaken
from stationmaster.client.patience import PASSING, Limits, Patience, Tell, named, within
from stationmaster.client.sending import NothingSent, posted

START_KEY = "start_key"
"""In a run's metadata: what its caller finds it by."""
CANARY_KEY = "canary_key"
"""In a run's metadata: what a canary is decided by, instead of the thread's id. The server reads it."""
RUNS_READ = 100
FIRST_LOOK_S = 0.2
UNDECIDED = (httpx.TransportError, InternalServerError)
"""What a POST can end with that says nothing of the run: a proxy answers 502 or 504 for a server that goes on."""


@dataclass(frozen=True)
class Started:
    """A run that the server has taken."""

    thread_id: str
    run_id: str


async def start(
    client: LangGraphClient,
    thread_id: str,
    assistant_id: str,
    *,
    key: str | None = None,
    canary_key: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    tell: Tell | None = None,
    **options: Any,
) -> Started:
    """Start a run in the background, once; `options` are those of the SDK's `runs.create` (input, command, ...).

    With a `key` of the caller's, a run of the thread that has it already is returned instead: a script that is
    started again sends nothing twice. `canary_key` (a customer, a tenant) decides the arm of a canary instead of the
    thread's id. Raises NotTaken when the answer was lost, or was a 5xx, and no such run came for `limits.late_s`;
    ServerAway.
    """
    limits = limits or Limits()
    if key is not None and (there := await find_before(client, thread_id, key, limits, tell)):
        return there
    key = key or uuid.uuid4().hex
    body = run_body(assistant_id, {"stream_resumable": True, **options}, metadata, key, canary_key)
    patience = Patience(limits, "a run was being started", "nothing was started; try again", tell)
    while True:
        try:
            async with posted(client, f"/threads/{thread_id}/runs", body, limits) as response:
                await response.aread()
        except NothingSent as error:
            await patience.lost(error)
        except UNDECIDED as error:
            return await find_taken(client, thread_id, key, error, limits, tell)
        else:
            return Started(thread_id, response.json()["run_id"])


def run_body(
    assistant_id: str,
    options: Mapping[str, Any],
    metadata: Mapping[str, Any] | None,
    key: str,
    canary_key: str | None,
) -> dict[str, Any]:
    """What starts a run, as the SDK would write it, with the keys of this module in its metadata."""
    keys = {START_KEY: key, CANARY_KEY: canary_key}
    named_keys = {name: value for name, value in keys.items() if value is not None}
    given = {name: value for name, value in options.items() if value is not None}
    return {**given, "assistant_id": assistant_id, "metadata": {**(metadata or {}), **named_keys}}


async def find_started(client: LangGraphClient, thread_id: str, key: str) -> Started | None:
    """The run of the thread (of its newest hundred) that was started under `key`."""
    try:
        runs = await client.runs.list(thread_id, limit=RUNS_READ)
    except NotFoundError:
        return None
    for run in runs:
        if (run.get("metadata") or {}).get(START_KEY) == key:
            return Started(thread_id, run["run_id"])
    return None


async def find_before(
    client: LangGraphClient, thread_id: str, key: str, limits: Limits, tell: Tell | None
) -> Started | None:
    """The run that an earlier try has started under `key`; ServerAway when the server can't say for too long."""
    patience = Patience(
        limits, "a run was looked for by its key", "nothing more was started; try again", tell
    )
    return await _look(client, thread_id, key, patience)


async def find_taken(
    client: LangGraphClient,
    thread_id: str,
    key: str,
    broken: Exception,
    limits: Limits,
    tell: Tell | None,
) -> Started:
    """The run that was being started when the answer was lost; NotTaken if none comes for `limits.late_s`."""
    patience = Patience(
        limits,
        "a run was being started",
        "it may have been taken; look at the thread before a retry",
        tell,
    )
    await patience.lost(broken)
    until, pause_s = time.monotonic() + limits.late_s, FIRST_LOOK_S
    while (found := await _look(client, thread_id, key, patience)) is None:
        if time.monotonic() >= until:
            raise NotTaken(
                f"the answer was lost while a run was being started ({named(broken)}), and for {limits.late_s:g} s no "
                f"such run has come. It may still come: start it again with key={key!r}, which finds it if it does",
                key,
            ) from broken
        await asyncio.sleep(min(pause_s, max(until - time.monotonic(), 0.0)))  # between two looks for the run
        pause_s = min(pause_s * 2, limits.pause_s)
    return found


async def _look(client: LangGraphClient, thread_id: str, key: str, patience: Patience) -> Started | None:
    """What the server says of the key, asked again as long as it does not answer and there is patience."""
    while True:
        try:
            async with within(patience.limits.answer_s):
                found = await find_started(client, thread_id, key)
        except PASSING as error:
            await patience.lost(error)
        else:
            patience.restored()
            return found
