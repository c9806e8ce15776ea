"""A database or a model that is away, for a while or for good: tried three times, then dead-lettered or left for the
rules, and nothing is half done.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from agents.shared import models
from agents.shared.database import DatabaseUnavailable
from agents.shared.resilience import RETRY
from agents.treasury import book as treasury_book
from agents.treasury.context import Context
from agents.treasury.graph import builder
from agents.treasury.rules import answer as written_rules
from tests.agents.treasury.desk import APPROVE, Book, Desk, pay
from tests.fakes.openai_answers import Action, Cut, Hang, Raw, Status, by_rules
from tests.fakes.openai_server import OpenAIServer

WORDS = "Please pay $50.00 to Nordwind Logistics GmbH, account DE89 3704 0044 0532 0130 00, invoice {}."
TROUBLE: dict[str, Action] = {
    "500": Status(500),
    "429": Status(429, headers={"Retry-After": "0"}),
    "hang": Hang(),
    "reset": Cut(),
    "garbage": Raw(b"<html>not json"),
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many tries as ever, but hardly a wait between them."""
    for spec in builder.nodes.values():
        if spec.retry_policy is not None:
            monkeypatch.setattr(spec, "retry_policy", RETRY._replace(initial_interval=0.01, jitter=False))
    monkeypatch.setattr("agents.shared.resilience.retry.wait_before_next", lambda *_: 0.01)
    monkeypatch.setattr(models, "ask", partial(models.ask, timeout_s=0.3))


def away(times: int, real: Callable[..., Awaitable[Any]]) -> tuple[Any, list[int]]:
    """A stand-in that finds no database so many times, and then does the real thing; and a list of its calls."""
    calls: list[int] = []

    async def stand_in(*args: Any) -> Any:
        calls.append(1)
        if len(calls) <= times:
            raise DatabaseUnavailable("away")
        return await real(*args)

    return stand_in, calls


@pytest.mark.parametrize("name", ["limits", "screen", "enter", "begin", "finish"])
async def test_one_that_comes_back_is_asked_again_and_pays_once(
    book: Book, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    stand_in, calls = away(2, getattr(treasury_book, name))
    monkeypatch.setattr(treasury_book, name, stand_in)
    desk = Desk()
    assert (await desk.ask(pay(50)))["outcome"] == "executed"
    assert len(calls) >= 3
    assert book.statuses(desk.thread_id) == ["executed"]


@pytest.mark.parametrize(
    ("name", "node", "statuses"),
    [
        ("limits", "check", []),
        ("enter", "record", []),
        ("begin", "execute", ["cancelled"]),
        ("finish", "execute", ["executing"]),
    ],
)
async def test_one_that_stays_away_ends_in_the_dead_letters(
    book: Book, monkeypatch: pytest.MonkeyPatch, name: str, node: str, statuses: list[str]
) -> None:
    stand_in, calls = away(99, getattr(treasury_book, name))
    monkeypatch.setattr(treasury_book, name, stand_in)
    desk = Desk()
    values = await desk.ask(pay(50))
    assert (values["outcome"], len(calls)) == ("dead_letter", 3)
    (letter,) = book.dead_letters(desk.thread_id)
    assert (letter["node"], letter["detail"]["tenant"]) == (node, book.tenant)
    assert book.statuses(desk.thread_id) == statuses


async def test_a_signature_that_can_not_be_written_signs_nothing(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in, calls = away(99, treasury_book.sign)
    monkeypatch.setattr(treasury_book, "sign", stand_in)
    desk = Desk()
    await desk.ask(pay(7_200))
    values = await desk.answer(APPROVE, by="ada")
    assert (values["outcome"], len(calls)) == ("dead_letter", 3)
    assert book.statuses(desk.thread_id) == ["cancelled"]


@pytest.mark.parametrize("kind", TROUBLE)
async def test_a_model_whose_trouble_passes_is_asked_again(
    book: Book, openai_server: OpenAIServer, kind: str
) -> None:
    openai_server.responder = by_rules(written_rules)
    openai_server.script(TROUBLE[kind], TROUBLE[kind])
    desk = Desk(context=Context(model=f"openai:passes-{kind}"))
    values = await desk.say(WORDS.format(f"P-{kind}"))
    assert (values["outcome"], len(openai_server.calls), values["degraded"]) == ("executed", 3, [])
    assert book.statuses(desk.thread_id) == ["executed"]


@pytest.mark.parametrize("kind", TROUBLE)
async def test_a_model_that_stays_down_is_left_for_the_rules_and_it_is_noted(
    book: Book, openai_server: OpenAIServer, kind: str
) -> None:
    openai_server.responder = lambda _: TROUBLE[kind]
    desk = Desk(context=Context(model=f"openai:stays-{kind}"))
    values = await desk.say(WORDS.format(f"S-{kind}"))
    assert (values["outcome"], len(openai_server.calls)) == ("executed", 3)
    assert values["degraded"][0].startswith(f"model openai:stays-{kind} down: ")
    assert set(values["usage"]) == {"understand|offline:rules"}
