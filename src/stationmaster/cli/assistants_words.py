"""How assistants, their fields and moments read in a terminal. Nothing that a server holds is obeyed by it."""

import json
from datetime import UTC, datetime
from typing import Any

from rich.text import Text

from stationmaster.assistants.routes import Routes, percent
from stationmaster.assistants.versions import name_of
from stationmaster.cli.terminal import harmless
from stationmaster.reconcile.resources import ServedAssistant

UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
SHORT = 44
"""Characters of a value in a table; a longer one, or one of several lines, is shown line by line."""


def text(value: object, style: str = "") -> Text:
    return Text(str(harmless(str(value))), style=style)


def done(said: str) -> Text:
    return Text.assemble(("done  ", "bold green"), text(said))


def said(value: Any) -> str:
    """As one would say it: text without quotes, unless it is empty or looks like something else."""
    if isinstance(value, str) and value and value.lower() not in ("true", "false", "null", "none"):
        return str(harmless(value))
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return ", ".join(map(said, value))
    return json.dumps(harmless(value), ensure_ascii=False)


def lines_of(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def fits(value: Any) -> bool:
    return "\n" not in str(value) and len(said(value)) <= SHORT


def routing(assistant: ServedAssistant) -> list[Text]:
    """Its canary and pins, a line each."""
    routes = Routes.of(assistant.metadata)
    canary = routes.canary
    lines = [f"{percent(canary.share)} to {canary.arm.name}"] if canary else []
    lines += [f"{key} to {arm.name}" for key, arm in sorted(routes.pins.items())]
    return [text(line, "cyan") for line in lines]


def name(assistant: ServedAssistant) -> Text:
    found = text(name_of(assistant), "bold" if assistant.live else "")
    if not assistant.owned:
        found.append("  made by the server" if assistant.system else "  somebody else's", style="dim")
    return found


def author(version: ServedAssistant) -> Text:
    return text(version.change.get("author") or "-")


def by(version: ServedAssistant) -> str:
    who = version.change.get("author")
    return f" by {harmless(who)}" if who else ""


def ago(moment: str) -> str:
    """`3 min`: the largest unit that fits."""
    if not moment:
        return "-"
    seconds = max(0, int((datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()))
    unit, size = next((pair for pair in UNITS if seconds >= pair[1]), UNITS[-1])
    return f"{seconds // size} {unit}"
