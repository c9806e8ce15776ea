"""What becomes of a served request when its model, the order service or a payment fails: seen by an SDK client.

One `langgraph dev` with a real OpenAI-compatible provider behind it; each test has models, and so breakers, of its own.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import psycopg
import pytest
from langgraph_sdk.client import LangGraphClient
from psycopg.rows import DictRow, dict_row
from psycopg.sql import SQL, Identifier

from tests.agents.support.client import Conversation
from tests.agents.support.provider import ByModel, calls_of, priced_model, tasks_of
from tests.conftest import clone
from tests.fakes.agent_server import AgentServer
from tests.fakes.openai_answers import Cut, Status
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.shop import Ledger

Watch = psycopg.Connection[DictRow]
QUESTION = "How long does standard delivery take?"
BLENDER = "My blender arrived broken, order 88123. I want my money back."
TEAPOT = "Order 88124 arrived damaged, please refund it."
FOLLOW_UP = "a colleague will look into it personally"
ORDERS_BREAKER = "select failures, opened_at is not null as open from shop.breakers where name = 'orders'"
AGE_BREAKERS = "update shop.breakers set opened_at = opened_at - interval '31 s'"


@pytest.fixture(scope="module")
def by_model() -> ByModel:
    return ByModel()


@pytest.fixture(scope="module")
def provider(by_model: ByModel) -> Iterator[OpenAIServer]:
    with OpenAIServer.running(by_model) as server:
        yield server


@pytest.fixture(scope="module")
def failing_shop(server: str, seeded_template: str) -> Iterator[str]:
    """A shop where a lock is waited for 0.2 s at most, so that a locked table is a service that is down."""
    for uri in clone(server, seeded_template):
        with psycopg.connect(uri, autocommit=True) as conn:
            name = Identifier(conn.info.dbname)
            conn.execute(SQL("alter database {} set lock_timeout = 200").format(name))
        yield uri


@pytest.fixture(scope="module")
def served(
    provider: OpenAIServer, failing_shop: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AgentServer]:
    env = {
        "STATIONMASTER_DATABASE_URI": failing_shop,
        "OPENAI_BASE_URL": provider.url,
        "OPENAI_API_KEY": "test",
    }
    server = AgentServer(tmp_path_factory.mktemp("failures"), env=env)
    server.start_blocking()
    yield server
    server.kill_blocking()


@pytest.fixture
async def client(served: AgentServer) -> AsyncIterator[LangGraphClient]:
    async with served.sdk() as client:
        yield client


@pytest.fixture
def ledger(failing_shop: str) -> Ledger:
    return Ledger(failing_shop)


def reply_of(values: dict[str, Any]) -> str:
    assert values["messages"][-1]["type"] == "ai"
    return values["messages"][-1]["content"]


async def test_a_model_that_is_down_is_left_for_its_fallback(
    client: LangGraphClient, provider: OpenAIServer, by_model: ByModel
) -> None:
    primary, fallback = priced_model(), priced_model()
    by_model.always(primary, Status(500))
    talk = await Conversation.open(client, "F-down", model=primary, fallback_model=fallback)
    values = await talk.say(QUESTION)

    assert values["outcome"] == "answered"
    assert "3 to 5 working days" in reply_of(values)
    # Three tries for the first question; the fifth failure opens the breaker, so the second gets only two.
    assert tasks_of(provider, primary) == ["classify"] * 3 + ["draft_reply"] * 2
    assert tasks_of(provider, fallback) == ["classify", "draft_reply"]
    first, second = values["degraded"]
    assert re.fullmatch(rf"model {primary} down: status 500.*; used {fallback}", first)
    assert re.fullmatch(
        rf"model {primary} down: model:{primary} failed repeatedly .*; used {fallback}", second
    )
    usage = values["usage"]
    assert set(usage) == {f"classify|{fallback}", f"draft_reply|{fallback}"}
    for row in usage.values():
        assert row["calls"] == 1 and not row["unpriced"]
        assert row["usd"] == pytest.approx((0.40 * row["input_tokens"] + 1.60 * row["output_tokens"]) / 1e6)

    # The breaker belongs to every thread: the next one does not ask the model at all.
    other = await Conversation.open(client, "F-down-2", model=primary, fallback_model=fallback)
    assert len((await other.say(QUESTION))["degraded"]) == 2
    assert len(calls_of(provider, primary)) == 5


async def test_a_refused_key_is_not_tried_again(
    client: LangGraphClient, provider: OpenAIServer, by_model: ByModel
) -> None:
    primary, fallback = priced_model(), priced_model()
    by_model.always(primary, Status(401, "wrong key"))
    talk = await Conversation.open(client, "F-401", model=primary, fallback_model=fallback)
    values = await talk.say(QUESTION)
    assert tasks_of(provider, primary) == tasks_of(provider, fallback) == ["classify", "draft_reply"]
    assert [line.startswith(f"model {primary} down: status 401") for line in values["degraded"]] == [True] * 2
    assert "wrong key" not in str(values), "what a provider says is for the log"
    assert values["outcome"] == "answered"


async def test_retry_after_is_waited_for(
    client: LangGraphClient, provider: OpenAIServer, by_model: ByModel
) -> None:
    model = priced_model()
    # Longer than any wait of our own before the second try (0.5 s and up to half of that).
    by_model.script(model, Status(429, headers={"Retry-After": "1.5"}))
    talk = await Conversation.open(client, "F-429", model=model)
    values = await asyncio.wait_for(talk.say(QUESTION), 30)
    limited, again, draft = calls_of(provider, model)
    assert again.at - limited.at >= 1.5
    assert draft.at - again.at < 1.5
    assert (values["outcome"], values["degraded"]) == ("answered", [])


async def test_an_answer_that_is_cut_off_while_the_client_reads_it(
    client: LangGraphClient, by_model: ByModel
) -> None:
    """What the client sees: each try streams under a message id of its own. One that was cut off just stops, and
    never gets a finish_reason; the reply is the message that `send` adds, and the only one of them in the state."""
    primary, fallback = priced_model(), priced_model()
    torn = [Cut("We can not tell you one two", chunks=5, politely=polite) for polite in (False, True, False)]
    by_model.script(primary, *torn, task="draft_reply")
    talk = await Conversation.open(client, "F-cut", model=primary, fallback_model=fallback)
    nodes: dict[str, str] = {}
    seen: dict[str, dict[str, Any]] = {}
    stream = client.runs.stream(
        talk.thread_id, "support", input=talk.input(QUESTION), context=talk.context, stream_mode="messages"
    )
    async for part in stream:
        assert part.event != "error", part.data
        if part.event == "messages/metadata":
            nodes |= {id_: about["metadata"]["langgraph_node"] for id_, about in part.data.items()}
        elif part.event.startswith("messages/"):
            seen |= {message["id"]: message for message in part.data}

    drafts = [seen[id_] for id_, node in nodes.items() if node == "draft_reply"]
    assert [draft["response_metadata"].get("finish_reason") for draft in drafts] == [None, None, None, "stop"]
    assert [draft["content"] for draft in drafts[:3]] == ["We can not tell "] * 3
    (sent,) = (seen[id_] for id_, node in nodes.items() if node == "send")
    values = (await talk.state())["values"]
    assert sent["content"] == drafts[3]["content"] == values["draft"] == reply_of(values)
    assert [message["type"] for message in values["messages"]] == ["human", "ai"]
    assert values["messages"][-1]["id"] == sent["id"]
    (line,) = values["degraded"]
    assert line.startswith(f"model {primary} down: ") and line.endswith(f"; used {fallback}")


async def test_two_approved_refunds_of_one_order_pay_back_no_more_than_was_paid(
    client: LangGraphClient, ledger: Ledger
) -> None:
    talks = [await Conversation.open(client, f"F-twice-{n}", model="offline:rules") for n in (1, 2)]
    for waiting in await asyncio.gather(*(talk.say(BLENDER) for talk in talks)):
        assert waiting["outcome"] == "refund_proposed"
    values = await asyncio.gather(*(talk.answer({"action": "approve"}) for talk in talks))

    paid, unpaid = sorted(values, key=lambda one: one["outcome"], reverse=True)
    assert (paid["outcome"], unpaid["outcome"]) == ("refunded", "dead_letter")
    assert [row["amount_usd"] for row in ledger.refunds(paid["ticket_id"])] == [640]
    assert ledger.refunds(unpaid["ticket_id"]) == []
    assert ledger.dead_letters(paid["ticket_id"]) == []
    (letter,) = ledger.dead_letters(unpaid["ticket_id"])
    assert "more than can still be paid back" in letter["reason"]
    assert FOLLOW_UP in reply_of(unpaid) and "refunded" not in reply_of(unpaid)
    (mail,) = (one for one in ledger.mails(unpaid["ticket_id"]) if one["idempotency_key"].startswith("reply"))
    assert mail["body"] == reply_of(unpaid)


async def test_the_order_service_down_for_all_threads_until_a_probe_succeeds(
    client: LangGraphClient, failing_shop: str, ledger: Ledger
) -> None:
    async def ask(name: str) -> dict[str, Any]:
        return await (await Conversation.open(client, name, model="offline:rules")).say(TEAPOT)

    with Watch.connect(failing_shop, row_factory=dict_row, autocommit=True) as watch:
        with psycopg.connect(failing_shop) as lock:
            lock.execute("lock table shop.orders in access exclusive mode")
            first = await ask("F-orders-1")
            assert watch.execute(ORDERS_BREAKER).fetchone() == {"failures": 3, "open": False}
            await ask("F-orders-2")
            assert watch.execute(ORDERS_BREAKER).fetchone() == {"failures": 5, "open": True}
            others = await asyncio.gather(*(ask(f"F-orders-3{letter}") for letter in "abc"))
            assert watch.execute(ORDERS_BREAKER).fetchone() == {"failures": 5, "open": True}
            watch.execute(AGE_BREAKERS)
            await asyncio.gather(*(ask(f"F-orders-4{letter}") for letter in "abc"))
            # One of the three was let through as a probe, and failed: the cooldown starts anew.
            assert watch.execute(ORDERS_BREAKER).fetchone() == {"failures": 6, "open": True}

        assert FOLLOW_UP in reply_of(first) and "F-orders-1" in reply_of(first)
        assert first["outcome"] == "dead_letter"
        (letter,) = ledger.dead_letters("F-orders-1")
        assert letter["reason"].startswith("lookup_order: LockNotAvailable")
        assert letter["node"] == "lookup_order" and letter["thread_id"]
        for values in others:
            assert FOLLOW_UP in reply_of(values)
            assert [line.partition(":")[0] for line in values["degraded"]] == ["lookup_order"]
            (letter,) = ledger.dead_letters(values["ticket_id"])
            assert "BreakerOpen: orders failed repeatedly" in letter["reason"]

        still_closed_to_all = await ask("F-orders-5")
        assert still_closed_to_all["outcome"] == "dead_letter", (
            "the service is back, but the cooldown is not over"
        )
        watch.execute(AGE_BREAKERS)
        assert (await ask("F-orders-6"))["outcome"] == "refunded"
        assert watch.execute(ORDERS_BREAKER).fetchone() == {"failures": 0, "open": False}
    assert len(ledger.refunds("F-orders-6")) == 1
