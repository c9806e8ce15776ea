"""The offline peers' next step: note what was said, then whatever the trip still lacks, done by whose part it is."""

import json
from collections.abc import Sequence
from datetime import date
from typing import Any, cast

from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage

from agents.shared.offline import Reply, Request
from agents.travel.prompts import DATES_ANEW, facts_in
from agents.travel.rules.reading import Wishes, wishes_of
from agents.travel.rules.saying import (
    ask_for,
    cheapest,
    in_english,
    nothing_fits,
    on_visa,
    small_talk,
    welcome,
)
from agents.travel.state import PEERS, Peer
from agents.travel.wording import standing

NOT_USED = "I could not use what you wrote: please say it in other words, with dates as YYYY-MM-DD."
Facts = dict[str, Any]


def answer(request: Request) -> Reply:
    """The next step. Raises ValueError for a task that the rules do not know."""
    task = request.system.partition("\n")[0].removeprefix("Task:").strip()
    if task not in PEERS:
        raise ValueError(f"the travel rules know no task {task!r}; they know {', '.join(PEERS)}")
    facts = facts_in(request.system)
    wishes = wishes_of(request.last_human, date.fromisoformat(facts["today"]), trip=facts["trip"])
    step = _first(wishes, facts, request.messages) or _next(
        cast("Peer", task), wishes, facts, request.messages
    )
    if (
        step.tool_calls and step.tool_calls[0][0] not in request.tools
    ):  # the last step, in which no tool is left
        return Reply(text=nothing_fits(facts))
    return step


def _first(wishes: Wishes, facts: Facts, messages: Sequence[BaseMessage]) -> Reply | None:
    """What comes before any search: a refusal, a release, a question about the hold, what is to be noted."""
    refused = _refused(messages)
    if refused is not None and refused.name != "propose_trip":
        return Reply(text=NOT_USED if refused.text.startswith("Error invoking tool") else refused.text)
    if wishes.release:
        return _call("release_hold")
    if wishes.status and not wishes.trip:
        return Reply(text=standing(facts))
    if wishes.thanks and not wishes.trip:
        return Reply(text=welcome(facts))
    if wishes.trip and not _noted(messages):
        return _call("note_trip", **wishes.trip)
    unclear = " ".join(filter(None, (_not_noted(messages), wishes.unclear)))
    if (
        not unclear
        and wishes.foreign
        and facts["missing"]
        and not {"origin", "destination"} & wishes.trip.keys()
    ):
        unclear = in_english(facts)
    return Reply(text=unclear) if unclear else None


def _next(me: Peer, wishes: Wishes, facts: Facts, messages: Sequence[BaseMessage]) -> Reply:
    """What the trip lacks still."""
    asks_on = me == "visas" and bool(wishes.trip)
    if (wishes.visa or asks_on) and facts["trip"].get("destination") and not facts["dates"]:
        return _visa(me, facts)  # no trip yet, only the question
    if facts["missing"]:
        return Reply(text=ask_for(facts))
    if not (wishes.trip or wishes.go_on or wishes.cheaper or facts["problem"]):
        return Reply(text=small_talk(facts))
    if _refused(messages) is not None:  # what was proposed is gone meanwhile
        return _part(me, "flights", "search_flights", "search again")
    step = _search(me, facts)
    if step is None and wishes.cheaper and not wishes.trip and facts["fits"]:
        return Reply(text=cheapest(facts))
    return step or _propose(me, facts)


def _visa(me: Peer, facts: Facts) -> Reply:
    if me != "visas":
        return _call("hand_to_visas", reason="look up the visa")
    if not facts["trip"].get("passports"):
        return Reply(text="Which passport do you travel with? Then I can look the rule up.")
    if facts["visa"] is None:
        return _call("check_visa")
    return Reply(text=on_visa(facts["visa"]))


def _search(me: Peer, facts: Facts) -> Reply | None:
    if facts["flights"] is None:
        return _part(me, "flights", "search_flights", "search flights")
    if "no flight" in facts["why_not"]:
        return None
    if facts["crosses_border"] and facts["visa"] is None:
        return _part(me, "visas", "check_visa", "look up the visa")
    if facts["wants_hotel"] and facts["hotels"] is None:
        return _part(me, "hotels", "search_hotels", "find rooms")
    return None


def _propose(me: Peer, facts: Facts) -> Reply:
    """The cheapest trip, if it fits; else other dates, and in the end what there is."""
    if facts["fits"]:
        way = facts["best"]
        ids = {name: way[name] for name in ("outbound", "inbound", "hotel") if way[name]}
        return _call("propose_trip", **ids)
    other = _other_dates(facts)
    if other is not None:
        return _part(me, "flights", "try_other_dates", "nothing fits: try other dates", **other)
    return Reply(text=nothing_fits(facts))


def _other_dates(facts: Facts) -> dict[str, Any] | None:
    """The cheapest dates around that were not tried yet, as long as tries are left."""
    if not facts["date_tries_left"]:
        return None
    tried = {(one["depart_on"], one["return_on"]) for one in facts["seen"]}
    for near in facts["nearby"]:
        if (near["depart_on"], near["return_on"]) not in tried:
            return {name: near[name] for name in ("depart_on", "return_on") if near[name]}
    return None


def _part(me: Peer, whose: Peer, tool: str, why: str, **args: Any) -> Reply:
    """Do it where it is one's own part, else hand over to whose it is."""
    return _call(tool, **args) if me == whose else _call(f"hand_to_{whose}", reason=why)


def _call(name: str, **args: Any) -> Reply:
    return Reply(tool_calls=((name, args),))


def _refused(messages: Sequence[BaseMessage]) -> ToolMessage | None:
    """The newest message, if it is the refusal of a tool."""
    newest = messages[-1] if messages else None
    return newest if isinstance(newest, ToolMessage) and newest.status == "error" else None


def _not_noted(messages: Sequence[BaseMessage]) -> str | None:
    """What note_trip could not note of the traveller's newest message, in words."""
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            return None
        if isinstance(message, ToolMessage) and message.name == "note_trip" and message.status != "error":
            return json.loads(message.text).get("not_noted")
    return None


def _noted(messages: Sequence[BaseMessage]) -> bool:
    """Whether the traveller's newest message was noted."""
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            return False
        if isinstance(message, ToolMessage) and message.name == "note_trip" and message.status != "error":
            return DATES_ANEW not in message.text
    return False
