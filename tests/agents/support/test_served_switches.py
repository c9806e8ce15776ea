"""Tools, flags and models per role as an assistant of a real server sets them, and as a canary lays them over."""

from collections.abc import Callable
from typing import Any

from langgraph_sdk.client import LangGraphClient

from stationmaster.assistants import canaries
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import Assistant, Signature
from tests.agents.support.client import wants_refund
from tests.fakes.agent_server import AgentServer
from tests.fakes.shop import Ledger

BY = Signature("anna", "test", "because")


async def wished(
    client: LangGraphClient, assistant_id: str, ticket: str, order_id: str, **options: Any
) -> Any:
    said = {"ticket_id": ticket, "messages": [{"role": "user", "content": wants_refund(order_id)}]}
    thread = await client.threads.create()
    return await client.runs.wait(thread["thread_id"], assistant_id, input=said, **options)


async def test_an_assistant_that_may_only_search_pays_nothing_back_and_a_canary_of_it_does_neither(
    served: AgentServer, client: LangGraphClient, ledger: Ledger, order_of: Callable[..., str]
) -> None:
    """Also below a setting: a flag that only the live one sets has the graph's default in the arm."""
    gateway = Gateway(client, served.url)
    answers: dict[str, Any] = {"enabled_tools": ["search_kb"], "models": {"draft": "offline:rules"}}
    answers["flags"] = {"acknowledge": False}
    narrow = await gateway.create_assistant(Assistant("switches-answers", "support", context=answers), BY)
    live = await gateway.create_assistant(
        Assistant("switches-live", "support", context={"flags": {"mail_reply": False}}), BY
    )
    try:
        values = await wished(client, narrow.assistant_id, "switches-1", order_of(40))
        assert (values["outcome"], values["off"]) == ("human", ["lookup_order", "refund", "acknowledge"])
        assert (ledger.refunds("switches-1"), ledger.mail_kinds("switches-1")) == ([], ["desk"])

        values = await wished(client, live.assistant_id, "switches-2", order_of(40))
        assert (values["outcome"], values["off"]) == ("refunded", ["mail_reply"])
        assert ledger.mail_kinds("switches-2") == []

        await canaries.start(gateway, "switches-live=switches-answers:99%", "anna", "to be sure")
        values = await wished(
            client, live.assistant_id, "switches-3", order_of(40), metadata={"canary_key": "customer-1"}
        )
        assert (values["outcome"], values["off"]) == ("human", ["lookup_order", "refund", "acknowledge"])
        assert ledger.refunds("switches-3") == []
    finally:
        await client.assistants.delete(live.assistant_id)
        await client.assistants.delete(narrow.assistant_id)
