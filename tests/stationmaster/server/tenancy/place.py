"""Two tenants and the operators on one server, and everything that the first of them has there."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from langgraph_sdk.client import LangGraphClient

from tests.fakes.agent_server import AgentServer
from tests.stationmaster.server.tiny import GRAPH, tiny_project

KEYS = {"ann": "acme", "bob": "globex", "otto": ""}
SECRET = "what-only-acme-knows"
"""Stands in everything of acme's that can hold a text."""
WHO = """
from langchain_core.runnables import RunnableConfig


async def who(state: State, config: RunnableConfig):
    user = config["configurable"]["langgraph_auth_user"]
    return {"n": state["n"], "tenant": user["tenant"], "identity": user["identity"]}


class Told(State, total=False):
    tenant: str
    identity: str


who_am_i = StateGraph(Told).add_node(who).add_edge(START, "who").compile()
"""


def key_of(name: str) -> str:
    return f"the-key-of-{name}-in-tests"


def keys() -> str:
    """The setting."""
    return ",".join(f"{name}{'@' + tenant if tenant else ''}:{key_of(name)}" for name, tenant in KEYS.items())


def project(directory: Path) -> Path:
    """The smallest graph that can wait, and one that tells for whom it runs; the path of langgraph.json."""
    path = tiny_project(directory, source=GRAPH + WHO)
    config = json.loads(path.read_text())
    config["graphs"]["who"] = "tiny:who_am_i"
    if "WITHOUT_HANDLER" in os.environ:  # see test_every_handler.py
        config["auth"]["path"] = "tests.stationmaster.server.tenancy.without:auth"
    path.write_text(json.dumps(config))
    return path


@asynccontextmanager
async def client_of(server: AgentServer, name: str) -> AsyncIterator[LangGraphClient]:
    async with server.sdk(api_key=key_of(name)) as client:
        yield client


@dataclass(frozen=True)
class Owned:
    """The ids of what one tenant has: a thread that waits, its run and checkpoint, an assistant, a cron, an item."""

    thread: str
    run: str
    checkpoint: str
    assistant: str
    cron: str
    thread_cron: str
    namespace: tuple[str, ...]


async def furnish(client: LangGraphClient, tenant: str) -> Owned:
    """Made by a tenant's own client."""
    thread = (await client.threads.create(metadata={"note": SECRET}))["thread_id"]
    await client.runs.wait(thread, "tiny", input={"n": 1}, metadata={"note": SECRET})
    run = (await client.runs.list(thread))[0]["run_id"]
    state: Any = await client.threads.get_state(thread)
    assistant = await client.assistants.create(
        "tiny", name=f"own-{uuid4().hex[:6]}", metadata={"note": SECRET}
    )
    never = {"schedule": "0 0 1 1 *", "input": {"n": 1}, "metadata": {"note": SECRET}}
    cron: Any = await client.crons.create(assistant["assistant_id"], **never)
    other: Any = await client.crons.create_for_thread(thread, "tiny", **never)
    await client.store.put_item([tenant, "notes"], "k", {"note": SECRET})
    return Owned(
        thread,
        run,
        state["checkpoint"]["checkpoint_id"],
        assistant["assistant_id"],
        cron["cron_id"],
        other["cron_id"],
        (tenant, "notes"),
    )
