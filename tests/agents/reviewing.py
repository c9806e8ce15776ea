"""The review service in front of the server that all graphs share: the shipped policies, and people by name.

review = await inbox.opened(thread_id)
await inbox.decide(review, {"action": "approve"}, "kim", group="compliance")
await inbox.settle(thread_id)
"""

import asyncio
from dataclasses import dataclass
from typing import Any

from stationmaster.reviews import store
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.decide import decide
from stationmaster.reviews.deliver import step, take
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.model import Review, Submission
from stationmaster.reviews.observe import observe

WAIT_S = 30.0


@dataclass(frozen=True)
class Inbox:
    """What people do, and what the service makes of it."""

    desk: Desk

    async def opened(self, thread_id: str) -> Review:
        """The one open review of the thread, after a look at it."""
        await observe(self.desk, thread_id, "hook")
        (review,) = [review for review in await self.reviews(thread_id) if review.state == "open"]
        return review

    async def decide(self, review: Review, answer: Any, name: str, *, group: str) -> Review:
        """Answer it whole, as somebody of the group."""
        decision = answer.get("action", "answer") if isinstance(answer, dict) else "answer"
        return await self.submit(review, Submission(decision, raw=answer, has_raw=True), name, group=group)

    async def submit(self, review: Review, submission: Submission, name: str, *, group: str) -> Review:
        """The same with a submission of one's own."""
        who = Identity(name, frozenset({group}), frozenset({"reviewer"}), f"test:{name}")
        return await decide(self.desk.pool, review.id, who, submission, undo_s=0)

    async def settle(self, thread_id: str) -> list[Review]:
        """Deliver until every review of the thread is closed, and return them, the oldest first."""
        async with asyncio.timeout(WAIT_S):
            while True:
                taken = await take(self.desk, 50)
                await asyncio.gather(*(step(self.desk, review_id) for review_id in taken))
                reviews = await self.reviews(thread_id)
                if all(review.phase == "closed" or review.state == "open" for review in reviews):
                    return reviews
                await asyncio.sleep(0.02)  # between two looks at the state that is waited for

    async def reviews(self, thread_id: str) -> list[Review]:
        async with self.desk.pool.connection() as conn:
            return await store.of_thread(conn, thread_id)
