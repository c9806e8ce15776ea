"""The structure of the treasury graph: its nodes, its edges, its effects, and how long a way can be."""

from typing import Any

import pytest

from agents.treasury import graph as treasury
from agents.treasury.context import RECURSION_LIMIT
from agents.treasury.state import MAX_ANSWERS, MAX_QUESTIONS, State
from tests.agents.treasury.desk import pay

EDGES = {
    ("__start__", "intake"),
    ("intake", "cancel"),
    ("intake", "check"),
    ("intake", "understand"),
    ("understand", "cancel"),
    ("understand", "check"),
    ("check", "dead_letter"),
    ("check", "record"),
    ("check", "cancel"),
    ("record", "dead_letter"),
    ("record", "gate"),
    ("record", "reply"),
    ("gate", "execute"),
    ("gate", "backfill"),
    ("gate", "cancel"),
    ("gate", "ask_requester"),
    ("gate", "check"),
    ("gate", "gate"),
    ("gate", "dead_letter"),
    ("ask_requester", "check"),
    ("ask_requester", "cancel"),
    ("backfill", "sign"),
    ("sign", "gate"),
    ("sign", "dead_letter"),
    ("execute", "reply"),
    ("execute", "alert"),
    ("execute", "gate"),
    ("execute", "dead_letter"),
    ("cancel", "alert"),
    ("cancel", "reply"),
    ("alert", "dead_letter"),
    ("alert", "reply"),
    ("dead_letter", "cancel"),
    ("reply", "__end__"),
}


def test_nodes_and_edges() -> None:
    assert {(edge.source, edge.target) for edge in treasury.graph.get_graph().edges} == EDGES


def test_effects_are_declared_and_retried_and_the_gate_has_none() -> None:
    effects = {name for name, spec in treasury.builder.nodes.items() if (spec.metadata or {}).get("effect")}
    assert effects == {"record", "sign", "execute", "cancel", "alert", "dead_letter"}
    assert all(treasury.builder.nodes[name].retry_policy for name in effects)
    assert not treasury.builder.nodes["gate"].retry_policy


def test_the_longest_run_ends_long_before_the_recursion_limit() -> None:
    """Answers wait for people, so that a run is short; even all answers of a request in one run would fit."""
    assert treasury.graph.config is not None
    assert treasury.graph.config.get("recursion_limit") == RECURSION_LIMIT
    a_question, an_answer, the_rest = 4, 3, 8
    assert MAX_QUESTIONS * a_question + MAX_ANSWERS * an_answer + the_rest < RECURSION_LIMIT


@pytest.mark.parametrize(
    ("router", "state", "leads_to"),
    [
        (treasury.after_intake, State(outcome="closed"), "cancel"),
        (treasury.after_intake, State(), "understand"),
        (treasury.after_understand, State(outcome="incomplete"), "cancel"),
        (treasury.after_check, State(outcome="waiting"), "record"),
        (treasury.after_check, State(outcome="sanctioned"), "cancel"),
        (treasury.after_check, State(failures=[{"node": "check", "reason": "x"}]), "dead_letter"),
        (treasury.after_record, State(outcome="waiting"), "gate"),
        (treasury.after_record, State(outcome="duplicate"), "reply"),
        (treasury.after_cancel, State(outcome="held"), "alert"),
        (treasury.after_cancel, State(outcome="rejected"), "reply"),
        (treasury.after_cancel, State(outcome="dead_letter"), "reply"),
        (treasury.after_alert, State(failures=[{"node": "alert", "reason": "x"}]), "dead_letter"),
    ],
)
def test_routers(router: Any, state: State, leads_to: str) -> None:
    assert router(state) == leads_to


def test_a_proposal_needs_no_reading() -> None:
    assert treasury.after_intake(State.model_validate({"proposal": pay(1)})) == "check"
