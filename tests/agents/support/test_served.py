"""The support graph end to end: through `langgraph-sdk`, served by `langgraph dev`, effects counted in the shop."""

from langgraph_sdk.client import LangGraphClient

from tests.agents.support.client import Conversation
from tests.fakes.shop import Ledger

BLENDER = "My blender arrived broken, order 88123. I want my money back."


async def test_a_large_refund_waits_for_a_person_and_happens_once(
    client: LangGraphClient, ledger: Ledger
) -> None:
    talk = await Conversation.open(client, "served-1")
    values = await talk.say(BLENDER)
    question = await talk.question()
    assert question["value"]["amount_usd"] == 640.0
    assert question["value"]["title"] == "Refund $640.00 for order 88123?"
    assert values["outcome"] == "refund_proposed"
    assert not ledger.refunds("served-1")
    assert [mail["idempotency_key"].split(":")[0] for mail in ledger.mails("served-1")] == ["acknowledge"]

    values = await talk.answer({"action": "approve"})
    assert values["outcome"] == "refunded"
    assert [row["amount_usd"] for row in ledger.refunds("served-1")] == [640]
    assert len(ledger.mails("served-1")) == 2
