"""A server that is killed in the middle of a background run: the durable one takes it up by itself, and asks again only
what was not finished."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agents.research.study import slow_for
from tests.agents.thread import ServedThread
from tests.fakes.agent_server import CONFIG
from tests.fakes.community_server import CommunityServer
from tests.fakes.search_server import KEY, SearchServer

TULIPS, SUN = "When do tulips bloom?", "Do tulips need much sun?"
CONTEXT: Any = {
    "model": "offline:rules",
    "embeddings": "offline:ngrams",
    "sources": ["web"],
    "cache_minutes": 0,
}


@pytest.mark.slow
async def test_only_the_open_sub_question_is_investigated_again(
    tmp_path: Path, shop: str, engine: SearchServer
) -> None:
    env = {"WEB_SEARCH_URL": engine.url, "WEB_SEARCH_API_KEY": KEY}
    server = CommunityServer(tmp_path, database=shop, env=env, config=CONFIG)
    usual = engine.responder
    engine.responder = slow_for(SUN, usual)
    try:
        await server.start()
        async with server.sdk() as client:
            thread = await ServedThread.begin(client, "research", context=CONTEXT)
            run_id = await thread.start(input={"question": f"{TULIPS} {SUN}"})
            await asyncio.to_thread(engine.wait_for, 2)
            async with asyncio.timeout(10):
                while len((await thread.state())["next"]) > 1:  # noqa: ASYNC110 - of another process
                    await asyncio.sleep(0.1)
        await server.sigkill()
        engine.responder = usual
        await server.start()
        async with server.sdk() as client:
            values: Any = await client.runs.join(thread.thread_id, run_id)
    finally:
        server.kill_blocking()
    assert values["outcome"] == "answered"
    assert sorted(engine.queries) == sorted([TULIPS, SUN, SUN])
