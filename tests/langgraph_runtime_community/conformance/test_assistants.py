"""Assistants: versions, search, and what becomes of runs and threads."""

from typing import Any
from uuid import uuid4

import pytest
from langgraph_sdk.errors import ConflictError, LangGraphError, NotFoundError


def mark() -> dict[str, str]:
    return {"mark": str(uuid4())}


async def test_a_graph_has_its_own_assistant(api: Any) -> None:
    found = await api.assistants.search(graph_id="steps", metadata={"created_by": "system"})
    assert [row["graph_id"] for row in found] == ["steps"]
    assert found[0]["name"] == "steps" and found[0]["version"] == 1


async def test_create_get_search_count_delete(api: Any) -> None:
    label = mark()
    made = await api.assistants.create(
        "talk", context={"tone": "dry"}, metadata=label, name="Dry", description="says little"
    )
    assert made["version"] == 1 and made["context"] == {"tone": "dry"}
    assert made["config"] == {"configurable": {"tone": "dry"}}
    assert await api.assistants.get(made["assistant_id"]) == made
    assert await api.assistants.search(metadata=label) == [made]
    assert await api.assistants.count(metadata=label) == 1
    assert await api.assistants.search(metadata=label, name="dR") == [made]
    assert await api.assistants.search(metadata=label, name="wet") == []
    await api.assistants.delete(made["assistant_id"])
    with pytest.raises(NotFoundError):
        await api.assistants.get(made["assistant_id"])
    with pytest.raises(NotFoundError):
        await api.assistants.delete(made["assistant_id"])


async def test_the_same_id_twice_is_a_conflict_or_the_first(api: Any) -> None:
    known = str(uuid4())
    made = await api.assistants.create("talk", assistant_id=known, name="first")
    with pytest.raises(ConflictError):
        await api.assistants.create("talk", assistant_id=known, name="second")
    again = await api.assistants.create("talk", assistant_id=known, name="second", if_exists="do_nothing")
    assert again == made


async def test_an_update_is_a_version_and_merges_metadata(api: Any) -> None:
    made = await api.assistants.create("talk", context={"tone": "dry"}, metadata={"a": 1, "b": 1}, name="n")
    known = made["assistant_id"]
    second = await api.assistants.update(known, context={"tone": "warm"}, metadata={"b": 2})
    assert second["version"] == 2 and second["context"] == {"tone": "warm"}
    assert second["metadata"] == {"a": 1, "b": 2} and second["name"] == "n"
    versions = await api.assistants.get_versions(known)
    assert [row["version"] for row in versions] == [2, 1]
    assert [row["context"] for row in versions] == [{"tone": "warm"}, {"tone": "dry"}]
    assert len(await api.assistants.get_versions(known, limit=1, offset=1)) == 1


async def test_set_latest_restores_every_field(api: Any) -> None:
    made = await api.assistants.create("talk", context={"tone": "dry"}, metadata={"a": 1}, name="one")
    known = made["assistant_id"]
    await api.assistants.update(
        known, context={"tone": "warm"}, graph_id="plain", name="two", metadata={"a": 2}
    )
    restored = await api.assistants.set_latest(known, 1)
    kept = ("graph_id", "context", "config", "metadata", "name", "description")
    assert {name: restored[name] for name in kept} == {name: made[name] for name in kept}
    assert restored["version"] == 1
    third = await api.assistants.update(known, context={"tone": "warm"})
    assert third["version"] == 3


async def test_a_version_that_is_not_there_is_404(api: Any) -> None:
    made = await api.assistants.create("talk")
    with pytest.raises(NotFoundError):
        await api.assistants.set_latest(made["assistant_id"], 7)
    with pytest.raises(NotFoundError):
        await api.assistants.update(str(uuid4()), name="nobody")


async def test_context_and_configurable_together_are_refused(api: Any) -> None:
    with pytest.raises(LangGraphError):
        await api.assistants.create("talk", context={"tone": "x"}, config={"configurable": {"tone": "y"}})


async def test_pages_of_a_search(api: Any) -> None:
    label = mark()
    made = [
        (await api.assistants.create("talk", metadata=label, name=f"n{at}"))["assistant_id"]
        for at in range(5)
    ]
    found = []
    for offset in (0, 2, 4):
        found += await api.assistants.search(
            metadata=label, limit=2, offset=offset, sort_by="name", sort_order="asc"
        )
    assert [row["assistant_id"] for row in found] == made
    newest = await api.assistants.search(metadata=label, limit=2)
    assert [row["assistant_id"] for row in newest] == [made[4], made[3]]
    chosen = await api.assistants.search(metadata=label, select=["assistant_id", "name"], limit=1)
    assert set(chosen[0]) == {"assistant_id", "name"}


async def test_a_run_uses_the_assistants_context(api: Any) -> None:
    made = await api.assistants.create("talk", context={"tone": "dry"})
    thread = await api.threads.create()
    values = await api.runs.wait(thread["thread_id"], made["assistant_id"], input={"messages": []})
    assert isinstance(values, dict) and values["tone"] == "dry"
    await api.assistants.update(made["assistant_id"], context={"tone": "warm"})
    values = await api.runs.wait(thread["thread_id"], made["assistant_id"], input={"messages": []})
    assert isinstance(values, dict) and values["tone"] == "warm"


async def test_schemas_graph_and_subgraphs_as_studio_asks(api: Any) -> None:
    (system,) = await api.assistants.search(graph_id="nested", metadata={"created_by": "system"})
    known = system["assistant_id"]
    assert (await api.assistants.get_schemas(known))["graph_id"] == "nested"
    assert (await api.assistants.get_graph(known, xray=True))["nodes"]
    assert await api.assistants.get_subgraphs(known, recurse=True)
