"""The nodes around the peers: how a request begins, what is offered, what is held, and how it ends.

What a node can't do after its retries is noted in state and ends in the dead letters; a bug is raised as it is.
"""

from typing import Any, Literal

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Command, Overwrite

from agents.shared.failures import buried, degraded, failed
from agents.shared.limits import over_limit
from agents.shared.resilience import giving_up
from agents.shared.running import caller, tenant_on, thread_id
from agents.travel import inventory, wording
from agents.travel.clock import today_for
from agents.travel.context import MAX_LOSSES, Context
from agents.travel.gate import asked_again
from agents.travel.inventory import NoSuchOffer, NotAgreed, PriceChanged, ShareExceeded, SoldOut
from agents.travel.noting import CLEARED
from agents.travel.state import Offer, State, Update
from agents.travel.words import says_yes

FRESH_COUNTS: Update = {"handoffs": 0, "idle_handoffs": 0, "model_calls": 0}

AfterOffer = Literal["gate", "flights", "finish", "dead_letter"]
AfterHold = Literal["finish", "flights", "offer", "dead_letter"]


async def intake(state: State, runtime: Runtime[Context]) -> Update:
    """Open a request: clear what belonged to the one before, count it, check the limits, see what is held."""
    thread = thread_id(runtime)
    context, turns = Context.of(runtime), state.get("turns", 0) + 1
    reason = over_limit(
        state.get("usage", {}), turns=turns, max_turns=context.max_turns, max_cost_usd=context.max_cost_usd
    )
    update: Update = {
        **CLEARED,
        **FRESH_COUNTS,
        "turns": turns,
        "active": state.get("active", "flights"),
        "today": await today_for(state.get("trip") or {}, context.timezone),
        "date_tries": 0,
        "seen": Overwrite([]),
        "failures": Overwrite([]),
        "degraded": Overwrite([]),
        "release": False,
        "stopped": None,
        "offer": None,
        "visa_agreed": None,
        "decided_by": None,
        "asked": 0,
        "losses": 0,
        "itinerary": [],
        "problem": reason or _unanswered(state),
        "outcome": "closed" if reason else None,
    }
    async with giving_up(runtime) as given_up:
        return {**update, "hold": await inventory.live_hold(await tenant_on(runtime), thread)}
    return {**update, "degraded": Overwrite(degraded("intake", given_up)["degraded"])}


def _unanswered(state: State) -> str | None:
    """What to say to a yes that came as a message, while the question waited for it."""
    newest = state["messages"][-1] if state.get("messages") else None
    if state.get("outcome") == "waiting" and isinstance(newest, HumanMessage) and says_yes(newest.text):
        return wording.YES_IS_AN_ANSWER
    return None


async def offer(state: State, runtime: Runtime[Context]) -> Command[AfterOffer]:
    """Price what a peer proposes, and write down what the traveller is about to be shown."""
    draft, thread = state.get("draft"), thread_id(runtime)
    if draft is None:
        raise ValueError("there is nothing to offer; a peer proposes a trip")
    trip, context = state.get("trip") or {}, Context.of(runtime)
    async with giving_up(runtime) as given_up:
        tenant = await tenant_on(runtime)
        try:
            quoted = await inventory.quote(tenant, draft, trip)
        except SoldOut as error:
            return lost(state, str(error))
        held = await inventory.live_hold(tenant, thread)
        shown: Offer = {
            "digest": "",
            "total_usd": float(quoted.total),
            "budget_usd": trip.get("budget_usd"),
            "travellers": quoted.travellers,
            "lines": quoted.lines,
            "visa": quoted.visa["requirement"],
            "visa_says": quoted.visa["says"],
            "hold_minutes": context.hold_minutes,
            "replaces": held["reference"] if held else None,
        }
        shown["digest"] = inventory.digest_of(shown)
        try:
            await inventory.keep(
                tenant,
                thread,
                state.get("turns", 1),
                quoted,
                shown,
                caller().identity,
                max_holds=context.max_holds,
            )
            await inventory.share_exceeded(tenant, thread)
        except ShareExceeded as error:
            return at_limit(str(error))
        return Command(goto="gate", update={"offer": shown, "itinerary": quoted.lines, "outcome": "waiting"})
    return Command(goto="dead_letter", update=failed("offer", given_up))


async def backfill(state: State, runtime: Runtime[Context]) -> Update:
    """What was offered in words, where a thread lacks it that was paused before there was such a field."""
    if state.get("itinerary"):
        return {}
    async with giving_up(runtime) as given_up:
        _, lines = await inventory.newest(await tenant_on(runtime), thread_id(runtime))
        return {"itinerary": lines}
    return {**degraded("backfill", given_up), "itinerary": []}


async def hold(state: State, runtime: Runtime[Context]) -> Command[AfterHold]:
    """Hold what the traveller said yes to: all of it at the price that was shown, once for a request, or nothing."""
    runtime.stream_writer({"progress": "holding the trip"})
    async with giving_up(runtime) as given_up:
        try:
            held = await inventory.hold(await tenant_on(runtime), thread_id(runtime))
        except SoldOut as error:
            return lost(state, str(error))
        except ShareExceeded as error:
            return at_limit(str(error))
        except PriceChanged as error:
            shown = state.get("offer")
            before = f"${shown['total_usd']:,.2f} was shown, and " if shown else ""
            return asked_again(state, f"{before}{error}: nothing was taken")
        except (NotAgreed, NoSuchOffer) as error:
            return asked_again(state, f"it can't be held: {error}")
        outcome = "held" if held["status"] == "held" else "released"
        return Command(goto="finish", update={"hold": held, "outcome": outcome, "problem": None})
    return Command(goto="dead_letter", update=failed("hold", given_up))


async def release(state: State, runtime: Runtime[Context]) -> Command[Literal["finish", "dead_letter"]]:
    """End what is held for the thread."""
    async with giving_up(runtime) as given_up:
        try:
            held = await inventory.release(await tenant_on(runtime), thread_id(runtime), caller().identity)
        except NotAgreed as error:
            return Command(goto="finish", update={"outcome": "stopped", "stopped": str(error)})
        known = state.get("hold")  # released by an earlier try of this node, or expired, where it was held
        if held is None and not (known and known["status"] == "held"):
            return Command(
                goto="finish", update={"hold": None, "messages": [AIMessage(wording.NOTHING_HELD)]}
            )
        return Command(goto="finish", update={"hold": held, "outcome": "released", "problem": None})
    return Command(goto="dead_letter", update=failed("release", given_up))


async def dead_letter(state: State, runtime: Runtime[Context]) -> Update:
    """Keep what could not be done where operators look for it; once for a request of a thread."""
    detail = {"draft": state.get("draft"), "offer": (state.get("offer") or {}).get("digest")}
    failures, request = state.get("failures", []), str(state.get("turns", 1))
    return {
        **await buried(runtime, failures, graph="travel", request=request, detail=detail),
        "outcome": "failed",
    }


async def finish(state: State) -> Update:
    """The reply: a peer's own words where it answered, else what came of the request."""
    outcome, newest = state.get("outcome"), state["messages"][-1] if state["messages"] else None
    if state.get("stopped") and outcome is None:
        outcome = "stopped"
    if outcome is None and isinstance(newest, AIMessage) and newest.text.strip():
        held = state.get("hold")
        if (held and held["status"] == "held") or not wording.claims_a_hold(newest.text):
            return {"outcome": "answered"}
        safe = AIMessage(wording.reply({**state}), id=newest.id)  # nothing is: its words are taken back
        return {"messages": [safe], "outcome": "answered"}
    outcome = outcome or "answered"
    return {"messages": [AIMessage(wording.reply({**state, "outcome": outcome}))], "outcome": outcome}


def lost(state: State, why: str) -> Command[Any]:
    """Somebody else was faster: the peers look for what is left, until that was so too often."""
    losses = state.get("losses", 0) + 1
    update: Update = {**CLEARED, **FRESH_COUNTS, "offer": None, "losses": losses, "problem": why}
    update["dates"] = state.get("dates")
    if losses > MAX_LOSSES:
        return Command(goto="finish", update={**update, "outcome": "sold_out"})
    return Command(goto="flights", update={**update, "active": "flights", "outcome": None})


def at_limit(why: str) -> Command[Any]:
    """The traveller holds as much as one may."""
    return Command(goto="finish", update={"outcome": "at_limit", "problem": why})
