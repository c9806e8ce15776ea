"""The model writes one sentence: over real HTTP, checked, and replaced where it is wrong or the model is down."""

from functools import partial

import pytest

from agents.digest import tools
from agents.shared import models
from agents.shared.resilience import BreakerOpen
from tests.agents.digest.world import Digest, World, ago
from tests.fakes.openai_answers import Action, Cut, Hang, Raw, Say, Status
from tests.fakes.openai_server import OpenAIServer

WRITTEN = "1 case could not be handled."


async def test_a_good_sentence_stands_and_its_cost_is_noted(
    world: World, openai_server: OpenAIServer
) -> None:
    world.dead_letter(ago(hours=1), ticket="T")
    openai_server.script(Say("One case is left to you."))
    out = await Digest.of(model="openai:gpt-4.1-nano").run()
    assert "\n\nOne case is left to you.\n\n" in out["markdown"]
    assert out["degraded"] == []
    with_cost = world.rows(
        "select graph, node, tenant, input_tokens, usd::float8 as usd from shop.model_calls"
    )
    (row,) = with_cost
    assert (row["node"], row["tenant"], row["input_tokens"]) == ("compose", "main", 11)
    assert row["usd"] > 0


@pytest.mark.parametrize("sentence", ["99 cases are left.", "", "x" * 700])
async def test_a_wrong_sentence_is_written_anew(
    world: World, openai_server: OpenAIServer, sentence: str
) -> None:
    world.dead_letter(ago(hours=1), ticket="T")
    openai_server.script(Say(sentence))
    out = await Digest.of(model="openai:gpt-4.1-nano").run()
    assert WRITTEN in out["markdown"]
    assert "99 cases" not in out["markdown"]
    assert out["degraded"][0].startswith("the first sentence was written anew")


TROUBLE: dict[str, Action] = {
    "500": Status(500),
    "429": Status(429, headers={"Retry-After": "0"}),
    "hang": Hang(),
    "reset": Cut(),
    "garbage": Raw(b"<html>"),
}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many tries as ever, hardly a wait between them, and little patience with each."""
    monkeypatch.setattr("agents.shared.resilience.retry.wait_before_next", lambda *_: 0.01)
    monkeypatch.setattr(models, "ask", partial(models.ask, timeout_s=0.3))


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("trouble", TROUBLE.values(), ids=TROUBLE)
async def test_a_model_whose_trouble_passes_is_asked_again(
    world: World, openai_server: OpenAIServer, trouble: Action
) -> None:
    openai_server.script(trouble, trouble, Say("Nothing happened."))
    out = await Digest.of(model="openai:gpt-4.1-nano").run()
    assert (len(openai_server.calls), out["degraded"]) == (3, [])
    assert "Nothing happened." in out["markdown"]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("action", "asked"), [(Status(401), 1), *((one, 3) for one in TROUBLE.values())])
async def test_a_model_that_is_down_holds_nothing_up(
    world: World, openai_server: OpenAIServer, action: Action, asked: int
) -> None:
    world.dead_letter(ago(hours=1), ticket="T")
    openai_server.responder = lambda _: action
    out = await Digest.of(model="openai:gpt-4.1-nano").run()
    assert len(openai_server.calls) == asked
    assert WRITTEN in out["markdown"]
    assert "used offline:rules" in out["degraded"][0]
    assert len(world.mails()) == 1


async def test_the_model_sees_counts_and_no_words_of_anybody(
    world: World, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.review(
        ago(hours=1), "Sign $9,900.00 to Nordwind, account DE89 3704 0044 0532 0130 00?", graph="treasury"
    )
    openai_server.script(Say("Nothing much."))
    real = tools._figures  # pyright: ignore[reportPrivateUsage]

    async def figures(query: str, **params: object) -> object:
        if query == "refunds":
            raise BreakerOpen("orders of rosa", 1.0)
        return await real(query, **params)

    monkeypatch.setattr(tools, "_figures", figures)
    await Digest.of(model="openai:gpt-4.1-nano").run()
    (call,) = openai_server.calls
    asked = str(call.body["messages"])
    assert not any(secret in asked for secret in ("Nordwind", "DE89", "9,900", "rosa"))
    assert '"waiting": 1' in asked
    assert '"missing": ["refunds"]' in asked
