"""What tests of the engine work with: a policy, identities, threads that ask, and the deliver loop run by hand."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stationmaster.reviews import store
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.database import Pool
from stationmaster.reviews.decide import decide
from stationmaster.reviews.deliver import step, take
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.model import Facts, Review, Stamp, Submission
from stationmaster.reviews.observe import Observed, observe
from tests.fakes.graphs import ledger

GROUP = "desk"
WAIT_S = 30.0


@dataclass(frozen=True)
class OneGroup:
    """A policy: all to one group, with the rest of the stamp as given."""

    stamp_: Stamp = field(default_factory=lambda: Stamp(groups=(GROUP,)))

    def stamp(self, facts: Facts, now: datetime) -> Stamp:
        return self.stamp_


def due_now(**default: Any) -> Stamp:
    """A stamp that has expired already."""
    past = datetime.now(UTC) - timedelta(hours=1)
    return Stamp(
        groups=(GROUP,),
        due_at=past,
        remind_at=past,
        escalate_to="leads",
        expires_at=past,
        default_on_expiry=default,
    )


def person(name: str, *roles: str, groups: tuple[str, ...] = (GROUP,)) -> Identity:
    return Identity(name, frozenset(groups), frozenset(roles or ("reviewer",)), f"test:{name}")


ANN, BEN = person("ann"), person("ben")
EVERYBODY = person("root", "admin")


def answer(value: Any) -> Submission:
    return Submission("answer", raw=value, has_raw=True)


async def all_reviews(pool: Pool, thread_id: str) -> list[Review]:
    async with pool.connection() as conn:
        return await store.of_thread(conn, thread_id)


async def work(desk: Desk) -> int:
    """One round of the deliver worker; how many answers it had in hand."""
    taken = await take(desk, 50)
    await asyncio.gather(*(step(desk, review_id) for review_id in taken))
    return len(taken)


@dataclass
class Asking:
    """One ledger key, its threads, and the reviews of them."""

    desk: Desk
    effects: str
    key: str
    thread_id: str = ""

    async def ask(self, graph: str, **values: Any) -> str:
        """A new thread on which `graph` runs until it asks; the thread's id."""
        client = self.desk.server.client
        thread = await client.threads.create()
        self.thread_id = thread["thread_id"]
        await self.run(graph, input={"key": self.key, **values})
        return self.thread_id

    async def another_thread(self) -> str:
        """One that is there and was looked at: by it a look can tell that only this one was deleted."""
        thread = await self.desk.server.client.threads.create()
        await observe(self.desk, thread["thread_id"], "hook")
        return thread["thread_id"]

    async def run(self, graph: str, **options: Any) -> Any:
        return await self.desk.server.client.runs.wait(self.thread_id, graph, raise_error=False, **options)

    async def answer_elsewhere(self) -> None:
        """Another client answers what is pending."""
        await self.run("plain", command={"resume": {(await self.review()).interrupt_id: "theirs"}})

    async def change_state(self, as_node: str | None = None, **values: Any) -> None:
        """Another client writes into the state."""
        await self.desk.server.client.threads.update_state(self.thread_id, values, as_node=as_node)

    async def look(self) -> Observed:
        return await observe(self.desk, self.thread_id, "hook")

    async def reviews(self) -> list[Review]:
        return await all_reviews(self.desk.pool, self.thread_id)

    async def review(self) -> Review:
        """The newest."""
        return (await self.reviews())[-1]

    async def opened(self) -> list[Review]:
        await self.look()
        return [review for review in await self.reviews() if review.state == "open"]

    async def decide(self, review: Review, submission: Submission, who: Identity = ANN) -> Review:
        return await decide(self.desk.pool, review.id, who, submission, undo_s=0)

    async def settle(self, *states: str) -> list[Review]:
        """Work until every review of the thread is closed, or in one of `states`."""
        deadline = time.monotonic() + WAIT_S
        while True:
            await work(self.desk)
            reviews = await self.reviews()
            if all(review.phase == "closed" or review.state in states for review in reviews):
                return reviews
            if time.monotonic() > deadline:
                raise TimeoutError([(review.title, review.state, review.note) for review in reviews])
            await asyncio.sleep(0.02)  # between two looks at the state that is waited for

    def done(self) -> list[Any]:
        """What the graphs did for this key."""
        return ledger.read(self.effects, self.key)


Deed = Callable[[], Awaitable[Any]]


async def overtaken(
    asking: Asking,
    monkeypatch: pytest.MonkeyPatch,
    deed: Deed,
    graph: str = "plain",
    submission: Submission | None = None,
    **asked: Any,
) -> Review:
    """The review of a question of `graph`, after `deed` was done between the last look at its thread and the request
    that brings its answer."""
    await asking.ask(graph, **asked or {"question": "q"})
    (review,) = await asking.opened()
    await asking.decide(review, submission or answer("ours"))
    server = asking.desk.server

    def after_the_deed(real: Any) -> Any:
        async def late(*args: Any, **options: Any) -> str:
            await deed()
            return await real(*args, **options)

        return late

    with monkeypatch.context() as patch:
        for name in ("resume", "continue_"):
            patch.setattr(server, name, after_the_deed(getattr(server, name)))
        await work(asking.desk)
    return next(found for found in await asking.settle("open") if found.id == review.id)


def without_time(review: Review) -> Review:
    return replace(review, updated_at=review.opened_at)
