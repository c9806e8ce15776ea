"""Real customers' messages from a labelled CSV file: sent concurrently, compared with their labels."""

import asyncio
import csv
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIError

from stationmaster.demo.run import GRAPH
from stationmaster.errors import StationmasterError


class BadMessages(StationmasterError):
    """The file of messages can't be read."""


@dataclass(frozen=True)
class Labelled:
    """One row: what the customer wrote, and its label in our intents (None: a label that we do not map)."""

    text: str
    intent: str | None


@dataclass
class Measured:
    """What came of all messages. `seconds` is wall time; `wrong` maps (label, found) to a count."""

    n: int = 0
    failures: list[str] = field(default_factory=list)
    labelled: int = 0
    right: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """The figures that a script reads."""
        return {
            "n": self.n,
            "failed": len(self.failures),
            "intent_accuracy": round(self.right / self.labelled, 4) if self.labelled else None,
            "runs_per_s": round(self.n / self.seconds, 2) if self.seconds else None,
            "outcomes": dict(self.outcomes.most_common()),
        }


def read_messages(path: Path, labels: dict[str, str], limit: int | None) -> list[Labelled]:
    """The rows, or `limit` of them spread evenly over the file, which is often sorted by label.

    Raises BadMessages, which names the file and what is wrong with it.
    """
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = csv.DictReader(stream)
            missing = {"utterance", "intent"} - set(rows.fieldnames or [])
            if missing:
                names = ", ".join(sorted(missing))
                raise BadMessages(
                    f"{path}, line 1: no column {names}; a file has the columns utterance and intent"
                )
            found = [Labelled(row["utterance"] or "", labels.get(row["intent"] or "")) for row in rows]
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadMessages(f"{path}: {reason}; give a CSV file in UTF-8") from None
    if not found:
        raise BadMessages(f"{path} holds no messages; give a file with at least one row")
    wanted = min(limit or len(found), len(found))
    return [found[number * len(found) // wanted] for number in range(wanted)]


async def run_messages(
    client: LangGraphClient,
    messages: list[Labelled],
    prefix: str,
    concurrency: int,
    done: Callable[[], None],
    *,
    assistant: str = GRAPH,
) -> Measured:
    """Each message on a thread of its own, `concurrency` at a time; `done` is called after each."""
    measured = Measured(n=len(messages))
    places = asyncio.Semaphore(concurrency)

    async def one(number: int, message: Labelled) -> None:
        async with places:
            _count(
                measured, number, message, await _send(client, assistant, message.text, f"{prefix}{number}")
            )
            done()

    started = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number, message in enumerate(messages, start=1):
            group.create_task(one(number, message))
    measured.seconds = time.perf_counter() - started
    return measured


async def _send(client: LangGraphClient, assistant: str, text: str, ticket_id: str) -> Any:
    """The final values, or {"__error__": ...}; a run that failed must not end the others."""
    asked = {"ticket_id": ticket_id, "messages": [{"role": "user", "content": text}]}
    try:
        thread = await client.threads.create(metadata={"ticket_id": ticket_id})
        return await client.runs.wait(thread["thread_id"], assistant, input=asked, raise_error=False)
    except (APIError, httpx.HTTPError) as error:
        return {"__error__": {"error": type(error).__name__, "message": str(error)}}


def _count(measured: Measured, number: int, message: Labelled, values: Any) -> None:
    error = values.get("__error__")
    if error:
        measured.failures.append(f"row {number}: {error.get('error')}: {error.get('message')}")
        return
    measured.outcomes[values.get("outcome") or "none"] += 1
    if message.intent is None:
        return
    measured.labelled += 1
    if values.get("intent") == message.intent:
        measured.right += 1
    else:
        measured.wrong[message.intent, str(values.get("intent"))] += 1
