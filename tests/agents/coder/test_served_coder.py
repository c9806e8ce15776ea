"""The coder through the SDK, on the server that all graphs share: no key, and blocking detection is on."""

import socket
import time
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from langgraph_sdk.client import LangGraphClient

from tests.agents.coder.abuses import ABUSES, NAMED
from tests.agents.coder.in_process import DOUBLE_TESTS, GOOD, solutions
from tests.agents.support.client import every
from tests.agents.thread import ServedThread
from tests.fakes.agent_server import AgentServer

SECRET = "a-secret-that-nobody-may-see"


async def begin(client: LangGraphClient, **context: Any) -> ServedThread:
    return await ServedThread.begin(client, "coder", context=context)


def asks(task: str, tests: str = "") -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": task}], **({"tests": tests} if tests else {})}


def kept(uri: str, thread: ServedThread) -> list[str]:
    """The status of what a thread has delivered."""
    return [row["status"] for row in solutions(uri) if row["thread_id"] == thread.thread_id]


async def test_a_task_is_done_mended_and_kept_once(client: LangGraphClient, served_shop: str) -> None:
    thread, begun = await begin(client), time.monotonic()
    values = await thread.run(input=asks("Is it a leap year?"))
    assert [one["kind"] for one in values["tries"]] == ["failed", "passed"]
    assert (values["outcome"], kept(served_shop, thread)) == ("passed", ["passed"])
    assert time.monotonic() - begun < 10


async def test_a_person_advises_and_then_it_passes(client: LangGraphClient, served_shop: str) -> None:
    thread = await begin(client)
    await thread.run(input=asks("Fold the laundry.", DOUBLE_TESTS))
    question = await thread.question()
    assert question["value"]["kind"] == "code_review"
    assert question["response_schema"]["discriminator"]["propertyName"] == "action"
    values = await thread.answer({"action": "advise", "advice": GOOD})
    assert (values["outcome"], kept(served_shop, thread)) == ("passed", ["passed"])


async def test_a_person_accepts_or_stops(client: LangGraphClient, served_shop: str) -> None:
    for answer, outcome, left in (
        ({"action": "accept"}, "accepted", ["accepted"]),
        ({"action": "stop", "reason": "Enough."}, "stopped", []),
    ):
        thread = await begin(client)
        await thread.run(input=asks("Fold the laundry."))
        values = await thread.answer(answer)
        assert (values["outcome"], kept(served_shop, thread)) == (outcome, left)


async def test_without_a_person_it_fails_honestly(client: LangGraphClient, served_shop: str) -> None:
    thread = await begin(client, ask_person=False)
    values = await thread.run(input=asks("Fold the laundry."))
    assert (values["outcome"], kept(served_shop, thread)) == ("failed", [])
    assert "Its log:" in values["messages"][-1]["content"]
    assert await thread.status() == "idle"


async def test_every_named_abuse_ends_cleanly_and_touches_nothing(
    client: LangGraphClient, served: AgentServer, served_shop: str, tmp_path: Path
) -> None:
    """All at once, as the tests of a task; the server answers others meanwhile."""
    secret = tmp_path / ".env"
    secret.write_text(SECRET)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        facts = {
            "port": listener.getsockname()[1],
            "secret": secret,
            "outside": tmp_path / "outside",
            "server": served.pid,
        }

        async def ends(name: str) -> None:
            code, kinds = ABUSES[name]
            body = "\n".join(f"    {line}" for line in code.format(**facts).splitlines())
            thread = await begin(client, ask_person=False, max_rounds=1, time_s=8, cpu_s=1, memory_mb=256)
            values = await thread.run(input=asks("fizzbuzz", f"def test_it():\n{body}\n"))
            (attempt,) = values["tries"]
            assert attempt["kind"] in kinds | {"time"}, (name, attempt)
            assert (values["outcome"], kept(served_shop, thread)) == ("failed", [])
            assert SECRET not in str(values)

        async def health() -> None:
            async with httpx.AsyncClient(base_url=served.url, trust_env=False, timeout=5) as http:
                for _ in range(10):
                    assert (await http.get("/ok")).status_code == 200

        await every([*(ends(name) for name in NAMED), health()])
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert (secret.read_text(), (tmp_path / "outside").exists()) == (SECRET, False)
    assert not [
        one for one in psutil.Process(served.pid).children() if "shared.sandbox" in str(one.cmdline())
    ]
    assert "Blocking call" not in served.log
