"""One message to some content on a scratch thread: streamed, stopped before any effect, and gone afterwards.

The run is one of the assistant that the server makes for each graph, with the whole context given: no canary and no pin
has a say in it, and no version of anybody's is changed. A graph whose nodes declare no effects is not tried at all.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeAlias

from stationmaster.assistants.effects import Effects
from stationmaster.assistants.errors import AssistantsError
from stationmaster.reconcile.errors import Missing, ReconcileError
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import Assistant, ServedAssistant
from stationmaster.reconcile.translating import translated
from stationmaster.reviews.questions import SCRATCH

LOG = logging.getLogger(__name__)
TIMEOUT_S = 90.0
LEFT_OVER = timedelta(hours=1)
PAGE = 100
State: TypeAlias = Literal["stopped", "asks", "done", "failed"]


class NotTried(AssistantsError):
    """The graph can't be run without consequences, or can't be run at all."""


@dataclass(frozen=True)
class Trial:
    """What is run. `system_id`: of the server's own assistant for the graph. `context` is whole, defaults included."""

    system_id: str
    content: Assistant
    context: Mapping[str, Any]
    input: Mapping[str, Any]
    effects: Effects
    by: str = ""


@dataclass(frozen=True)
class Step:
    """A node has done its work."""

    node: str


@dataclass(frozen=True)
class Text:
    """A piece of what a model or a node says; pieces of one node add up."""

    node: str
    text: str


@dataclass(frozen=True)
class Ended:
    """How it ended. `before`: nodes that it stopped at, each with what it would have done. `asks`: what it would have
    asked a person. `error`: why it failed."""

    state: State
    before: Mapping[str, str] = field(default_factory=dict)
    asks: tuple[Any, ...] = ()
    error: str = ""


Event: TypeAlias = Step | Text | Ended


def trial(
    content: Assistant, system: ServedAssistant, defaults: Mapping[str, Any], effects: Effects,
    given: Mapping[str, Any], by: str = "",
) -> Trial:  # fmt: skip
    """What to run. NotTried for a graph that does not say what its nodes do."""
    if not effects.declared:
        raise NotTried(
            f"graph {content.graph} does not say which of its nodes have an effect, so nothing of it is run here: "
            'declare it, with `add_node(..., metadata={"effect": "..."})`'
        )
    return Trial(system.assistant_id, content, {**defaults, **content.context}, given, effects, by)


async def run(gateway: Gateway, asked: Trial, timeout_s: float = TIMEOUT_S) -> AsyncGenerator[Event]:
    """The events of one run; the last is Ended. The thread is deleted, whoever stops listening."""
    metadata = {SCRATCH: True, "tried_by": asked.by}
    with translated(gateway.url):
        thread_id = (await gateway.client.threads.create(metadata=metadata))["thread_id"]
    try:
        async with asyncio.timeout(timeout_s):
            async for event in _events(gateway, thread_id, asked):
                yield event
    except TimeoutError:
        yield Ended("failed", error=f"it had not ended after {timeout_s:.0f} seconds, and was stopped")
    except ReconcileError as error:
        yield Ended("failed", error=str(error))
    finally:
        await asyncio.shield(_delete(gateway, thread_id))


async def tidy(gateway: Gateway, older: timedelta = LEFT_OVER) -> int:
    """Delete scratch threads that a console left behind when it was killed; how many."""
    with translated(gateway.url):
        rows: Any = await gateway.client.threads.search(
            limit=PAGE, sort_by="created_at", sort_order="asc", select=["thread_id", "created_at", "metadata"],
            metadata={SCRATCH: True},
        )  # fmt: skip
    last = datetime.now(UTC) - older
    # Filters differ between servers: looked at again.
    left = [row for row in rows if (row.get("metadata") or {}).get(SCRATCH) is True]
    old = [row for row in left if datetime.fromisoformat(str(row["created_at"])) < last]
    for row in old:
        await _delete(gateway, row["thread_id"])
    return len(old)


async def _events(gateway: Gateway, thread_id: str, asked: Trial) -> AsyncIterator[Event]:
    heard: set[str] = set()
    config: Any = {"tags": list(asked.content.tags)}
    if asked.content.recursion_limit is not None:
        config["recursion_limit"] = asked.content.recursion_limit
    error = ""
    with translated(gateway.url):
        stream = gateway.client.runs.stream(
            thread_id, asked.system_id, input=dict(asked.input), context=dict(asked.context), config=config,
            stream_mode=["updates", "messages-tuple"], interrupt_before=list(asked.effects.nodes) or None,
            on_disconnect="cancel", metadata={SCRATCH: True},
        )  # fmt: skip
        async for part in stream:
            kind = part.event.partition("|")[0]
            if kind == "error":
                error = _error(part.data)
            elif kind == "updates" and isinstance(part.data, Mapping):
                for node in part.data:
                    if not node.startswith("__"):
                        yield Step(node)
            elif kind == "messages" and (said := _text(part.data, heard)):
                yield said
        if error:
            yield Ended("failed", error=error)
            return
        state: Any = await gateway.client.threads.get_state(thread_id)
    yield _ending(state, asked.effects)


def _ending(state: Mapping[str, Any], effects: Effects) -> Ended:
    asks = tuple(entry.get("value") for entry in state.get("interrupts") or () if isinstance(entry, Mapping))
    if asks:
        return Ended("asks", asks=asks)
    before = {str(node): effects.by_node.get(str(node), "") for node in state.get("next") or ()}
    return Ended("stopped", before=before) if before else Ended("done")


def _text(data: Any, heard: set[str]) -> Text | None:
    """The text of a piece of a message. A whole message is said again at its node's end: not what was heard already."""
    if not isinstance(data, list) or len(data) != 2 or not all(isinstance(each, Mapping) for each in data):
        return None
    message, about = data
    kind, identity = str(message.get("type")), str(message.get("id"))
    if not kind.lower().startswith("ai"):
        return None
    whole = kind == "ai"
    text = _plain(message.get("content"))
    if not text or (whole and identity in heard):
        return None
    heard.add(identity)
    return Text(str(about.get("langgraph_node") or ""), text)


def _plain(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else ()
    return "".join(str(block.get("text") or "") for block in blocks if isinstance(block, Mapping))


def _error(data: Any) -> str:
    said = data if isinstance(data, Mapping) else {}
    return f"{said.get('error') or 'error'}: {said.get('message') or data}"[:500]


async def _delete(gateway: Gateway, thread_id: str) -> None:
    try:
        with translated(gateway.url):
            await gateway.client.threads.delete(thread_id)
    except Missing:
        return
    except ReconcileError as error:
        LOG.warning("scratch thread %s is left behind (%s): the next trial takes it away", thread_id, error)
