"""Item 12: 1,200 approvals by 50 people at once, and the console killed three times on the way.

With the durable runtime, and the server killed as well: test_durable.py.
"""

import asyncio

import pytest

from tests.fakes.agent_server import AgentServer
from tests.fakes.console import ConsoleProcess
from tests.reviews_hold.crowd import Crowd
from tests.reviews_hold.world import World, token_of

APPROVALS = 1_200
KILLS = 3


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_every_one_takes_effect_once(
    shared_server: AgentServer, own_console: ConsoleProcess, effects: str, database: str
) -> None:
    await asyncio.to_thread(own_console.start)
    own = World(shared_server, [own_console], effects)
    crowd = Crowd(own, await token_of(database, "crowd"), APPROVALS)

    async def kill_and_start() -> None:
        await asyncio.to_thread(own_console.kill)
        await asyncio.to_thread(own_console.start)

    await crowd.answer_while(crowd.ask_all(), crowd.killing(KILLS, kill_and_start))
    await crowd.require_each_once()
