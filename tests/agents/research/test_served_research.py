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


def places(value: Any, mark: str, place: str = "") -> set[str]:
    """Where in a JSON value the mark stands; lists are not told apart."""
    if isinstance(value, dict):
        return {found for key, part in value.items() for found in places(part, mark, f"{place}.{key}")}
    if isinstance(value, list):
        return {found for part in value for found in places(part, mark, place)}
    return {place} if mark in str(value) else set()


async def test_no_stream_and_no_values_show_the_assistants_prompt(client: LangGraphClient) -> None:
    """As client apps ask for it; all graphs and modes are in tests/agents/test_prompts_stay.py.

    Not in a graph's hands: the server copies an assistant's context into the run's config, and so into the metadata
    of checkpoints (docs/client.md).
    """
    mark = "mark-of-the-product-manager"
    context = {**CONTEXT, "system_prompt": mark}
    assistant = await client.assistants.create("research", context=context)
    thread = await ServedThread.begin(client, assistant["assistant_id"])
    modes = ["values", "updates", "messages", "messages-tuple", "tasks", "checkpoints", "debug"]
    found: dict[str, set[str]] = {}
    for event, data in await thread.stream(modes, input={"question": DELIVERY}):
        found.setdefault(event.partition("/")[0], set()).update(places(data, mark))
    assert found.keys() >= {"values", "updates", "messages", "tasks", "checkpoints", "debug"}
    configs = {f".{name}.configurable.system_prompt" for name in ("config", "parent_config")}
    assert found.pop("debug") <= {f".payload{one}" for one in configs}
    assert found.pop("checkpoints") <= configs
    assert not [mode for mode, where in found.items() if where]
    for state in (await thread.state(), *await thread.history()):
        assert places(state, mark) <= {".metadata.system_prompt"}
    await client.assistants.delete(assistant["assistant_id"])


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
