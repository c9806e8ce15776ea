"""What becomes of a request when something around it fails: payments, the database, the model, our own code.

Providers are real servers on the loopback; tries and effects are counted where they happen.
"""

from collections.abc import AsyncIterator

import pytest

from agents.helpdesk import tools
from agents.shared import payments
from agents.shared.database import DatabaseUnavailable
from tests.agents.helpdesk.in_process import Desk, calls, ends, final, hurry, results
from tests.fakes.openai_answers import Action, Cut, Hang, Raw, Status
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.payment_provider import Cut as PaymentCut
from tests.fakes.payment_provider import Garble, PaymentProvider, Step
from tests.fakes.payment_provider import Hang as PaymentHang
from tests.fakes.payment_provider import Status as PaymentStatus
from tests.fakes.shop import Ledger, place_order

APPROVE = {"type": "approve"}
MODES = pytest.mark.parametrize("mode", ["batched", "per_call"])


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


@pytest.fixture
async def provider() -> AsyncIterator[PaymentProvider]:
    with PaymentProvider.running() as running:
        over_http = payments.HttpProvider(running.url, running.api_key, timeout_s=0.3)
        payments.configure(over_http)
        yield running
        payments.configure(None)


async def asked_for_refund(uri: str, ticket: str, mode: str) -> Desk:
    desk = Desk.open(ticket, approval_mode=mode)
    await desk.say(f"Refund {place_order(uri, 50.0)}, it is broken.")
    return desk


async def approved(desk: Desk) -> dict[str, object]:
    return await (desk.decide if desk.context.approval_mode == "batched" else desk.answer)(APPROVE)


TROUBLE: list[Step] = [
    PaymentStatus(500),
    PaymentStatus(429, {"Retry-After": "0"}),
    PaymentHang(),
    PaymentCut(),
    PaymentCut(recorded=True),
    Garble(),
]


@MODES
@pytest.mark.parametrize(
    "trouble", TROUBLE, ids=lambda step: type(step).__name__ + str(getattr(step, "status", ""))
)
async def test_a_payment_that_fails_for_now_is_tried_again(
    agents_on_shop: str, provider: PaymentProvider, ticket: str, mode: str, trouble: Step
) -> None:
    desk = await asked_for_refund(agents_on_shop, ticket, mode)
    provider.script(trouble)
    values = await approved(desk)
    assert final(values)["status"] == "refunded"
    assert len(provider.refunds) == 1
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [50.0]


@MODES
async def test_a_payment_that_stays_away_goes_to_a_person_and_is_kept(
    agents_on_shop: str, provider: PaymentProvider, ticket: str, mode: str
) -> None:
    desk, ledger = await asked_for_refund(agents_on_shop, ticket, mode), Ledger(agents_on_shop)
    provider.script(*[PaymentStatus(503)] * 9)
    values = await approved(desk)
    ended = final(values)
    assert (ended["status"], ended["why"]) == ("handed_over", "refund could not be done")
    assert len(provider.asked) == 3, "the payment client's own tries, and no more"
    (message,) = results(values, "refund")
    assert message.text.endswith(
        "This can't be done right now; a colleague will follow up. Don't try it again."
    )
    (letter,) = ledger.dead_letters(ticket)
    assert (letter["graph"], letter["node"]) == ("helpdesk", "refund")
    assert "PaymentUnavailable" in letter["reason"]
    assert ledger.mail_kinds(ticket) == ["helpdesk-desk"]
    assert not ledger.refunds(ticket)
    assert not await desk.questions(), "the person who allowed it is not asked again"


async def test_a_tool_whose_database_fails_for_now_is_tried_again(
    agents_on_shop: str, ticket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    order_id, tries = place_order(agents_on_shop), list[str]()
    real = tools.orders.find_order

    async def find_order(number: str) -> object:
        tries.append(number)
        if len(tries) < 3:
            raise DatabaseUnavailable("the database went away")
        return await real(number)

    monkeypatch.setattr(tools.orders, "find_order", find_order)
    values = await Desk.open(ticket).say(f"Where is {order_id}?")
    assert final(values)["status"] == "answered"
    assert tries == [order_id] * 3
    assert not values["failures"]


async def test_a_tool_whose_database_stays_away_is_noted_while_others_answer(
    agents_on_shop: str, ticket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[str] = []

    async def find_order(number: str) -> object:
        tries.append(number)
        raise DatabaseUnavailable("host 10.0.0.7 went away")

    monkeypatch.setattr(tools.orders, "find_order", find_order)
    values = await Desk.open(ticket).say("Where is 88123, and what is the VAT on $100 in Germany?")
    ended = final(values)
    assert len(tries) == 3
    assert ended["handed_over"]
    assert "$19.00" in ended["reply"]
    said = " ".join(message.text for message in results(values))
    assert "10.0.0.7" not in said
    assert "10.0.0.7" not in ended["reply"]
    (letter,) = Ledger(agents_on_shop).dead_letters(ticket)
    assert letter["node"] == "order_lookup"


async def test_a_bug_fails_at_once_and_the_thread_goes_on_with_a_mended_release(
    agents_on_shop: str, ticket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    order_id, tries = place_order(agents_on_shop), list[str]()

    async def find_order(number: str) -> object:
        tries.append(number)
        raise ValueError("a bug")

    desk = Desk.open(ticket)
    with monkeypatch.context() as patch:
        patch.setattr(tools.orders, "find_order", find_order)
        with pytest.raises(ValueError, match="a bug"):
            await desk.say(f"Where is {order_id}?")
    assert len(tries) == 1
    assert not Ledger(agents_on_shop).dead_letters(ticket)
    assert final(await desk.run(None))["status"] == "answered"


DOWN: list[Action] = [Status(500), Status(429), Status(401), Hang(), Cut(), Raw(b"<html>")]


@pytest.mark.parametrize(
    "action", DOWN, ids=lambda action: type(action).__name__ + str(getattr(action, "code", ""))
)
async def test_a_model_that_is_down_is_left_for_the_rules(
    agents_on_shop: str,
    openai_server: OpenAIServer,
    ticket: str,
    action: Action,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("agents.shared.models.trying.TIMEOUT_S", 0.3)
    openai_server.responder = lambda _: action
    desk = Desk.open(ticket, model=f"openai:{ticket}")
    values = await desk.say("What is the VAT on $100 in Germany?")
    assert "$19.00" in final(values)["reply"]
    assert all(note.startswith(f"model openai:{ticket} down") for note in values["degraded"])
    assert len(values["degraded"]) == 2  # of both steps
    assert set(values["usage"]) == {"help|offline:rules"}


async def test_a_model_that_fails_once_is_asked_again(
    agents_on_shop: str, openai_server: OpenAIServer, ticket: str
) -> None:
    openai_server.script(Status(500), calls(("vat", {"net_usd": 1, "country": "US"})), Status(429), ends())
    values = await Desk.open(ticket, model=f"openai:{ticket}").say("VAT?")
    assert final(values)["status"] == "answered"
    assert len(openai_server.calls) == 4
    assert values["degraded"] == []


async def test_a_model_that_is_down_has_a_fallback(
    agents_on_shop: str, openai_server: OpenAIServer, ticket: str
) -> None:
    openai_server.responder = lambda call: (
        Status(500) if "first" in call.body["model"] else ends("From the second.")
    )
    values = await Desk.open(ticket, model="openai:first", fallback_model="openai:second").say("Hello")
    assert final(values)["reply"] == "From the second."
    assert "help|openai:second" in values["usage"]
    assert "used openai:second" in values["degraded"][0]
