"""Who names the version that a write replaces meets it; who names none is let through."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.server import versioning
from stationmaster.server.versioning import Expected, Outdated

SEVEN = ServedAssistant(
    "a", "support", "g", "", {}, None, (), {"change": {"author": "ben"}}, 7, "2026-11-30T12:00:00"
)


class Server:
    """Has one assistant, or none."""

    def __init__(self, current: ServedAssistant | None = SEVEN) -> None:
        self.current = current

    async def __call__(self, assistant_id: str) -> ServedAssistant | None:
        await asyncio.sleep(0)
        return self.current


def naming(version: Any) -> dict[str, Any]:
    return {"change": {"from_version": version}}


async def test_of_many_at_once_one_gets_past() -> None:
    expected = Expected(Server())
    outcomes = await asyncio.gather(
        *(expected.require("a", naming(7)) for _ in range(20)), return_exceptions=True
    )
    assert sum(each is None for each in outcomes) == 1
    assert all("just replacing version 7" in str(each) for each in outcomes if each is not None)


async def test_an_older_version_is_refused_with_who_wrote_the_newer() -> None:
    with pytest.raises(
        Outdated, match="version 6 of support was expected to be current, and version 7 by ben is"
    ):
        await Expected(Server()).require("a", naming(6))


@pytest.mark.parametrize(
    "metadata", [None, {}, {"change": None}, {"change": "x"}, naming(None), naming("7"), naming(True)]
)
async def test_who_names_no_version_is_let_through(metadata: object) -> None:
    expected = Expected(Server())
    for _ in range(2):
        await expected.require("a", metadata)


async def test_the_next_version_and_other_assistants_are_free() -> None:
    server = Server()
    expected = Expected(server)
    await expected.require("a", naming(7))
    await expected.require("b", naming(7))
    server.current = replace(SEVEN, version=8)
    await expected.require("a", naming(8))


async def test_a_write_that_failed_may_be_tried_again_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versioning, "WRITING_S", 0.0)
    expected = Expected(Server())
    await expected.require("a", naming(7))
    await expected.require("a", naming(7))


async def test_who_met_an_error_of_the_server_may_try_again_at_once_and_others_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    anna = {"change": {"from_version": 7, "author": "anna", "source": "apply"}}
    ben = {"change": {**anna["change"], "author": "ben"}}
    expected = Expected(Server())
    await expected.require("a", anna)
    with pytest.raises(Outdated):  # in the very moment: two windows of one person
        await expected.require("a", anna)
    monkeypatch.setattr(versioning, "AGAIN_S", 0.0)
    with pytest.raises(Outdated):
        await expected.require("a", ben)
    await expected.require("a", anna)


async def test_an_assistant_that_is_gone_is_the_updates_to_say() -> None:
    await Expected(Server(None)).require("a", naming(7))
