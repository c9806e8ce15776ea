"""The structure of the support graph: its nodes, its edges, and where every router can lead."""

from typing import Any

import pytest
from langgraph.types import Send

from agents.support import graph as support
from agents.support.context import RECURSION_LIMIT
from tests.agents.support.builders import decision, state

EDGES = {
    ("__start__", "intake"),
    ("intake", "close"),
    ("intake", "summarize"),
    ("intake", "classify"),
    ("close", "__end__"),
    ("summarize", "classify"),
    ("classify", "repair"),
    ("classify", "dead_letter"),
    ("classify", "assess"),
    ("classify", "lookup_order"),
    ("classify", "check_return_policy"),
    ("classify", "search_kb"),
    ("classify", "search_by_meaning"),
    ("repair", "dead_letter"),
    ("repair", "assess"),
    ("repair", "lookup_order"),
    ("repair", "check_return_policy"),
    ("repair", "search_kb"),
    ("repair", "search_by_meaning"),
    ("repair", "approve"),
    ("repair", "refund"),
    ("repair", "hand_over"),
    ("repair", "send"),
    ("lookup_order", "assess"),
    ("check_return_policy", "assess"),
    ("search_kb", "assess"),
    ("search_by_meaning", "assess"),
    ("assess", "dead_letter"),
    ("assess", "acknowledge"),
    ("assess", "draft_reply"),
    ("acknowledge", "draft_reply"),
    ("draft_reply", "repair"),
    ("draft_reply", "dead_letter"),
    ("draft_reply", "approve"),
    ("draft_reply", "refund"),
    ("draft_reply", "hand_over"),
    ("draft_reply", "send"),
    ("approve", "approve"),
    ("approve", "draft_reply"),
    ("approve", "refund"),
    ("approve", "dead_letter"),
    ("refund", "send"),
    ("refund", "hand_over"),
    ("refund", "dead_letter"),
    ("refund", "approve"),
    ("refund", "draft_reply"),
    ("hand_over", "send"),
    ("hand_over", "dead_letter"),
    ("dead_letter", "send"),
    ("send", "__end__"),
}


def test_nodes_and_edges() -> None:
    drawn = support.graph.get_graph()
    assert {(edge.source, edge.target) for edge in drawn.edges} == EDGES


def test_the_recursion_limit_is_bound_to_the_graph() -> None:
    assert support.graph.config is not None
    assert support.graph.config.get("recursion_limit") == RECURSION_LIMIT == 40


def test_effects_retry_what_is_transient_and_models_do_not() -> None:
    for name in (
        "lookup_order",
        "check_return_policy",
        "search_kb",
        "acknowledge",
        "approve",
        "refund",
        "send",
        "hand_over",
    ):
        spec = support.builder.nodes[name]
        assert spec.retry_policy == support.RETRY, name
        assert spec.error_handler_node is None, "see agents.shared.resilience.giving_up"
    for name in ("classify", "draft_reply"):
        assert support.builder.nodes[name].retry_policy is None, name


@pytest.mark.parametrize(
    ("changes", "leads_to"),
    [
        ({"outcome": "closed"}, "close"),
        ({"messages": list(range(21))}, "summarize"),
        ({"messages": list(range(20))}, "classify"),
    ],
)
def test_after_intake(changes: dict[str, Any], leads_to: str) -> None:
    assert support.after_intake(state(**changes)) == leads_to


PROBLEM = {"node": "classify", "error": "no intent", "answer": "?"}


@pytest.mark.parametrize(
    ("changes", "leads_to"),
    [
        ({"intent": "refund"}, ["lookup_order", "check_return_policy"]),
        ({"intent": "order_change", "order_id": "88123"}, ["lookup_order"]),
        ({"intent": "complaint"}, "assess"),
        ({"intent": "human"}, "assess"),
        ({"intent": "question", "details": None}, "assess"),
        ({"problem": PROBLEM}, "repair"),
        ({"problem": PROBLEM, "attempts": {"classify": 1}}, "dead_letter"),
        ({"intent": "refund", "remaining_steps": 3}, "dead_letter"),
    ],
)
def test_after_classify(changes: dict[str, Any], leads_to: object) -> None:
    assert support.after_classify(state(**changes)) == leads_to


@pytest.mark.parametrize("intent", ["question", "order_change"])
def test_a_question_fans_out_to_one_search_a_query(intent: str) -> None:
    details = {"reason": "other", "queries": ["one", "two", "three", "four"]}
    sent = support.after_classify(state(intent=intent, details=details))
    assert sent == [Send("search_kb", {"query": query}) for query in ("one", "two", "three")]
    meant = support.after_classify(state(intent=intent, details=details, article_search="words_and_meaning"))
    assert meant == [Send("search_by_meaning", one.arg) for one in sent if isinstance(one, Send)]


@pytest.mark.parametrize(
    ("changes", "leads_to"),
    [
        ({"outcome": "dead_letter"}, "dead_letter"),
        ({"decision": decision()}, "acknowledge"),
        ({"decision": decision(needs_approval=False)}, "draft_reply"),
        ({"decision": decision(status="none")}, "draft_reply"),
        ({"remaining_steps": 4}, "dead_letter"),
        ({"decision": decision(), "remaining_steps": 5}, "acknowledge"),
        ({"decision": decision(), "remaining_steps": 2}, "acknowledge"),
    ],
)
def test_after_assess(changes: dict[str, Any], leads_to: str) -> None:
    if changes.get("decision", {}).get("status") == "none":
        changes["decision"].pop("needs_approval")
    assert support.after_assess(state(**changes)) == leads_to


@pytest.mark.parametrize(
    ("changes", "leads_to"),
    [
        ({"decision": decision()}, "approve"),
        ({"decision": decision(needs_approval=False)}, "refund"),
        ({"decision": decision(status="approved")}, "refund"),
        ({"decision": decision(status="rejected")}, "send"),
        ({"decision": decision(status="declined")}, "send"),
        ({"outcome": "human"}, "hand_over"),
        ({"outcome": "complaint"}, "hand_over"),
        ({"outcome": "order_change"}, "hand_over"),
        ({"outcome": "answered"}, "send"),
        ({"outcome": "answered", "dropped": {"order_id": "1", "amount_usd": 1.0}}, "hand_over"),
        ({"decision": decision(), "dropped": {"order_id": "1", "amount_usd": 1.0}}, "approve"),
        ({"problem": {**PROBLEM, "node": "draft_reply"}}, "repair"),
        ({"problem": PROBLEM, "attempts": {"draft_reply": 1}}, "dead_letter"),
        ({"remaining_steps": 3}, "dead_letter"),
        ({"decision": decision(), "remaining_steps": 2}, "approve"),
    ],
)
def test_after_draft(changes: dict[str, Any], leads_to: str) -> None:
    assert support.after_draft(state(**changes)) == leads_to


@pytest.mark.parametrize(
    ("changes", "leads_to"),
    [
        ({"decision": decision(status="paid")}, "send"),
        ({"decision": decision(status="paid"), "dropped": {"order_id": "1", "amount_usd": 1.0}}, "hand_over"),
        ({"decision": decision(status="approved"), "failures": [{"node": "refund", "reason": "a"}]}, "dead_letter"),
        ({"decision": decision(), "draft": "Dear Ada"}, "approve"),
        ({"decision": decision(), "draft": ""}, "draft_reply"),
    ],
)  # fmt: skip
def test_after_refund(changes: dict[str, Any], leads_to: str) -> None:
    assert support.after_refund(state(**changes)) == leads_to


def test_a_repaired_classification_goes_on_as_a_classification() -> None:
    assert support.after_repair(state(intent="refund")) == ["lookup_order", "check_return_policy"]
    assert support.after_repair(state(problem=PROBLEM, attempts={"classify": 1})) == "dead_letter"


def test_a_repaired_draft_goes_on_as_a_draft() -> None:
    assert support.after_repair(state(decision=decision())) == "approve"
