"""A server that is killed while the bank has the money already: whoever asks again, it is paid once."""

import asyncio
from pathlib import Path

import pytest

from tests.agents.thread import ServedThread
from tests.agents.treasury.desk import Book, pay
from tests.fakes.agent_server import AgentServer
from tests.fakes.payment_provider import Hang, PaymentProvider


@pytest.mark.slow
async def test_a_server_that_is_killed_while_the_bank_answers_pays_once(tmp_path: Path, shop: str) -> None:
    book, request = Book(shop), pay(120.0)
    with PaymentProvider.running() as bank:
        env = {
            "STATIONMASTER_DATABASE_URI": shop,
            "PAYMENTS_URL": bank.url,
            "PAYMENTS_API_KEY": bank.api_key,
        }
        server = AgentServer(tmp_path, env=env)
        bank.script(Hang(recorded=True))
        try:
            await server.start()
            async with server.sdk() as client:
                thread = await ServedThread.begin(client, "treasury")
                await thread.start(input={"request": request})
                assert await asyncio.to_thread(bank.hanging.wait, 30)
            await server.sigkill()
            assert book.statuses(thread.thread_id) == ["executing"]
            await server.start()
            async with server.sdk() as client:
                # `langgraph dev` may have lost the thread: then the same request comes again, under the same key.
                await client.threads.create(thread_id=thread.thread_id, if_exists="do_nothing")
                thread = thread.by(client)
                asked = None if (await thread.state())["next"] else {"request": request}
                values = await thread.run(input=asked)
        finally:
            server.kill_blocking()
        assert values["outcome"] == "executed"
        assert (len(bank.orders), len(bank.asked)) == (1, 2)
    assert book.statuses(thread.thread_id) == ["executed"]
