"""The history by pages: a page costs what it shows, on servers that give the newest first and on others."""

import json
from dataclasses import replace
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.assistants.errors import NoSuchAssistant, NothingToDo
from stationmaster.assistants.proposing import propose_rollback
from stationmaster.assistants.versions import history, numbers, older_than, version_of
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import CHANGE, ServedAssistant
from tests.stationmaster.assistants.conftest import ANNA, made


async def grown(gateway: Gateway, name: str, versions: int, **last: Any) -> ServedAssistant:
    """An assistant with so many versions, each with another threshold."""
    now = await made(gateway, name, context={"threshold": 1})
    for number in range(2, versions + 1):
        content = replace(
            now.content(), context={"threshold": number}, **(last if number == versions else {})
        )
        now = await gateway.update_assistant(now, content, ANNA)
    return now


async def test_pages_join_into_the_whole(gateway: Gateway, name: str) -> None:
    now = await grown(gateway, name, 7)
    whole = await history(gateway, now)
    pages, before = [], None
    while True:
        page = await history(gateway, now, before=before, most=3)
        pages.append([step.version.version for step in page])
        assert page == [step for step in whole if step.version.version in pages[-1]], "changes too"
        before = older_than(page)
        if before is None:
            break
    assert pages == [[7, 6, 5], [4, 3, 2], [1]]
    assert await history(gateway, now, before=1, most=3) == []
    assert await numbers(gateway, now, 3) == [7, 6, 5] and len(await numbers(gateway, now, 99)) == 7


async def test_one_version_is_read_by_itself(gateway: Gateway, name: str) -> None:
    now = await grown(gateway, name, 4)
    for number in (1, 2, 4):
        found = await version_of(gateway, now, number)
        assert (found.version, found.context) == (number, {"threshold": number})
    for number in (0, 5, 99):
        with pytest.raises(NoSuchAssistant, match="it has 1 to 4"):
            await version_of(gateway, now, number)


async def test_a_rollback_looks_as_far_back_as_it_has_to(
    gateway: Gateway, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Versions that only a canary made say the same; the one before all of them is found, page by page."""
    monkeypatch.setattr("stationmaster.assistants.proposing.LOOKED_AT", 2)
    now = await made(gateway, name, context={"threshold": 1})
    for _ in range(5):
        now = await gateway.update_assistant(now, replace(now.content(), context={"threshold": 2}), ANNA)
    assert (await propose_rollback(gateway, None, name)).origin == f"{name}@1"
    await made(gateway, f"{name}-same")
    with pytest.raises(NothingToDo, match="no earlier version"):
        await propose_rollback(gateway, None, f"{name}-same")


@pytest.mark.parametrize("newest_first", [True, False])
async def test_a_server_in_another_order_is_read_whole(*, newest_first: bool) -> None:
    """What of a stock server stands in nobody's contract; `asked` counts what was read."""
    numbered = list(range(500, 0, -1)) if newest_first else list(range(1, 501))
    asked: list[int] = []

    def answer(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        page = numbered[body["offset"] :][: body["limit"]]
        asked.append(len(page))
        row = {
            "assistant_id": "a",
            "graph_id": "g",
            "name": "n",
            "config": {},
            "context": {},
            "updated_at": "",
        }
        return httpx.Response(
            200, json=[{**row, "version": n, "metadata": {CHANGE: {}}, "created_at": ""} for n in page]
        )

    async with httpx.AsyncClient(base_url="http://x", transport=httpx.MockTransport(answer)) as http:
        gateway = Gateway(LangGraphClient(http), "http://x")
        found = await gateway.versions_before("a", 100, 3)
    assert [each.version for each in found] == [99, 98, 97]
    assert sum(asked) == (1 + 3 if newest_first else 1 + 3 + 500)
