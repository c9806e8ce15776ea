"""The research through the SDK, on the server that all graphs share: no key, blocking detection on."""

import asyncio
import time
from typing import Any

from langgraph_sdk.client import LangGraphClient

from agents.research.state import Output
from tests.agents.research.study import DELIVERY, NOBODY_KNOWS, PAYPAL
from tests.agents.thread import ServedThread

CONTEXT: Any = {"model": "offline:rules", "embeddings": "offline:ngrams"}
PUBLIC = set(Output.__annotations__) | {"question"}


async def begin(client: LangGraphClient) -> ServedThread:
    return await ServedThread.begin(client, "research", context=CONTEXT)


async def test_a_background_run_is_answered_and_shows_nothing_private(client: LangGraphClient) -> None:
    thread, began = await begin(client), time.monotonic()
    run_id = await thread.start(input={"question": f"{DELIVERY} {PAYPAL}"})
    values: Any = await client.runs.join(thread.thread_id, run_id)
    assert time.monotonic() - began < 10
    assert values["outcome"] == "answered"
    assert {"delivery-times", "payment-methods"} <= {source["where"] for source in values["sources"]}
    assert set(values) <= PUBLIC


async def test_progress_and_values_are_streamed(client: LangGraphClient) -> None:
    parts = await (await begin(client)).stream(["custom", "values"], input={"question": DELIVERY})
    progress = [data["progress"] for event, data in parts if event == "custom"]
    assert progress[0] == "planning"
    assert f"sub-question 1 of 1: {DELIVERY}" in progress
    assert f"searching the help articles by meaning: {DELIVERY}" in progress
    assert all(set(data) <= PUBLIC for event, data in parts if event == "values")


async def test_its_schemas_name_nothing_private(client: LangGraphClient) -> None:
    (assistant,) = await client.assistants.search(metadata={"created_by": "system"}, graph_id="research")
    schemas: Any = await client.assistants.get_schemas(assistant["assistant_id"])
    assert set(schemas["input_schema"]["properties"]) == {"question"}
    assert set(schemas["output_schema"]["properties"]) == set(Output.__annotations__)
    assert "context" not in schemas["output_schema"]["properties"]


async def test_who_asks_again_at_once_gets_the_answer_to_the_last_question(client: LangGraphClient) -> None:
    """Each way of double texting: the run before is broken off, undone, or waited for."""
    for strategy in ("interrupt", "rollback", "enqueue"):
        thread = await begin(client)
        await thread.start(input={"question": f"{DELIVERY} {NOBODY_KNOWS}"})
        values = await thread.run(input={"question": PAYPAL}, multitask_strategy=strategy)
        assert (values["outcome"], values["sub_questions"]) == ("answered", [PAYPAL]), strategy
        assert "Standard delivery takes" not in values["answer"]


async def test_many_at_once(client: LangGraphClient) -> None:
    threads = [await begin(client) for _ in range(8)]
    async with asyncio.TaskGroup() as group:
        runs = [group.create_task(thread.run(input={"question": DELIVERY})) for thread in threads]
    assert {run.result()["outcome"] for run in runs} == {"answered"}
