"""Item 12: many questions, fifty people who answer whatever is open, and things that end on the way."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import httpx
import psycopg

from tests.reviews_hold.world import World, eventually

AT_ONCE = 50
COUNT = "select count(*) from ledger where key like %s"
STATES = "select state, count(*) from reviews.reviews where payload like %s group by 1"
EFFECTS = "select key, detail from ledger where key like %s"


@dataclass
class Crowd:
    """50 people who answer whatever is open of `approvals` questions, and go on when the console comes back."""

    own: World
    token: str
    approvals: int

    @property
    def prefix(self) -> str:
        return f"{self.own.key}-many-"

    async def ask_all(self) -> None:
        """Threads that wait, each with a number of its own."""
        gate = asyncio.Semaphore(AT_ONCE)
        hook = f"{self.own.console.url}/webhooks/langgraph"

        async def one(number: int) -> None:
            async with gate:
                thread = await client.threads.create()
                asked = {"key": f"{self.prefix}{number}", "question": {"number": number, "of": self.prefix}}
                await client.runs.create(thread["thread_id"], "plain", input=asked, webhook=hook)

        async with self.own.server.sdk() as client:
            await asyncio.gather(*(one(number) for number in range(self.approvals)))

    async def answer_while(self, *goings_on: Awaitable[None]) -> None:
        """Answer until all effects are there and `goings_on` are over; each answer is the question's own number."""
        async with asyncio.TaskGroup() as group:
            answering = group.create_task(self._answer_for_ever())
            await asyncio.gather(*goings_on)
            await self.effects_are(self.approvals)
            answering.cancel()

    async def killing(self, times: int, kill_and_start: Callable[[], Awaitable[None]]) -> None:
        """Kill so often, spread over the way."""
        for number in range(1, times + 1):
            await self.effects_are(self.approvals * number // (times + 1))
            await kill_and_start()

    async def effects_are(self, at_least: int) -> None:
        """Return once the graphs have done so much."""
        with psycopg.connect(self.own.effects, autocommit=True) as ledger:

            def enough() -> bool:
                found = ledger.execute(COUNT, (f"{self.prefix}%",)).fetchone()
                return (found or (0,))[0] >= at_least

            await eventually(enough, f"came to {at_least} effects", 400)

    async def require_each_once(self) -> None:
        """Every review is finished; every effect is there, once, with the answer to its own question."""
        with psycopg.connect(self.own.console.database, autocommit=True) as reviews:

            def all_finished() -> bool:
                states = dict(reviews.execute(STATES, (f"%{self.prefix}%",)).fetchall())
                return states == {"finished": self.approvals}

            await eventually(all_finished, "closed every review", 120)
        with psycopg.connect(self.own.effects) as conn:
            rows = conn.execute(EFFECTS, (f"{self.prefix}%",)).fetchall()
        done = Counter(int(key.removeprefix(self.prefix)) for key, _ in rows)
        assert done == Counter(range(self.approvals))  # none twice, none lost
        assert all(int(detail) == int(key.removeprefix(self.prefix)) for key, detail in rows)

    async def _answer_for_ever(self) -> None:
        """That an answer was kept although its reply was lost shows in the list."""
        while True:
            try:
                async with self.own.console.client(self.token) as http:
                    open_ones = await self._open(http)
                    places = iter(open_ones)
                    await asyncio.gather(*(self._hand(http, places) for _ in range(AT_ONCE)))
            except httpx.TransportError:
                open_ones = []
            if not open_ones:
                await asyncio.sleep(0.2)  # between two looks at the list

    async def _open(self, http: httpx.AsyncClient) -> list[dict[str, Any]]:
        """Those of this test: the server has other tests' questions too."""
        response = await http.get("/reviews", params={"graph": "plain", "limit": 200, "order": "newest"})
        found = response.json()["reviews"] if response.status_code == 200 else []
        return [review for review in found if self.prefix in str(review["payload"])]

    async def _hand(self, http: httpx.AsyncClient, places: Any) -> None:
        """One pair of hands, taking the next from the pile; 409: the list was older than the answer."""
        for review in islice(places, None):
            body = {"decision": "answer", "answer": review["payload"]["number"], "undo_s": 0}
            key = {"idempotency-key": review["id"]}
            response = await http.post(f"/reviews/{review['id']}/decide", json=body, headers=key)
            assert response.status_code in (200, 409, 503), response.text
