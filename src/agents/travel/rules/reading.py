"""What a traveller's message says of the trip, by its words: English, and only what the tools can note."""

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from agents.travel.rules.dates import Dates, number, read_dates
from agents.travel.rules.money import read_budget
from agents.travel.rules.people import read_passports, read_travellers
from agents.travel.rules.places import bare_place, read_places
from agents.travel.words import lets_go

_NO_HOTEL = re.compile(
    r"\b(?:no|without(?: an?)?|don'?t need (?:an?)?|not an?)\s*(?:hotels?|rooms?|accommodation)\b|"
    r"\bflights? only\b|\b(?:only|just)(?: the)? (?:a )?flights?\b",
    re.IGNORECASE,
)
_HOTEL = re.compile(r"\b(?:hotels?|rooms?|accommodation|somewhere to stay)\b", re.IGNORECASE)
_ONE_WAY = re.compile(r"\b(?:one[- ]way|no return|not coming back|single ticket)\b", re.IGNORECASE)
_BACK = re.compile(r"\b(?:back|return(?:ing)?|until|through|home)\b[^.;]{0,25}$", re.IGNORECASE)
_SHIFT = re.compile(
    r"\b(\d{1,2}|an?|one|two|three|four|five|six|seven)\s+(day|week)s?\s+(later|earlier)\b", re.IGNORECASE
)
_OTHER_WORDS = re.compile(
    r"\b(?:on|leav\w*|depart\w*|instead|rather|start\w*|mean|meant|sorry|no|actually|from|fly|go|there)\b",
    re.IGNORECASE,
)
_VISA = re.compile(r"\bvisas?\b", re.IGNORECASE)
_STATUS = re.compile(
    r"\b(?:what (?:do i|is|have i|are you) (?:hold|held|holding|booked|reserved?)\b|my (?:hold|reservation|booking)\b|"
    r"still (?:held|on hold)|how much (?:is|was|did|does|do i)\b|(?:total|final) (?:price|cost)\b)",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|great|perfect|cool|super|wonderful|lovely|many|and)\W+)*(?:thanks?|thx|cheers)\b",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"\b(?:ich|möchte|wir|nach|vom|bis|und|mit|für|bitte|flug|hin|zurück|quiero|queremos|volar|desde|hasta|vuelo|vuelta|por|"
    r"ida|je|voudrais|nous|aller|vers|depuis|pour|retour|vol|avec|vorrei|andare|volare|volo|ritorno|dal|quero|ir|voo|"
    r"volta|ik|wij|naar|vlucht|terug|chcę|lecieć|jag|vill|från|för)\b",
    re.IGNORECASE,
)
_CHEAPER = re.compile(
    r"\b(?:cheaper|less expensive|too (?:expensive|dear|much)|costs? less)\b", re.IGNORECASE
)
_GO_ON = re.compile(
    r"\b(?:search|find|look|try|again|yes|ok|okay|go ahead|propose|show|offer|continue|hold|book|cheaper|other|later|"
    r"earlier)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Wishes:
    """What a message says: `trip` are the arguments of note_trip; `unclear` is what has to be asked again."""

    trip: dict[str, Any] = field(default_factory=dict)
    unclear: str | None = None
    visa: bool = False
    status: bool = False
    release: bool = False
    go_on: bool = False
    thanks: bool = False
    cheaper: bool = False
    foreign: bool = False
    """It is in a language that these rules do not read, or in none."""


def wishes_of(text: str, today: date, *, trip: dict[str, Any] | None = None) -> Wishes:
    """The wishes in a message; `trip` is what is known already, by which a lone date is there or back."""
    text = text[:4_000].replace("’", "'")
    dates = read_dates(text, today)
    many, how_many = read_travellers(text)
    budget, which = read_budget(text)
    found = {
        "travellers": many,
        "passports": read_passports(text, (trip or {}).get("passports", [])),
        "hotel": _hotel(text),
        "budget_usd": budget,
    }
    said: dict[str, Any] = {**read_places(text), **_when(text, dates, trip or {})}
    said |= {name: value for name, value in found.items() if value is not None}
    lacks = [name for name in ("origin", "destination") if not (trip or {}).get(name)]
    asks = lets_go(text) or any(one.search(text) for one in (_STATUS, _VISA, _THANKS, _CHEAPER, _GO_ON))
    place = bare_place(text) if len(lacks) == 1 and not said and not asks else None
    if place:
        said[lacks[0]] = place
    day = (
        f"I can't tell which day {dates.unclear!r} is: please write it as YYYY-MM-DD."
        if dates.unclear
        else None
    )
    return Wishes(
        trip=said,
        unclear=day or which or how_many,
        visa=bool(_VISA.search(text)),
        status=bool(_STATUS.search(text)),
        release=lets_go(text),
        go_on=bool(_GO_ON.search(text)),
        cheaper=bool(_CHEAPER.search(text)),
        thanks=bool(_THANKS.search(text)),
        foreign=_is_foreign(text),
    )


def _is_foreign(text: str) -> bool:
    """Whether it is in another language, by frequent words of some, or by its letters; or nothing but signs."""
    if len({match[0].lower() for match in _FOREIGN.finditer(text)}) > 1:
        return True
    letters = [character for character in text if character.isalpha()]
    latin = [character for character in letters if character < "\u0250"]
    if not letters:
        return bool(text.strip()) and not any(character.isdigit() for character in text)
    return len(latin) <= len(letters) / 2


def _when(text: str, dates: Dates, trip: dict[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = {"one_way": True} if _ONE_WAY.search(text) else {}
    days = [one.day for one in dates.found]
    if (
        len(dates.found) == 1
        and not dates.length
        and (_BACK.search(text[: dates.found[0].start]) or _answers_when_back(text, days[0], trip))
    ):
        return {**said, "return_on": days[0].isoformat()}
    shift = _SHIFT.search(text)
    known = date.fromisoformat(trip["depart_on"]) if trip.get("depart_on") else None
    which = "return_on" if shift and _BACK.search(text[: shift.start()]) else "depart_on"
    if shift and trip.get(which) and not days:
        count = number(shift[1]) * (7 if shift[2].lower() == "week" else 1)
        moved = _after(date.fromisoformat(trip[which]), count if shift[3].lower() == "later" else -count)
        return {**said, which: moved.isoformat()}
    if days:
        said["depart_on"] = days[0].isoformat()
    there = days[0] if days else known
    if len(days) > 1 and not said.get("one_way"):
        said["return_on"] = days[1].isoformat()
    elif dates.length and there and not said.get("one_way"):
        said["return_on"] = _after(there, dates.length).isoformat()
    return said


def _answers_when_back(text: str, day: date, trip: dict[str, Any]) -> bool:
    """Whether a message that is a date and nothing else says when the way back is, which is what was asked."""
    asked = trip.get("depart_on") and not trip.get("return_on") and not trip.get("one_way")
    bare = len(text) < 30 and not _OTHER_WORDS.search(text)
    return bool(asked and bare and day > date.fromisoformat(trip["depart_on"]))


def _after(day: date, days: int) -> date:
    """So many days later, within what is a date: what is too far is refused where it is noted."""
    return date.fromordinal(min(max(day.toordinal() + days, 1), date.max.toordinal()))


def _hotel(text: str) -> bool | None:
    if _NO_HOTEL.search(text):
        return False
    return True if _HOTEL.search(text) else None
