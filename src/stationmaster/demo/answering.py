"""How the ticket that waits is answered: through the review service, by the demonstration or by you, or directly."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langgraph_sdk.client import LangGraphClient

from stationmaster.console.client import ConsoleClient
from stationmaster.errors import StationmasterError

LOOK_S = 0.2
OPENS_S = 30.0
"""A webhook opens the review at once, the sweep within some seconds."""
TAKEN_S = 60.0
TABS = ("needs_you", "claimed", "waiting", "decided", "closed")
"""Where a review can be: whoever sits at the inbox may be quicker than we look."""

Tell = Callable[[str, Any], None]


class NotAnswered(StationmasterError):
    """The review service did not do its part."""

    exit_code = 1


@dataclass(frozen=True)
class Given:
    """An answer that the graph has taken: who gave it, which it was, and the nodes that ran then."""

    by: str
    decision: str
    nodes: list[str]


Answering = Callable[[LangGraphClient, str, Mapping[str, Any], Tell], Awaitable[Given]]
"""Answer the thread's question ({id, value}) and return once the run that took the answer has ended."""


@dataclass(frozen=True)
class ThroughReviews:
    """Decide by the console's API, or with `wait` leave it to whoever sits at the inbox; `url` is the console's."""

    console: ConsoleClient
    url: str
    wait: bool = False

    async def __call__(
        self, client: LangGraphClient, thread_id: str, question: Mapping[str, Any], tell: Tell
    ) -> Given:
        before = await client.threads.get_state(thread_id)
        review = await self._review(thread_id, str(question["id"]))
        if self.wait:
            tell("yours", f"{self.url}/reviews/{review['id']}")
            await self._moved(review["id"], None)
        else:
            await self.console.decide(review["id"], "approve")
        done = await self._moved(review["id"], TAKEN_S, to="closed")
        if done["state"] != "finished":
            why = done["error"] or done["note"] or done["state"].replace("_", " ")
            raise NotAnswered(f"the review {done['id']} came to nothing ({why}): look at it in the inbox")
        return Given(done["decided_by"], done["decision"], await _nodes_since(client, thread_id, before))

    async def _review(self, thread_id: str, interrupt_id: str) -> dict[str, Any]:
        deadline = time.monotonic() + OPENS_S
        while True:
            found = [each for tab in TABS for each in await self.console.reviews(tab, thread_id=thread_id)]
            if review := next((each for each in found if each["interrupt_id"] == interrupt_id), None):
                return review
            if time.monotonic() > deadline:
                raise NotAnswered(f"no review opened within {OPENS_S:.0f} s: look at the console's log")
            await asyncio.sleep(LOOK_S)  # between two looks at the state that is waited for

    async def _moved(self, review_id: str, within_s: float | None, to: str = "moving") -> dict[str, Any]:
        """The review once it is in that phase, or closed."""
        started = time.monotonic()
        while True:
            review = await self.console.get(f"/reviews/{review_id}")
            if review["phase"] in (to, "closed"):
                return review
            if within_s is not None and time.monotonic() - started > within_s:
                raise NotAnswered(
                    f"the answer was not taken within {within_s:.0f} s: look at the console's log"
                )
            await asyncio.sleep(LOOK_S)  # between two looks at the state that is waited for


async def _nodes_since(client: LangGraphClient, thread_id: str, before: Any) -> list[str]:
    """The nodes that have run since a state, in their order, as the thread's history says."""
    history = await client.threads.get_history(thread_id, limit=50)
    new: list[str] = []
    for state in history[1:]:  # newest first; a state's tasks are those that led to the next one
        new = [task["name"] for task in state["tasks"]] + new
        if state["checkpoint"]["checkpoint_id"] == before["checkpoint"]["checkpoint_id"]:
            break
    return new
