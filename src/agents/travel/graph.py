"""The travel graph: reads bottom up. Peers hand over by `Command(graph=Command.PARENT)`; nobody supervises.

A conditional edge runs after a hand-over, too; so the routers behind peers say by state what the hand-over has said.
"""

from typing import Literal, cast

from langgraph.graph import END, START, StateGraph

from agents.shared.resilience import RETRY
from agents.travel import gate, nodes
from agents.travel.context import RECURSION_LIMIT, Context
from agents.travel.peers import peer
from agents.travel.state import PEERS, Input, Peer, State

Way = Literal["flights", "hotels", "visas", "offer", "release", "dead_letter", "finish"]
FromFlights = Literal["hotels", "visas", "offer", "release", "dead_letter", "finish"]
FromHotels = Literal["flights", "visas", "offer", "release", "dead_letter", "finish"]
FromVisas = Literal["flights", "hotels", "offer", "release", "dead_letter", "finish"]


def after_intake(state: State) -> Literal["flights", "hotels", "visas", "finish"]:
    """Whoever had the conversation goes on with it. Over a limit of the thread: say so."""
    if state.get("outcome") == "closed":
        return "finish"
    return state.get("active", "flights")


def after_peer(state: State, me: Peer) -> Way:
    """Where a peer left to, or how it ended."""
    if state.get("stopped"):
        return "finish"
    if state.get("failures"):
        return "dead_letter"
    if state.get("release"):
        return "release"
    if state.get("draft"):
        return "offer"
    active = state.get("active", me)
    return active if active != me else "finish"


def after_flights(state: State) -> FromFlights:
    """See after_peer."""
    return cast("FromFlights", after_peer(state, "flights"))


def after_hotels(state: State) -> FromHotels:
    """See after_peer."""
    return cast("FromHotels", after_peer(state, "hotels"))


def after_visas(state: State) -> FromVisas:
    """See after_peer."""
    return cast("FromVisas", after_peer(state, "visas"))


builder = StateGraph(State, context_schema=Context, input_schema=Input)

builder.add_node("intake", nodes.intake, retry_policy=RETRY)
for name in PEERS:
    builder.add_node(name, peer(name))
builder.add_node("offer", nodes.offer, retry_policy=RETRY)
builder.add_node("gate", gate.gate, retry_policy=RETRY, metadata={"effect": "keeps the traveller's yes"})
builder.add_node("backfill", nodes.backfill, retry_policy=RETRY)
builder.add_node("hold", nodes.hold, retry_policy=RETRY, metadata={"effect": "holds seats and rooms"})
builder.add_node("release", nodes.release, retry_policy=RETRY, metadata={"effect": "releases what is held"})
builder.add_node(
    "dead_letter", nodes.dead_letter, retry_policy=RETRY, metadata={"effect": "leaves it to operators"}
)
builder.add_node("finish", nodes.finish)

builder.add_edge(START, "intake")
builder.add_conditional_edges("intake", after_intake)
builder.add_conditional_edges("flights", after_flights)
builder.add_conditional_edges("hotels", after_hotels)
builder.add_conditional_edges("visas", after_visas)
builder.add_edge("backfill", "hold")
builder.add_edge("dead_letter", "finish")
builder.add_edge("finish", END)

# check: allow many-keys: what the peers share is what each has to know of the trip; `intake` clears it
graph = builder.compile(name="travel").with_config(recursion_limit=RECURSION_LIMIT)
