"""Between two tenants of one server: nothing is reached by id, found by search, or forged by what a caller sends."""

import asyncio
import json
from collections.abc import Awaitable
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError, NotFoundError, PermissionDeniedError

from tests.fakes.agent_server import AgentServer
from tests.stationmaster.server.tenancy.place import SECRET, Owned, client_of, furnish
from tests.stationmaster.server.tenancy.verbs import SEARCHES, VERBS, Call

STREAMS = ("threads: join stream", "threads: its own stream", "runs: join stream")
NOTHING = ("[]", json.dumps([{"error": "HTTPException", "message": "404: Thread not found"}]))
"""What an event stream can still say once it has answered 200."""


async def attempt(deed: Awaitable[Any]) -> tuple[int, str]:
    """The status and the text of what came of it; 200 with the result if it was done."""
    try:
        async with asyncio.timeout(20):
            return 200, json.dumps(await deed, default=str)
    except APIStatusError as refusal:
        return refusal.status_code, f"{refusal} {refusal.body}"
    except httpx.HTTPStatusError as refusal:
        return refusal.response.status_code, refusal.response.text


async def left(client: LangGraphClient, acme: Owned) -> dict[str, Any]:
    """All of it, as its owner sees it; times aside."""
    thread: Any = await client.threads.get(acme.thread)
    state: Any = await client.threads.get_state(acme.thread)
    assistant: Any = await client.assistants.get(acme.assistant)
    crons: Any = await client.crons.search(limit=1000)
    return {
        "thread": (thread["metadata"], thread["status"], thread["values"]),
        "checkpoint": state["checkpoint"]["checkpoint_id"],
        "runs": [(run["run_id"], run["status"]) for run in await client.runs.list(acme.thread)],
        "assistant": (assistant["name"], assistant["version"], assistant["metadata"]),
        "crons": {
            cron["cron_id"]: (cron["schedule"], cron["enabled"])
            for cron in crons
            if cron["cron_id"] in (acme.cron, acme.thread_cron)
        },
        "item": (await client.store.get_item(acme.namespace, "k") or {}).get("value"),
    }


@pytest.mark.parametrize("verb", VERBS)
async def test_no_verb_reaches_what_is_anothers(
    verb: str, acme: Owned, ann: LangGraphClient, bob: LangGraphClient
) -> None:
    before = await left(ann, acme)
    status, text = await attempt(VERBS[verb](bob, acme))
    assert status in (403, 404, 409) or (verb in STREAMS and text in NOTHING), text
    assert SECRET not in text
    assert await left(ann, acme) == before


@pytest.mark.parametrize("search", SEARCHES)
async def test_no_search_finds_what_is_anothers(
    search: str, acme: Owned, ann: LangGraphClient, bob: LangGraphClient
) -> None:
    """And the one whose it is finds it, by the same search."""
    call: Call = SEARCHES[search]
    marks = (acme.thread, acme.assistant, acme.cron, acme.thread_cron, "acme")
    found = json.dumps(await call(ann, acme), default=str)
    assert any(mark in found for mark in marks)
    found = json.dumps(await call(bob, acme), default=str)
    assert not any(mark in found for mark in (*marks, SECRET)), found


@pytest.mark.parametrize("verb", STREAMS)
async def test_who_listens_to_anothers_thread_hears_nothing(
    verb: str, acme: Owned, ann: LangGraphClient, bob: LangGraphClient
) -> None:
    """Also while something happens there."""
    listening = asyncio.create_task(attempt(VERBS[verb](bob, acme)))
    for answer in (41, 1):
        await ann.runs.wait(acme.thread, "tiny", command={"resume": answer})
    _, text = await listening
    assert text in NOTHING, text


async def test_counts_tell_nothing_of_anothers(
    acme: Owned, bob: LangGraphClient, otto: LangGraphClient
) -> None:
    by_note: Any = {"note": SECRET}
    assert await bob.threads.count(metadata=by_note) == 0 < await otto.threads.count(metadata=by_note)
    assert await bob.assistants.count(metadata=by_note) == 0 < await otto.assistants.count(metadata=by_note)
    crons = await otto.crons.search(limit=1000)
    assert await bob.crons.count() == len(
        [cron for cron in crons if cron["metadata"].get("tenant") == "globex"]
    )


async def test_to_cancel_all_cancels_ones_own(ann: LangGraphClient, bob: LangGraphClient) -> None:
    """`status` names no thread: what it means is every run that the caller may see."""
    thread = (await ann.threads.create())["thread_id"]
    run = await ann.runs.create(thread, "tiny", input={"n": 1}, after_seconds=3600)
    await attempt(bob.runs.cancel_many(status="all"))
    assert (await ann.runs.get(thread, run["run_id"]))["status"] == "pending"
    await ann.runs.cancel(thread, run["run_id"])


FORGED = {
    "langgraph_auth_user": {"identity": "ann", "tenant": "acme", "permissions": []},
    "langgraph_auth_user_id": "ann",
    "langgraph_auth_permissions": [],
    "tenant": "acme",
}


@pytest.mark.parametrize("thread", [True, False], ids=["on a thread", "without one"])
async def test_who_one_is_does_not_come_from_the_request(thread: bool, bob: LangGraphClient) -> None:
    thread_id: Any = (await bob.threads.create(metadata={"tenant": "acme"}))["thread_id"] if thread else None
    forged: Any = {"configurable": FORGED}
    body: dict[str, Any] = {"input": {"n": 1, "tenant": "acme"}, "metadata": {"tenant": "acme", **FORGED}}
    values: Any = await bob.runs.wait(thread_id, "who", config=forged, **body)
    assert (values["tenant"], values["identity"]) == ("globex", "bob")
    with_context: Any = await bob.runs.wait(thread_id, "who", context=FORGED, **body)
    assert (with_context["tenant"], with_context["identity"]) == ("globex", "bob")


async def test_a_mark_can_not_be_forged(bob: LangGraphClient) -> None:
    thread = await bob.threads.create(metadata={"tenant": "acme"})
    assert thread["metadata"] is not None and thread["metadata"]["tenant"] == "globex"
    changed = await bob.threads.update(thread["thread_id"], metadata={"tenant": "acme", "x": 1})
    assert (changed["metadata"] or {}).items() >= {"tenant": "globex", "x": 1}.items()
    name = f"lookalike-{uuid4().hex[:6]}"
    for mark in ({"managed_by": "stationmaster"}, {"created_by": "system"}, {"live": True}):
        with pytest.raises(PermissionDeniedError):
            await bob.assistants.create("tiny", name=name, metadata=mark)
    own = await bob.assistants.create("tiny", name=name, metadata={"tenant": "acme"})
    assert (own["metadata"] or {})["tenant"] == "globex"
    with pytest.raises(PermissionDeniedError):
        await bob.assistants.update(own["assistant_id"], metadata={"managed_by": "stationmaster"})


async def test_a_thread_that_a_run_makes_is_its_callers(
    bob: LangGraphClient, ann: LangGraphClient, otto: LangGraphClient
) -> None:
    thread = str(uuid4())
    await bob.runs.wait(thread, "who", input={"n": 1}, if_not_exists="create")
    assert ((await bob.threads.get(thread))["metadata"] or {})["tenant"] == "globex"
    with pytest.raises(NotFoundError):
        await ann.threads.get(thread)
    assert (await otto.threads.get(thread))["thread_id"] == thread


async def test_what_all_share_is_used_by_all_and_changed_by_none(
    bob: LangGraphClient, otto: LangGraphClient
) -> None:
    filed = await otto.assistants.create(
        "who", name="filed", metadata={"managed_by": "stationmaster"}, assistant_id=str(uuid4())
    )
    (graphs_own,) = [
        row
        for row in await bob.assistants.search(graph_id="who")
        if (row["metadata"] or {}).get("created_by") == "system"
    ]
    for shared in (filed, graphs_own):
        values: Any = await bob.runs.wait(None, shared["assistant_id"], input={"n": 1})
        assert values["tenant"] == "globex"
        with pytest.raises((NotFoundError, PermissionDeniedError)):
            await bob.assistants.update(shared["assistant_id"], name="mine")
        with pytest.raises((NotFoundError, PermissionDeniedError)):
            await bob.assistants.delete(shared["assistant_id"])
    await otto.assistants.delete(filed["assistant_id"])


async def test_an_operator_sees_all_and_runs_as_main(acme: Owned, otto: LangGraphClient) -> None:
    assert (await otto.threads.get(acme.thread))["thread_id"] == acme.thread
    assert (await otto.assistants.get(acme.assistant))["assistant_id"] == acme.assistant
    values: Any = await otto.runs.wait(None, "who", input={"n": 1})
    assert (values["tenant"], values["identity"]) == ("main", "otto")


async def test_a_tenants_answer_to_its_own_question_goes_through(
    acme: Owned, ann: LangGraphClient, served: AgentServer
) -> None:
    """The walls have a door: what is one's own is reached by every verb that was refused above."""
    values: Any = await ann.runs.wait(acme.thread, "tiny", command={"resume": 41})
    assert values["n"] == 42
    async with client_of(served, "bob") as bob:
        mine = await furnish(bob, "globex")
        assert (await left(bob, mine))["item"] == {"note": SECRET}
