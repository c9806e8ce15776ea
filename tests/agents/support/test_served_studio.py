"""What Studio does to a thread: breakpoints, edited state, runs from the past; and what it asks of the server."""

from collections.abc import Callable
from typing import Any

import httpx
from langgraph_sdk.client import LangGraphClient

from agents.support.context import Context
from agents.support.graph import builder
from tests.agents.support.client import GRAPH, Conversation, wants_refund
from tests.fakes.agent_server import AgentServer
from tests.fakes.shop import Ledger

APPROVE = {"action": "approve"}


async def test_a_corrected_intent_takes_the_other_branch(talk: Conversation, ledger: Ledger) -> None:
    await talk.want_refund(interrupt_after=["classify"])
    state = await talk.state()
    assert (sorted(state["next"]), state["interrupts"]) == (["check_return_policy", "lookup_order"], [])

    await talk.client.threads.update_state(talk.thread_id, {"intent": "human"}, as_node="classify")
    assert (await talk.state())["next"] == ["assess"]
    assert await talk.nodes(input=None) == ["assess", "draft_reply", "hand_over", "send"]
    assert (await talk.state())["values"]["outcome"] == "human"
    assert ledger.mail_kinds(talk.ticket_id) == ["desk"]
    assert not ledger.refunds(talk.ticket_id)


async def test_a_draft_edited_at_a_breakpoint_is_what_is_sent(
    client: LangGraphClient, ticket: str, order_of: Callable[..., str], ledger: Ledger
) -> None:
    talk = await Conversation.open(client, ticket, order_id=order_of(48.5))
    await talk.want_refund(interrupt_before=["refund"])
    assert (await talk.state())["next"] == ["refund"]
    assert not ledger.refunds(ticket)
    await client.threads.update_state(talk.thread_id, {"draft": "Yours, Theo."}, as_node="draft_reply")
    values = await talk.run(input=None)
    assert (values["outcome"], values["messages"][-1]["content"]) == ("refunded", "Yours, Theo.")
    assert ledger.refunded_usd(ticket) == [48.5]


async def test_a_draft_edited_while_the_question_waits(waiting: Conversation, ledger: Ledger) -> None:
    """The question is gone until the gate runs again; then it shows the new draft."""
    await waiting.client.threads.update_state(waiting.thread_id, {"draft": "Mine."}, as_node="draft_reply")
    state = await waiting.state()
    assert (state["next"], state["interrupts"]) == (["approve"], [])
    await waiting.run(input=None)
    assert (await waiting.question())["value"]["draft"] == "Mine."
    values = await waiting.answer(APPROVE)
    assert values["messages"][-1]["content"] == "Mine."
    assert ledger.refunded_usd(waiting.ticket_id) == [640]
    assert ledger.mail_kinds(waiting.ticket_id) == ["acknowledge", "reply"]


async def test_a_run_from_before_the_refund_repeats_no_effect(waiting: Conversation, ledger: Ledger) -> None:
    await waiting.answer(APPROVE)
    before = await waiting.history()
    effects = [ledger.refunds(waiting.ticket_id), ledger.mails(waiting.ticket_id)]
    for nodes in (["refund"], ["lookup_order", "check_return_policy"]):
        (past,) = [item for item in before if item["next"] == nodes]
        await waiting.run(input=None, checkpoint_id=past["checkpoint"]["checkpoint_id"])
        assert (await waiting.state())["next"] == []
    assert [ledger.refunds(waiting.ticket_id), ledger.mails(waiting.ticket_id)] == effects
    after = [item["checkpoint"]["checkpoint_id"] for item in await waiting.history()]
    assert after[-len(before) :] == [item["checkpoint"]["checkpoint_id"] for item in before]
    assert len(after) > len(before)


async def test_a_fork_that_wants_another_amount_is_refused(waiting: Conversation, ledger: Ledger) -> None:
    await waiting.answer(APPROVE)
    (gate,) = [item for item in await waiting.history() if item["next"] == ["approve"]]
    forked = await waiting.client.threads.update_state(
        waiting.thread_id, {"draft": "Only half."}, as_node="draft_reply", checkpoint=gate["checkpoint"]
    )
    await waiting.run(input=None, checkpoint=forked["checkpoint"])
    assert (await waiting.question())["value"]["draft"] == "Only half."
    values = await waiting.answer({"action": "edit", "amount_usd": 320, "reply": "Only half."})
    assert values["outcome"] == "dead_letter"
    assert "was used for $640.00" in values["failures"][0]["reason"]
    assert ledger.refunded_usd(waiting.ticket_id) == [640]
    assert ledger.mail_kinds(waiting.ticket_id) == ["acknowledge", "reply"], (
        "the first reply stays the only one"
    )


async def test_an_approval_that_is_written_is_asked_about(waiting: Conversation, ledger: Ledger) -> None:
    """By an edit of the state, and by a command; what else there is, test_forged.py writes in process."""
    seen, values = await waiting.question(), (await waiting.state())["values"]
    written = {"decision": {**values["decision"], "status": "approved", "needs_approval": False}}
    await waiting.client.threads.update_state(waiting.thread_id, written, as_node="draft_reply")
    assert (await waiting.state())["next"] == ["refund"]
    await waiting.run(input=None)
    asked = await waiting.question()
    assert asked["id"] != seen["id"]
    assert "which no person has allowed" in asked["value"]["verdict"]
    await waiting.run(command={"goto": "refund", "update": written})
    assert not ledger.refunds(waiting.ticket_id)
    await waiting.answer(APPROVE)
    assert ledger.refunded_usd(waiting.ticket_id) == [640]


async def test_history_shows_what_each_step_was_about_to_do(waiting: Conversation) -> None:
    history = await waiting.history()
    for item in history:
        assert sorted(task["name"] for task in item["tasks"]) == sorted(item["next"])
    gate, *earlier = history
    assert gate["tasks"][0]["interrupts"] == [await waiting.question()]
    assert [item["metadata"]["step"] for item in history] == list(range(len(earlier) - 1, -2, -1))
    parents = [item["parent_checkpoint"]["checkpoint_id"] for item in history[:-1]]
    assert parents == [item["checkpoint"]["checkpoint_id"] for item in earlier]


async def test_the_assistant_the_drawing_and_the_schemas(client: LangGraphClient) -> None:
    (assistant,) = await client.assistants.search(metadata={"created_by": "system"}, graph_id=GRAPH)
    assert assistant["name"] == GRAPH
    drawn = await client.assistants.get_graph(assistant["assistant_id"], xray=True)
    # A node that is a subgraph is drawn as its parts, whose names begin with its own.
    assert {str(node["id"]).partition(":")[0] for node in drawn["nodes"]} == {
        "__start__",
        "__end__",
        *builder.nodes,
    }
    schemas: dict[str, Any] = dict(await client.assistants.get_schemas(assistant["assistant_id"]))
    assert set(schemas["input_schema"]["properties"]) == {"ticket_id", "messages"}
    assert {"messages", "decision", "outcome", "usage"} <= set(schemas["state_schema"]["properties"])
    assert schemas["output_schema"]
    form = schemas["context_schema"]["properties"]
    assert set(form) == set(Context.model_fields)
    assert all(field["description"] and "default" in field for field in form.values())
    assert set(await client.assistants.get_subgraphs(assistant["assistant_id"])) == {"search_by_meaning"}


async def test_the_requests_as_studio_makes_them(served: AgentServer) -> None:
    """Studio posts its search as text/plain, which spares it a preflight."""
    async with httpx.AsyncClient(base_url=served.url, trust_env=False) as http:
        info = await http.get("/info")
        found = await http.post(
            "/assistants/search",
            content=b'{"metadata": {"created_by": "system"}}',
            headers={"content-type": "text/plain;charset=UTF-8"},
        )
    assert info.json()["flags"]["assistants"] is True
    assert GRAPH in [assistant["graph_id"] for assistant in found.json()]


async def test_mcp_lists_the_graph_and_answers_through_it(served: AgentServer) -> None:
    async with httpx.AsyncClient(base_url=served.url, trust_env=False, timeout=20) as http:

        async def call(method: str, **params: Any) -> Any:
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            headers = {"accept": "application/json, text/event-stream"}
            return (await http.post("/mcp", json=body, headers=headers)).json()["result"]

        tools = (await call("tools/list"))["tools"]
        (tool,) = [tool for tool in tools if tool["name"] == GRAPH]
        assert "refunds within policy" in tool["description"]
        assert set(tool["inputSchema"]["properties"]) == {"ticket_id", "messages"}
        answer = await call("tools/call", name=GRAPH, arguments={"messages": wants_refund("99999999")})
    assert not answer.get("isError")
    assert "order_not_found" in str(answer["content"])
