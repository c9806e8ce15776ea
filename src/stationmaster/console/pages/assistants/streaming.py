"""What happens on both sides of a trial as lines of JSON, while it happens."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from stationmaster.assistants import trying
from stationmaster.assistants.trying import Ended, Step, Text, Trial
from stationmaster.console.pages.assistants.sides import ending
from stationmaster.errors import StationmasterError
from stationmaster.reconcile.gateway import Gateway


async def lines(
    at_hand: Gateway, trials: Mapping[str, Trial], at_once: asyncio.Semaphore
) -> AsyncGenerator[bytes]:
    """Both runs at once, told apart by `side`. Whoever leaves the page stops both."""
    queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    tasks = [asyncio.create_task(_tell(at_hand, key, asked, queue, at_once)) for key, asked in trials.items()]
    try:
        left = len(tasks)
        while left:
            told = await queue.get()
            left -= told is None
            if told is not None:
                yield json.dumps(told, ensure_ascii=True, default=str).encode() + b"\n"
    finally:
        for task in tasks:
            task.cancel()


async def _tell(
    at_hand: Gateway, key: str, asked: Trial, queue: asyncio.Queue[dict[str, Any] | None], at_once: asyncio.Semaphore
) -> None:  # fmt: skip
    """One run's events as the script reads them; None at the end, whatever it was."""
    try:
        async with at_once, contextlib.aclosing(trying.run(at_hand, asked)) as events:
            async for event in events:
                await queue.put({"side": key, **_told(event)})
    except StationmasterError as error:
        await queue.put({"side": key, **_told(Ended("failed", error=str(error)))})
    finally:
        queue.put_nowait(None)


def _told(event: trying.Event) -> dict[str, Any]:
    match event:
        case Text(node, text):
            return {"kind": "text", "node": node, "text": text}
        case Step(node):
            return {"kind": "step", "node": node}
        case Ended():
            return {"kind": "ended", "state": event.state, "words": ending(event)}
