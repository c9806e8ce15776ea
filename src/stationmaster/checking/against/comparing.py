"""`check --against`: what waits at a deployment, beside this code."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError

from stationmaster.checking.against.breaking import Break, Judge
from stationmaster.checking.against.reasons import by_name
from stationmaster.checking.against.waiting import Waiting, waiting
from stationmaster.checking.audit import Whole
from stationmaster.errors import StationmasterError
from stationmaster.reconcile.translating import translated

PAGE = 500
PATIENCE_S = (10.0, 60.0, 60.0, 60.0)


class NoDeployment(StationmasterError):
    """Something answers there, and it is no Agent Server."""


@dataclass(frozen=True)
class Compared:
    """How many threads wait there, which would break, and what could not be looked at."""

    url: str
    threads: int
    breaks: list[Break]
    notes: list[str]


async def compare(whole: Whole, url: str, key: str | None) -> Compared:
    """StationmasterError says what is wrong where the deployment does not answer as one does."""
    try:
        with translated(url):
            async with get_client(url=url, api_key=key, timeout=PATIENCE_S) as client:
                return await _compare(whole, url, client)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoDeployment(
            f"what {url} answers is no Agent Server's ({type(error).__name__}: {str(error)[:100]}): correct the URL"
        ) from None


async def _compare(whole: Whole, url: str, client: LangGraphClient) -> Compared:
    judges = judges_of(whole)
    assistants = await _assistants(client)
    theirs = await _nodes_there(client, assistants)
    names = {
        name: list(dict.fromkeys([*judge.top.nodes, *theirs.get(name, ())])) for name, judge in judges.items()
    }
    lost = frozenset(
        name for name, judge in judges.items() if not set(theirs.get(name, ("?",))) <= set(judge.top.nodes)
    )

    def matters(thread: Waiting) -> bool:
        judge = judges.get(thread.graph or "")
        return judge is not None and (thread.graph in lost or judge.might_lack(thread))

    found = await waiting(client, names, matters=matters)
    breaks = [each for thread in found.threads for each in _of_thread(thread, judges)]
    breaks += _of_contexts(assistants, judges, found.threads)
    return Compared(url, len(found.threads), breaks, found.notes)


def judges_of(whole: Whole) -> dict[str, Judge]:
    """A judge for each graph that could be loaded."""
    by_path = {graph.name: graph for graph in whole.graphs}
    return {each.name: Judge(each.name, by_path) for each in whole.loaded if each.name in by_path}


def _of_thread(thread: Waiting, judges: Mapping[str, Judge]) -> list[Break]:
    judge = judges.get(thread.graph or "")
    if judge is not None:
        return list(judge.breaks(thread))
    said = f"there is no graph {thread.graph} in this code" if thread.graph else "its row names no graph"
    ids = tuple(question.id for question in thread.questions)
    return [
        Break(by_name("graph-gone"), thread.graph, None, said, thread.thread_id, thread.assistant_id, ids)
    ]


def _of_contexts(
    assistants: list[Mapping[str, Any]], judges: Mapping[str, Judge], threads: list[Waiting]
) -> list[Break]:
    found: list[Break] = []
    for each in assistants:
        judge = judges.get(each["graph_id"])
        broken = (
            judge.context(each["assistant_id"], each.get("name") or "", each.get("context"))
            if judge
            else None
        )
        if broken is None:
            continue
        under = [thread for thread in threads if thread.assistant_id == each["assistant_id"]]
        found += [broken] if not under else [
            Break(
                broken.reason, broken.graph, None, broken.said, thread.thread_id, thread.assistant_id,
                tuple(question.id for question in thread.questions),
            )
            for thread in under
        ]  # fmt: skip
    return found


async def _assistants(client: LangGraphClient) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    while True:
        page: Any = await client.assistants.search(limit=PAGE, offset=len(found))
        found += page
        if len(page) < PAGE:
            return found


async def _nodes_there(client: LangGraphClient, assistants: list[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The nodes of each graph as the deployment has it; none for one that it can't draw."""
    one_each = {each["graph_id"]: each["assistant_id"] for each in assistants}

    async def drawn(assistant_id: str) -> list[str]:
        try:
            graph: Any = await client.assistants.get_graph(assistant_id)
        except APIStatusError:
            return ["?"]
        return [str(node["id"]) for node in graph["nodes"] if not str(node["id"]).startswith("__")]

    nodes = await asyncio.gather(*map(drawn, one_each.values()))
    return dict(zip(one_each, nodes, strict=True))
