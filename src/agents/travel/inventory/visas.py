"""What the table says about visas: the strictest of what the passports need."""

from collections.abc import Sequence
from typing import Any

from agents.shared.database import connection
from agents.shared.queries import load
from agents.travel.state import Requirement, Visa

_RULES = load(__file__)["rules"]
_STRICTEST: tuple[Requirement, ...] = ("none", "on_arrival", "eta", "required", "unknown")
_SAID = {
    "none": "no visa is needed",
    "on_arrival": "a visa is given on arrival",
    "eta": "no visa is needed, but a travel authorisation is, before departure",
    "required": "a visa is required before departure",
    "unknown": "no rule is on file: ask the embassy",
}


async def visa_for(passports: Sequence[str], country: str, days: int | None) -> Visa:
    """What is needed for `country` with these passports, for a stay of so many days (None: not known).

    Citizens need nothing for their own country; without a passport, and without a rule, the answer is unknown.
    """
    asked = {"passports": list(passports), "destination": country}
    async with connection() as conn:
        rows = {row["passport"]: row for row in await (await conn.execute(_RULES, asked)).fetchall()}
    judged = [(passport, *_judged(passport, country, rows.get(passport), days)) for passport in passports]
    needed: list[Requirement] = [requirement for _, requirement, _ in judged]
    worst = max(needed, key=_STRICTEST.index) if needed else "unknown"
    says = "; ".join(f"with a passport of {passport}, for {country}: {text}" for passport, _, text in judged)
    return {
        "country": country,
        "passports": list(passports),
        "requirement": worst,
        "says": says or f"for {country}: no passport was named, so no rule could be looked up",
    }


def _judged(
    passport: str, country: str, rule: dict[str, Any] | None, days: int | None
) -> tuple[Requirement, str]:
    if passport == country:
        return "none", "citizens need none"
    if rule is None:
        return "unknown", _SAID["unknown"]
    requirement: Requirement = rule["requirement"]
    text = _SAID[requirement]
    if rule["max_days"]:
        text += f", up to {rule['max_days']} days"
        if days is not None and days > rule["max_days"]:
            requirement, text = (
                "required",
                f"a stay of {days} days is longer than the {rule['max_days']} without a visa",
            )
    return requirement, f"{text}. {rule['note']}".rstrip(". ") if rule["note"] else text
