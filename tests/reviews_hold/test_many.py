"""Item 12: 1,200 approvals by 50 people at once, and the console killed three times on the way.

`pytest -m slow` has them all, in some minutes; a quarter of them is asked every time.
"""

import asyncio
from collections import Counter
from itertools import islice
from typing import Any

import httpx
import psycopg
import pytest

from tests.fakes.agent_server import AgentServer
from tests.fakes.console import ConsoleProcess
from tests.reviews_hold.world import World, eventually, token_of

AT_ONCE = 50
APPROVALS = 1_200
KILLS = 3
COUNT = "select count(*) from ledger where key like %s"
STATES = "select state, count(*) from reviews.reviews where payload like %s group by 1"
EFFECTS = "select key, detail from ledger where key like %s"


class Crowd:
    """50 people who answer whatever is open, and go on when the console comes back."""

    def __init__(self, own: World, token: str, prefix: str) -> None:
        self.own, self.token, self.prefix = own, token, prefix

    async def answer_for_ever(self) -> None:
        """Each answer is the question's own number. That it was kept although its reply was lost shows in the list."""
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


async def ask_all(own: World, prefix: str) -> None:
    """Threads that wait, each with a number of its own."""
    gate = asyncio.Semaphore(AT_ONCE)
    hook = f"{own.console.url}/webhooks/langgraph"

    async def one(number: int) -> None:
        async with gate:
            thread = await client.threads.create()
            asked = {"key": f"{prefix}{number}", "question": {"number": number, "of": prefix}}
            await client.runs.create(thread["thread_id"], "plain", input=asked, webhook=hook)

    async with own.server.sdk() as client:
        await asyncio.gather(*(one(number) for number in range(APPROVALS)))


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_every_one_takes_effect_once(
    shared_server: AgentServer, own_console: ConsoleProcess, effects: str, database: str
) -> None:
    own = World(shared_server, [own_console], effects)
    prefix = f"{own.key}-many-"
    await asyncio.to_thread(own_console.start)
    crowd = Crowd(own, await token_of(database, "crowd"), prefix)

    async def effects_are(at_least: int) -> None:
        """Return once the graphs have done so much."""

        def enough() -> bool:
            if answering.done():
                answering.result()
            return (ledger_now.execute(COUNT, (f"{prefix}%",)).fetchone() or (0,))[0] >= at_least

        await eventually(enough, f"came to {at_least} effects", 400)

    async def kill_on_the_way() -> None:
        for number in range(1, KILLS + 1):
            await effects_are(APPROVALS * number // (KILLS + 1))
            await asyncio.to_thread(own_console.kill)
            await asyncio.to_thread(own_console.start)

    with psycopg.connect(effects, autocommit=True) as ledger_now:
        answering = asyncio.create_task(crowd.answer_for_ever())
        await asyncio.gather(ask_all(own, prefix), kill_on_the_way())
        await effects_are(APPROVALS)
        answering.cancel()
        await asyncio.wait([answering])
    with psycopg.connect(database, autocommit=True) as reviews:

        def all_finished() -> bool:
            return dict(reviews.execute(STATES, (f"%{prefix}%",)).fetchall()) == {"finished": APPROVALS}

        await eventually(all_finished, "closed every review", 120)
    with psycopg.connect(effects) as conn:
        rows = conn.execute(EFFECTS, (f"{prefix}%",)).fetchall()
    done = Counter(int(key.removeprefix(prefix)) for key, _ in rows)
    assert done == Counter(range(APPROVALS))  # none twice, none lost
    assert all(int(detail) == int(key.removeprefix(prefix)) for key, detail in rows)
