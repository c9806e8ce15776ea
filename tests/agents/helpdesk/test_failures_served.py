"""What a served helpdesk does when its model, its payments or its limits get in the way: seen by an SDK client.

One `langgraph dev` with a real OpenAI-compatible provider and a real payment provider behind it; each test has a model,
and so a breaker, of its own. The same cases stand unmarked in this process: test_models_that_err.py, test_failures.py.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import psycopg
import pytest
from langgraph_sdk.client import LangGraphClient

from tests.agents.helpdesk.in_process import calls, ends
from tests.agents.support.provider import ByModel, calls_of, unpriced_model
from tests.agents.thread import ServedThread
from tests.conftest import clone
from tests.fakes.agent_server import AgentServer
from tests.fakes.openai_answers import Action, Cut, Raw, Status
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.payment_provider import Cut as PaymentCut
from tests.fakes.payment_provider import Garble, PaymentProvider, Step
from tests.fakes.payment_provider import Status as PaymentStatus
from tests.fakes.shop import Ledger, place_order

pytestmark = pytest.mark.slow
TAX = ("vat", {"net_usd": 100, "country": "DE"})
APPROVE = {"decisions": [{"type": "approve"}]}


@pytest.fixture(scope="module")
def by_model() -> ByModel:
    return ByModel()


@pytest.fixture(scope="module")
def provider(by_model: ByModel) -> Iterator[OpenAIServer]:
    with OpenAIServer.running(by_model) as server:
        yield server


@pytest.fixture(scope="module")
def payments() -> Iterator[PaymentProvider]:
    with PaymentProvider.running() as server:
        yield server


@pytest.fixture(scope="module")
def shop(server: str, seeded_template: str) -> Iterator[str]:
    yield from clone(server, seeded_template)


@pytest.fixture(scope="module")
def failing(
    provider: OpenAIServer, payments: PaymentProvider, shop: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AgentServer]:
    env = {
        "STATIONMASTER_DATABASE_URI": shop,
        "OPENAI_BASE_URL": provider.url,
        "OPENAI_API_KEY": "test",
        "PAYMENTS_URL": payments.url,
        "PAYMENTS_API_KEY": payments.api_key,
    }
    server = AgentServer(tmp_path_factory.mktemp("helpdesk"), env=env)
    server.start_blocking()
    yield server
    server.kill_blocking()


@pytest.fixture
async def client(failing: AgentServer) -> AsyncIterator[LangGraphClient]:
    async with failing.sdk() as client:
        yield client


@pytest.fixture
def ledger(shop: str) -> Ledger:
    return Ledger(shop)


@pytest.fixture
async def thread(client: LangGraphClient) -> ServedThread:
    return await ServedThread.begin(client, "helpdesk", context={"model": unpriced_model()})


async def say(thread: ServedThread, ticket: str, text: str, tier: str = "premium") -> dict[str, Any]:
    sent = {"ticket_id": ticket, "user_tier": tier, "messages": [{"role": "user", "content": text}]}
    return await thread.run(input=sent)


def model_of(thread: ServedThread) -> str:
    return thread.context["model"]


async def test_the_third_equal_call_ends_it(
    thread: ServedThread, by_model: ByModel, provider: OpenAIServer, ledger: Ledger, ticket: str
) -> None:
    by_model.script(model_of(thread), *[calls(TAX)] * 3)
    values = await say(thread, ticket, "VAT?")
    assert values["structured_response"]["why"] == "vat was called for the third time with the same arguments"
    assert len(calls_of(provider, model_of(thread))) == 3
    assert ledger.mail_kinds(ticket) == ["helpdesk-desk"]


async def test_what_models_cost_is_noted_with_graph_and_thread(
    thread: ServedThread, by_model: ByModel, shop: str, ticket: str
) -> None:
    by_model.script(model_of(thread), calls(TAX), ends())
    await say(thread, ticket, "VAT?")
    with psycopg.connect(shop) as conn:
        rows = conn.execute(
            "select tenant, graph, node, thread_id from shop.model_calls where model = %s",
            (model_of(thread),),
        ).fetchall()
    assert rows == [("main", "helpdesk", "help", thread.thread_id)] * 2


async def test_three_model_calls_and_no_answer_end_it(
    thread: ServedThread, by_model: ByModel, provider: OpenAIServer, ledger: Ledger, ticket: str
) -> None:
    by_model.script(
        model_of(thread), *[calls(("vat", {"net_usd": net, "country": "DE"})) for net in (1, 2, 3)]
    )
    values = await say(thread, ticket, "VAT?")
    assert values["structured_response"]["why"] == "no answer after 3 model calls"
    assert len(calls_of(provider, model_of(thread))) == 3
    assert ledger.mail_kinds(ticket) == ["helpdesk-desk"]


async def test_a_tool_of_another_tier_is_not_run(
    thread: ServedThread, by_model: ByModel, shop: str, ledger: Ledger, ticket: str
) -> None:
    refund = ("refund", {"order_id": place_order(shop), "amount_usd": 5, "reason": "x"})
    by_model.script(model_of(thread), calls(refund), ends())
    values = await say(thread, ticket, "Refund!", tier="guest")
    assert any("There is no tool refund here" in str(message["content"]) for message in values["messages"])
    assert not (await thread.state())["interrupts"]
    assert not ledger.refunds(ticket)


async def test_a_promise_of_money_is_held_back(
    thread: ServedThread, by_model: ByModel, ledger: Ledger, ticket: str
) -> None:
    by_model.script(model_of(thread), ends("We have refunded $5,000 to you.", "refunded"))
    values = await say(thread, ticket, "Where is my money?")
    assert values["structured_response"]["status"] == "handed_over"
    assert "$5,000" not in values["messages"][-1]["content"]
    assert ledger.mail_kinds(ticket) == ["helpdesk-desk"]


TROUBLE: list[Step] = [
    PaymentStatus(500),
    PaymentStatus(429),
    PaymentCut(),
    PaymentCut(recorded=True),
    Garble(),
]


@pytest.mark.parametrize("trouble", TROUBLE, ids=range(len(TROUBLE)))
async def test_a_payment_that_fails_for_now_is_made_once(
    client: LangGraphClient, payments: PaymentProvider, shop: str, ledger: Ledger, ticket: str, trouble: Step
) -> None:
    thread = await ServedThread.begin(client, "helpdesk", context={"model": "offline:rules"})
    before = len(payments.refunds)
    await say(thread, ticket, f"Refund {place_order(shop, 50)}, it is broken")
    payments.script(trouble)
    values = await thread.answer(APPROVE)
    assert values["structured_response"]["status"] == "refunded"
    assert len(payments.refunds) == before + 1
    assert ledger.refunded_usd(ticket) == [50]


async def test_a_payment_that_stays_away_is_kept_for_operators(
    client: LangGraphClient, payments: PaymentProvider, shop: str, ledger: Ledger, ticket: str
) -> None:
    thread = await ServedThread.begin(client, "helpdesk", context={"model": "offline:rules"})
    await say(thread, ticket, f"Refund {place_order(shop, 50)}, it is broken")
    asked = len(payments.asked)
    payments.script(*[PaymentStatus(503)] * 3)
    values = await thread.answer(APPROVE)
    assert values["structured_response"]["why"] == "refund could not be done"
    assert len(payments.asked) == asked + 3
    (letter,) = ledger.dead_letters(ticket)
    assert letter["thread_id"] == thread.thread_id
    assert not ledger.refunds(ticket)


DOWN: list[Action] = [Status(500), Status(429), Cut(), Raw(b"<html>")]


@pytest.mark.parametrize("action", DOWN, ids=range(len(DOWN)))
async def test_a_model_that_is_down_is_left_for_the_rules(
    thread: ServedThread, by_model: ByModel, ticket: str, action: Action
) -> None:
    by_model.always(model_of(thread), action)
    values = await say(thread, ticket, "What is the VAT on $100 in Germany?")
    assert "$19.00" in values["structured_response"]["reply"]
    assert values["degraded"]
    assert set(values["usage"]) == {"help|offline:rules"}
