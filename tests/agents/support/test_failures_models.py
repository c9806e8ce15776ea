"""Models that are down, refuse, answer nothing, or break the schema: over real HTTP, the graph in this process."""

from dataclasses import dataclass
from typing import Any

import pytest

from agents.support.state import State
from tests.agents.support.in_process import Talk, hurry, reply_of
from tests.agents.support.provider import (
    ByModel,
    calls_of,
    priced_model,
    system_of,
    tasks_of,
    unpriced_model,
)
from tests.fakes.openai_answers import Call, Say, Status
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.shop import Ledger

QUESTION = "How long does standard delivery take?"
TEAPOT = "Order 88124 arrived damaged, please refund it."
BLENDER = "My blender arrived broken, order 88123. I want my money back."
FOLLOW_UP = "a colleague will look into it personally"
REFUSAL = Say(refusal="I would rather not judge customers.")
EMPTY = Say("")


@pytest.fixture
def by_model(openai_server: OpenAIServer, agents_on_shop: str, monkeypatch: pytest.MonkeyPatch) -> ByModel:
    """The provider's behaviour; `agents_on_shop` and hardly a wait between tries are in place."""
    hurry(monkeypatch)
    responder = ByModel()
    openai_server.responder = responder
    return responder


@pytest.fixture
def ledger(agents_on_shop: str) -> Ledger:
    return Ledger(agents_on_shop)


async def test_with_every_model_down_the_written_rules_answer(
    openai_server: OpenAIServer, by_model: ByModel
) -> None:
    primary, fallback = priced_model(), unpriced_model()
    by_model.always(primary, Status(503))
    by_model.always(fallback, Status(502))
    state = await Talk.open("M-all-down", model=primary, fallback_model=fallback).say(QUESTION)
    assert "3 to 5 working days" in reply_of(state)
    # Three tries each for the first question; the fifth failure opens the breaker, so the second gets only two.
    assert len(calls_of(openai_server, primary)) == len(calls_of(openai_server, fallback)) == 5
    assert [line.partition(" down: ")[0] for line in state["degraded"]] == [
        f"model {primary}",
        f"model {fallback}",
    ] * 2
    assert all(line.endswith("; used offline:rules") for line in state["degraded"])
    assert set(state["usage"]) == {"classify|offline:rules", "draft_reply|offline:rules"}
    assert all(row["usd"] == 0 and not row["unpriced"] for row in state["usage"].values())


async def test_usage_sums_by_node_and_model_over_the_thread(by_model: ByModel) -> None:
    priced, unpriced = priced_model(), unpriced_model()
    for _ in range(2):
        by_model.script(priced, Say("Gladly.", usage=(1_000, 100)), task="draft_reply")
    by_model.script(priced, Status(400, "too long"), task="classify")
    talk = Talk.open("M-usage", model=priced, fallback_model=unpriced)
    await talk.say(QUESTION)
    state = await talk.say(QUESTION)
    assert set(state["usage"]) == {f"classify|{unpriced}", f"classify|{priced}", f"draft_reply|{priced}"}
    row = state["usage"][f"draft_reply|{priced}"]
    assert (row["calls"], row["input_tokens"], row["output_tokens"]) == (2, 2_000, 200)
    assert row["usd"] == pytest.approx((2_000 * 0.40 + 200 * 1.60) / 1e6)
    assert not row["unpriced"]
    assert state["usage"][f"classify|{unpriced}"] == {
        **state["usage"][f"classify|{unpriced}"],
        "calls": 1,
        "usd": 0.0,
        "unpriced": True,
    }


@pytest.mark.parametrize(
    ("model", "tokens", "reason"),
    [
        (unpriced_model(), (190_000, 10_000), "200000 tokens used on {model}, whose price is unknown"),
        (priced_model(), (12_500_000, 0), "$5.00 spent, the limit is $5.00"),
    ],
    ids=["unpriced, by tokens", "priced, by USD"],
)
async def test_a_thread_that_has_used_enough_is_closed_politely(
    openai_server: OpenAIServer, by_model: ByModel, model: str, tokens: tuple[int, int], reason: str
) -> None:
    spent, left = tokens
    by_model.script(model, Say("Gladly.", usage=(spent, left)), task="draft_reply")
    by_model.script(model, classification(usage=(0, 0)), task="classify")
    talk = Talk.open("M-limit", model=model)
    assert reply_of(await talk.say(QUESTION)) == "Gladly."
    asked = len(openai_server.calls)

    state = await talk.say("And express delivery?")
    assert talk.nodes == ["intake", "close"]
    assert state.get("outcome") == "closed"
    assert "please write to desk@shop.example and mention M-limit" in reply_of(state)
    (line,) = state["degraded"]
    assert line.startswith("limit reached: " + reason.format(model=model))
    assert len(openai_server.calls) == asked


async def test_just_below_the_limit_the_thread_goes_on(by_model: ByModel) -> None:
    model = unpriced_model()
    by_model.script(model, Say("Gladly.", usage=(199_999, 0)), task="draft_reply")
    by_model.script(model, classification(usage=(0, 0)), task="classify")
    talk = Talk.open("M-below", model=model)
    await talk.say(QUESTION)
    assert (await talk.say(QUESTION)).get("outcome") == "answered"


def classification(usage: tuple[int, int] = (11, 7), **changes: Any) -> Say:
    args = {"intent": "question", "order_id": None, "reason": "other", "queries": ["standard delivery"]}
    return Say(tool_calls=(("Classification", args | changes),), usage=usage)


@dataclass(frozen=True)
class Unusable:
    """An answer that is of no use, and what the repair prompt has to say of it."""

    answer: Say
    error: str
    shown: str


CLASSIFICATIONS = {
    "refusal": Unusable(REFUSAL, "the model refused: I would rather not", "I would rather not judge"),
    "empty": Unusable(EMPTY, "the answer is empty", ""),
    "text": Unusable(Say("A refund, I guess."), "in text instead of calling", "A refund, I guess."),
    "another intent": Unusable(
        classification(intent="cashback"), "break its schema: intent: Input should be 'refund'", "cashback"
    ),
    "no JSON": Unusable(
        Say(tool_calls=(("Classification", '{"intent": "ref'),)), "are not JSON", '{"intent": "ref'
    ),
    "cut off": Unusable(Say("", finish_reason="length"), "the answer is empty", ""),
}


@pytest.fixture(params=CLASSIFICATIONS.values(), ids=list(CLASSIFICATIONS))
def unusable(request: pytest.FixtureRequest) -> Unusable:
    return request.param


async def test_an_unusable_classification_is_repaired_once(
    openai_server: OpenAIServer, by_model: ByModel, unusable: Unusable
) -> None:
    model = priced_model()
    by_model.script(model, unusable.answer, task="classify")
    talk = Talk.open("M-repair", model=model)
    state = await talk.say(QUESTION)
    assert talk.nodes[:3] == ["intake", "classify", "repair"]
    assert (state.get("outcome"), state.get("problem"), state["degraded"]) == ("answered", None, [])
    assert tasks_of(openai_server, model) == ["classify", "repair", "draft_reply"]
    first, repair, _ = calls_of(openai_server, model)
    assert_repairs(first, repair, unusable)
    assert repair.body["tool_choice"] == first.body["tool_choice"], "the same form is asked for again"


async def test_a_classification_that_stays_unusable_goes_to_a_person(
    openai_server: OpenAIServer, by_model: ByModel, ledger: Ledger, unusable: Unusable
) -> None:
    model = priced_model()
    by_model.script(model, unusable.answer, task="classify")
    by_model.script(model, unusable.answer, task="repair")
    talk = Talk.open("M-bad-repair", model=model)
    state = await talk.say(QUESTION)
    assert talk.nodes == ["intake", "classify", "repair", "dead_letter", "send"]
    assert tasks_of(openai_server, model) == ["classify", "repair"]
    assert_handed_over(state, ledger, "M-bad-repair", "classify: ")
    assert unusable.error in ledger.dead_letters("M-bad-repair")[0]["reason"]


DRAFTS = {
    "refusal": Unusable(REFUSAL, "the model refused: I would rather not", "I would rather not judge"),
    "empty": Unusable(EMPTY, "the answer is empty", ""),
    "cut off": Unusable(
        Say("We have re", finish_reason="length"), "cut off at the token limit", "We have re"
    ),
    "filtered": Unusable(Say("We", finish_reason="content_filter"), "its content filter stopped", "We"),
}


@pytest.mark.parametrize("unusable", DRAFTS.values(), ids=list(DRAFTS), indirect=True)
async def test_an_unusable_draft_is_repaired_once(
    openai_server: OpenAIServer, by_model: ByModel, ledger: Ledger, unusable: Unusable
) -> None:
    model = priced_model()
    by_model.script(model, unusable.answer, task="draft_reply")
    talk = Talk.open("M-draft", model=model)
    state = await talk.say(TEAPOT)
    assert tasks_of(openai_server, model) == ["classify", "draft_reply", "repair"]
    _, first, repair = calls_of(openai_server, model)
    assert_repairs(first, repair, unusable)
    assert "<facts>" in system_of(repair)
    assert "We have refunded $48.50" in reply_of(state)
    assert len(ledger.refunds("M-draft")) == 1


@pytest.mark.parametrize("unusable", DRAFTS.values(), ids=list(DRAFTS), indirect=True)
async def test_a_draft_that_stays_unusable_goes_to_a_person_and_no_money_moves(
    openai_server: OpenAIServer, by_model: ByModel, ledger: Ledger, unusable: Unusable
) -> None:
    model = priced_model()
    by_model.script(model, unusable.answer, task="draft_reply")
    by_model.script(model, unusable.answer, task="repair")
    state = await Talk.open("M-bad-draft", model=model).say(TEAPOT)
    assert tasks_of(openai_server, model) == ["classify", "draft_reply", "repair"]
    assert_handed_over(state, ledger, "M-bad-draft", "draft_reply: ")
    assert ledger.refunds("M-bad-draft") == []


async def test_an_edited_refund_whose_new_draft_fails_is_not_paid_in_silence(
    by_model: ByModel, ledger: Ledger
) -> None:
    model = priced_model()
    talk = Talk.open("M-edit", model=model)
    await talk.say(BLENDER)
    by_model.script(model, REFUSAL, task="draft_reply")
    by_model.script(model, REFUSAL, task="repair")
    state = await talk.answer({"action": "edit", "amount_usd": 600.0})
    assert talk.nodes == ["approve", "draft_reply", "repair", "dead_letter", "send"]
    assert_handed_over(state, ledger, "M-edit", "draft_reply: ")
    assert ledger.refunds("M-edit") == []


async def test_a_refused_summary_loses_nothing(openai_server: OpenAIServer, by_model: ByModel) -> None:
    model = priced_model()
    by_model.script(model, REFUSAL, task="summarize")
    talk = Talk.open("M-summary", model=model)
    for _ in range(10):
        await talk.say(QUESTION)
    state = await talk.say(QUESTION)
    assert tasks_of(openai_server, model)[-3:] == ["summarize", "classify", "draft_reply"]
    assert len(state["messages"]) == 22 and not state.get("summary")
    assert state.get("outcome") == "answered"


def assert_repairs(first: Call, repair: Call, unusable: Unusable) -> None:
    """The repair shows the error and the answer, and is another request than the first."""
    assert repair.body["messages"] != first.body["messages"]
    prompt = system_of(repair)
    error = prompt.partition("<error>")[2].partition("</error>")[0]
    answer = prompt.partition("<answer>")[2].partition("</answer>")[0]
    assert unusable.error in error
    assert unusable.shown in answer
    assert repair.body["messages"][1:] == first.body["messages"][1:], "the conversation is the same"


def assert_handed_over(state: State, ledger: Ledger, ticket_id: str, reason: str) -> None:
    """A dead letter with the reason, and a reply that promises a person."""
    assert state.get("outcome") == "dead_letter"
    assert FOLLOW_UP in reply_of(state) and ticket_id in reply_of(state)
    (letter,) = ledger.dead_letters(ticket_id)
    assert letter["reason"].startswith(reason)
