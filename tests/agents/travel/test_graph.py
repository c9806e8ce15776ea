"""The structure of the travel graph: its nodes, its edges, its effects, its peers, and the pure parts around them."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolCall, ToolMessage

from agents.travel import graph as travel
from agents.travel import trips
from agents.travel.context import MAX_ASKED, MAX_LOSSES, RECURSION_LIMIT, Context
from agents.travel.leaving import CARRIED, worked
from agents.travel.nodes import finish
from agents.travel.state import Common, State, latest, merge_seen, merge_trip
from agents.travel.tools import tools_of
from agents.travel.watching import ALONE, ONCE, not_alone
from agents.travel.wording import claims_a_hold, reply

PEER_ENDS = {"offer", "release", "dead_letter", "finish"}
EDGES = {
    ("__start__", "intake"),
    *(("intake", to) for to in ("flights", "hotels", "visas", "finish")),
    *(("flights", to) for to in PEER_ENDS | {"hotels", "visas"}),
    *(("hotels", to) for to in PEER_ENDS | {"flights", "visas"}),
    *(("visas", to) for to in PEER_ENDS | {"flights", "hotels"}),
    *(("offer", to) for to in ("gate", "flights", "finish", "dead_letter")),
    *(("gate", to) for to in ("backfill", "gate", "offer", "intake", "finish", "dead_letter")),
    ("backfill", "hold"),
    *(("hold", to) for to in ("finish", "flights", "offer", "dead_letter")),
    *(("release", to) for to in ("finish", "dead_letter")),
    ("dead_letter", "finish"),
    ("finish", "__end__"),
}


def test_nodes_and_edges() -> None:
    assert {(edge.source, edge.target) for edge in travel.graph.get_graph().edges} == EDGES


def test_effects_are_declared_and_retried() -> None:
    effects = {name for name, spec in travel.builder.nodes.items() if (spec.metadata or {}).get("effect")}
    assert effects == {"gate", "hold", "release", "dead_letter"}
    assert all(travel.builder.nodes[name].retry_policy for name in effects)


def test_the_peers_are_agents_of_their_own() -> None:
    subgraphs = dict(travel.graph.get_subgraphs())
    assert set(subgraphs) == {"flights", "hotels", "visas"}
    offered = {name: {tool.name for tool in tools_of(name)} for name in ("flights", "hotels", "visas")}
    common = {"note_trip", "propose_trip", "release_hold"}
    assert offered["flights"] - common == {
        "search_flights",
        "try_other_dates",
        "hand_to_hotels",
        "hand_to_visas",
    }
    assert offered["hotels"] - common == {"search_hotels", "hand_to_flights", "hand_to_visas"}
    assert offered["visas"] - common == {"check_visa", "hand_to_flights", "hand_to_hotels"}


def test_whoever_leaves_takes_along_all_that_a_peer_writes() -> None:
    assert set(CARRIED) >= set(Common.__annotations__) | {"usage", "degraded"}


def test_the_longest_request_ends_long_before_the_recursion_limit() -> None:
    assert travel.graph.config is not None
    assert travel.graph.config.get("recursion_limit") == RECURSION_LIMIT
    most = Context.model_fields["max_handoffs"].metadata
    hand_overs = next(one.le for one in most if hasattr(one, "le"))
    calls = next(one.le for one in Context.model_fields["max_model_calls"].metadata if hasattr(one, "le"))
    nodes_of_a_call = 4
    assert (MAX_LOSSES + 1) * (hand_overs + 3) + MAX_ASKED * 2 + 6 < RECURSION_LIMIT
    assert calls * nodes_of_a_call < RECURSION_LIMIT


def call(name: str, number: int = 1) -> ToolCall:
    return {"name": name, "args": {}, "id": f"c{number}", "type": "tool_call"}


def test_who_leaves_leaves_alone() -> None:
    assert not_alone([call("search_flights"), call("note_trip", 2)]) == []
    assert not_alone([call("propose_trip")]) == []
    (mixed,) = not_alone([call("search_flights"), call("hand_to_visas", 2)])
    assert (mixed.text, mixed.tool_call_id) == (ALONE, "c2")  # pyright: ignore[reportAttributeAccessIssue]
    (second,) = not_alone([call("hand_to_visas"), call("propose_trip", 2)])
    assert (second.text, second.tool_call_id) == (ONCE, "c2")  # pyright: ignore[reportAttributeAccessIssue]


def test_work_is_what_a_tool_did_since_the_last_hand_over() -> None:
    human, hand = HumanMessage("x"), ToolMessage("x", tool_call_id="1", name="hand_to_visas")
    done = ToolMessage("{}", tool_call_id="2", name="check_visa")
    refused = ToolMessage("no", tool_call_id="3", name="check_visa", status="error")
    assert not worked([human])
    assert worked([human, done])
    assert not worked([human, done, hand])
    assert not worked([human, done, hand, refused, AIMessage("x")])
    assert worked([human, done, hand, refused, done])


def test_reducers() -> None:
    assert latest(1, None) is None
    assert merge_trip({"origin": "BER", "travellers": 2}, {"travellers": 3}) == {
        "origin": "BER",
        "travellers": 3,
    }
    first: Any = {"depart_on": "a", "return_on": None, "total_usd": 1.0, "says": "x"}
    again: Any = {**first, "says": "y"}
    assert merge_seen([first], [again]) == [again]
    assert merge_seen(merge_seen(None, [first]), [first]) == [first]


def test_the_cheapest_pair_that_can_be_flown_is_the_best() -> None:
    def flight(id_: str, departs: str, arrives: str, usd: float) -> Any:
        return {"id": id_, "departs": departs, "arrives": arrives, "price_usd": usd}

    day = "2026-12-18"
    state: dict[str, Any] = {
        "trip": {"depart_on": day, "return_on": day, "travellers": 2},
        "flights_found": {
            "depart_on": day, "return_on": day, "nearby": [],
            "outbound": [
                flight("F1", f"{day} 15:00", f"{day} 18:00", 10), flight("F2", f"{day} 07:00", f"{day} 10:00", 50),
            ],
            "inbound": [
                flight("F3", f"{day} 12:00", f"{day} 15:00", 10), flight("F4", f"{day} 20:00", f"{day} 23:00", 90),
            ],
        },
    }  # fmt: skip
    way = trips.best(state)
    assert (way.draft, way.total_usd) == ({"outbound": "F2", "inbound": "F3", "hotel": None}, 120.0)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("I have booked your trip.", True),
        ("Your trip is now held.", True),
        ("Great news! We've reserved two seats.", True),
        ("The reservation is confirmed.", True),
        ("Nothing is held.", False),
        ("It is not booked until you say yes.", False),
        ("Once it is held you have 30 minutes.", False),
        ("Shall I hold it?", False),
        ("It costs $420.00 in all.", False),
        ("Your trip is booked, nothing else to do!", True),
        ("I have booked it, no worries.", True),
        ("Your seats are held, no payment yet.", True),
        ("All booked!", True),
        ("I went ahead and booked it for you.", True),
        ("It is held until 18:00.", True),
        ("Your seats are held only after your yes.", False),
        ("Nothing has been booked or held yet.", False),
        ("I can't say that it is booked.", False),
        ("If you say yes, it is held for 30 minutes.", False),
    ],
)
def test_claims_are_told_from_talk(text: str, claims: bool) -> None:
    assert claims_a_hold(text) == claims


async def test_a_claim_is_taken_back_where_nothing_is_held() -> None:
    lie = AIMessage("I have booked it!", id="m1")
    told = await finish({"messages": [HumanMessage("hi"), lie]})
    assert (told["messages"][0].id, told["outcome"]) == ("m1", "answered")
    assert told["messages"][0].text.startswith("Nothing is held.")
    held: Any = {"reference": "T1", "total_usd": 1.0, "expires_at": "x", "status": "held", "lines": ["a"]}
    assert await finish({"messages": [HumanMessage("hi"), lie], "hold": held}) == {"outcome": "answered"}


@pytest.mark.parametrize(
    "outcome", ["held", "released", "declined", "sold_out", "failed", "closed", "stopped", "answered", None]
)
def test_each_end_has_words_even_where_state_lacks_what_they_say(outcome: Any) -> None:
    state: State = {"messages": [], "outcome": outcome}
    assert reply({**state}).strip()
