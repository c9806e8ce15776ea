"""What travellers read that no model may word: the questions, and what was held. From state alone."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agents.travel.state import UNMET, Held, Offer, Seen

_CLAIMS = re.compile(
    r"\b(?:have|has|had|is|are|was|were|been|now|got|i|we)\s+(?:(?:now|already|just|been|successfully|all)\s+){0,3}"
    r"(?:booked|reserved|held|confirmed|secured|put on hold)\b|"
    r"(?<=\w)'(?:ve|s|re)\s+(?:\w+\s+){0,3}(?:booked|reserved|held|secured)\b|"
    r"\b(?:booking|reservation|hold) (?:(?:is|was) )?(?:made|confirmed|in place)\b|"
    r"^\W*(?:all )?(?:booked|reserved|held|confirmed|secured)\b|"
    r"\band (?:booked|reserved|secured) (?:it|them|your|the)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|nothing|never|no|nobody|none|cannot|can't|isn't|hasn't|haven't|wasn't)\b", re.IGNORECASE
)
_UNDER_A_CONDITION = re.compile(
    r"\b(?:unless|if|as soon as|only (?:after|when|with|once))\b|"
    r"\b(?:until|before|after|when|once) (?:it|you|your|then|i|we)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:—–]")


NOTHING_HELD = "Nothing is held for you, so there is nothing to release."
YES_IS_AN_ANSWER = "a yes is taken as the answer to this question, and not as a message: please answer it"
_NEEDED = {"required": "This trip needs a visa.", "unknown": "No visa rule is on file for this trip."}


def hold_question(state: Mapping[str, Any], offer: Offer) -> dict[str, Any]:
    """The payload at the gate: the trip, its price against the budget, what each answer does."""
    over = round(offer["total_usd"] - offer["budget_usd"], 2) if offer["budget_usd"] is not None else 0.0
    replaced = f" Your hold {offer['replaces']} ends with it." if offer["replaces"] else ""
    return {
        "kind": "trip_hold",
        "title": f"Hold this trip for ${offer['total_usd']:,.2f}?",
        "amount_usd": offer["total_usd"],
        "budget_usd": offer["budget_usd"],
        "over_budget_usd": max(over, 0.0),
        "travellers": offer["travellers"],
        "itinerary": list(offer["lines"]),
        "other_dates": _other_dates(state),
        "visa": offer["visa_says"],
        "hold_minutes": offer["hold_minutes"],
        "on_approve": f"Seats and rooms are held for {offer['hold_minutes']} minutes, at this price.{replaced}",
        "on_reject": "Nothing is held.",
        "on_change": "It is looked for again with what you say, and you are asked again.",
        "attempt": state.get("asked", 0) + 1,
        "problem": state.get("problem"),
    }


def _other_dates(state: Mapping[str, Any]) -> str | None:
    """That it is on other dates than were asked for, and what those came to."""
    trip, dates = state.get("trip") or {}, state.get("dates")
    if not dates or (dates["depart_on"], dates["return_on"]) == (
        trip.get("depart_on"),
        trip.get("return_on"),
    ):
        return None
    asked = {"depart_on": trip.get("depart_on"), "return_on": trip.get("return_on")}
    came = [one["says"] for one in state.get("seen", []) if {name: one[name] for name in asked} == asked]
    return f"Not on the dates that you named: {seen_on(asked)}{f', {came[0]}' if came else ''}."


def visa_question(state: Mapping[str, Any], offer: Offer) -> dict[str, Any]:
    """The payload where a visa is needed, or no rule is on file: asked before the trip is."""
    return {
        "kind": "visa_question",
        "title": f"{_NEEDED[offer['visa']]} Do all travellers have what they need, or will they before departure?",
        "requirement": offer["visa"],
        "visa": offer["visa_says"],
        "itinerary": list(offer["lines"]),
        "amount_usd": offer["total_usd"],
        "on_have_visa": "The trip is shown to you, and you are asked whether to hold it.",
        "on_reject": "Nothing is held.",
        "on_change": "Another trip is looked for with what you say.",
        "attempt": state.get("asked", 0) + 1,
        "problem": state.get("problem"),
    }


def reply(state: Mapping[str, Any]) -> str:
    """How the request ended, for the traveller."""
    held: Held | None = state.get("hold")
    match state.get("outcome"):
        case "held" if held:
            return _held(held, state)
        case "released" if held:
            return f"Your hold {held['reference']} has {_ended(held)}; its seats and rooms are free again."
        case "released":
            return state.get("problem") or NOTHING_HELD
        case "declined":
            return "Nothing is held. Tell me what should be different, and I look again."
        case "sold_out":
            return f"{_sentence(state.get('problem'))} Nothing is held. {found(state)}".strip()
        case "at_limit":
            return (
                f"This trip is not held: {state.get('problem')}. Write `release` in the conversation of one of them, "
                f"or wait until it ends; then write `search` here. {found(state)}"
            )
        case "failed":
            return f"I can't look that up, or hold it, right now: please try again in a few minutes. {standing(state)}"
        case "closed":
            return (
                f"This conversation has reached its limit ({state.get('problem')}). Please begin a new one."
            )
        case "stopped":
            why = state.get("stopped") or state.get("problem")
            return f"I stop here: {why}. {standing(state)} {found(state)}".strip()
        case _:
            return f"{standing(state)} {found(state)}".strip()


def found(state: Mapping[str, Any]) -> str:
    """What was seen, with prices, and what would help."""
    tried: Sequence[Seen] = state.get("seen", [])
    if not tried:
        return "Tell me from where to where, when, how many travel, and the budget of the whole trip."
    lines = "; ".join(f"{seen_on(one)}: {one['says']}" for one in tried)
    return f"What I found: {lines}. Name other dates or another budget, and I look again."


def lasting(minutes: int) -> str:
    """How long that is: 45 min, 4 h, 13 h 20 min."""
    hours, rest = divmod(minutes, 60)
    return " ".join([*([f"{hours} h"] if hours else []), *([f"{rest} min"] if rest or not hours else [])])


def standing(state: Mapping[str, Any]) -> str:
    """What is held, in a sentence."""
    held: Held | None = state.get("hold")
    if held and held["status"] == "held":
        lines, usd = "; ".join(held["lines"]), f"${held['total_usd']:,.2f} in all"
        return f"Held for you: {lines}; {usd}, until {held['expires_at']} ({held['reference']})."
    return "Nothing is held."


def seen_on(one: Mapping[str, Any]) -> str:
    """The dates of what was seen or searched."""
    return f"{one['depart_on']} to {one['return_on']}" if one["return_on"] else one["depart_on"]


def claims_a_hold(text: str) -> bool:
    """Whether a reply says that something is held or booked; `booked, no worries` denies nothing."""
    sentences = re.split(r"(?<=[.!?])\s+|\n", text)
    certain = (one for one in sentences if not _UNDER_A_CONDITION.search(one))
    return any(map(_is_claim, (clause for one in certain for clause in _CLAUSE.split(one))))


def _is_claim(clause: str) -> bool:
    claim = _CLAIMS.search(clause)
    return claim is not None and not _DENIES.search(clause, 0, claim.start())


def _held(held: Held, state: Mapping[str, Any]) -> str:
    offer: Offer | None = state.get("offer")
    visa = f" Visa: {offer['visa_says']}." if offer and offer["visa"] in {*UNMET, "eta", "on_arrival"} else ""
    lines = "\n".join(f"- {line}" for line in held["lines"])
    return (
        f"Held for you under {held['reference']}, ${held['total_usd']:,.2f} in all, until {held['expires_at']}:\n"
        f"{lines}\nNothing is paid yet. Write `release` to let it go.{visa}"
    )


def _ended(held: Held) -> str:
    return "expired" if held["status"] == "expired" else "been released"


def _sentence(text: str | None) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""
