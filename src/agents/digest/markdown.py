"""The report as Markdown: pure. Titles come from customers' words, so nothing in them may be markup."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from agents.shared.plain import plain

LABELS = (
    ("Tickets worked on", "tickets", "tickets", ""),
    ("Tickets handed to a person", "tickets", "handed_over", ""),
    ("Dead letters", "tickets", "dead_letters", ""),
    ("Refunds", "refunds", "refunds", ""),
    ("Refunded", "refunds", "usd", "$"),
    ("Largest refund", "refunds", "largest_usd", "$"),
    ("Reviews opened", "reviews", "opened", ""),
    ("Reviews answered", "reviews", "answered", ""),
    ("Reviews waiting at the end", "reviews", "waiting", ""),
    ("Failed runs", "runs", "failed", ""),
    ("Model calls", "spend", "calls", ""),
    ("Spent on models", "spend", "usd", "$"),
)
AGES = (
    ("under an hour", "under_1h"),
    ("1 to 4 hours", "from_1h"),
    ("4 to 24 hours", "from_4h"),
    ("1 to 3 days", "from_1d"),
    ("3 days and more", "from_3d"),
)


def report(figures: dict[str, Any], headline: str, zone: ZoneInfo) -> str:
    """The whole report; times in the reader's zone."""
    title = f"# Digest {plain(figures['name'])}: {_time(figures['until'], zone)}"
    span = (
        f"From {_time(figures['since'], zone)} to {_time(figures['until'], zone)}, compared with the same time before "
        f"(from {_time(figures['compared_since'], zone)})."
    )
    sections = [title, plain(headline, 1_000), span, _table(figures)]
    sections += [
        section for section in (_waiting(figures), _failed(figures, zone), _models(figures)) if section
    ]
    if figures["missing"]:
        lines = "\n".join(f"- {plain(one, 300)}" for one in figures["missing"])
        sections.append(f"## Could not be read\n\n{lines}")
    return "\n\n".join(sections) + "\n"


def money(usd: float) -> str:
    """Dollars and cents; what is less than a cent is shown to its digits."""
    return f"${usd:,.2f}" if usd == 0 or abs(usd) >= 0.01 else f"${usd:.6f}".rstrip("0")


def _table(figures: dict[str, Any]) -> str:
    rows = ["| | now | before | change |", "|---|---:|---:|---:|"]
    for label, part, key, unit in LABELS:
        if part in figures:
            found = figures[part]
            now, before, change = (found[which].get(key, 0) for which in ("now", "before", "change"))
            rows.append(
                f"| {label} | {_value(now, unit)} | {_value(before, unit)} | {_signed(change, unit)} |"
            )
    return "\n".join(rows)


def _waiting(figures: dict[str, Any]) -> str:
    found = figures.get("reviews")
    if not found or not found["now"]["waiting"]:
        return ""
    rows = ["## Waiting for a person", "", "| age | reviews |", "|---|---:|"]
    rows += [f"| {label} | {found['now'][key]} |" for label, key in AGES if found["now"][key]]
    oldest = [f"- {_age(one['waits_s'])}: {plain(one['title'])}{_of(one)}" for one in found["details"]]
    return "\n".join([*rows, "", "The oldest:", "", *oldest])


def _failed(figures: dict[str, Any], zone: ZoneInfo) -> str:
    found = figures.get("runs")
    if not found or not found["details"]:
        return ""
    lines = [
        f"- {_time(one['at'], zone)}: {plain(one['what'])}, run `{one['run_id']}`" for one in found["details"]
    ]
    return "\n".join(["## Failed runs", "", *lines])


def _models(figures: dict[str, Any]) -> str:
    found = figures.get("spend")
    if not found or not found["details"]:
        return ""
    rows = ["## Models", "", "| model | calls | tokens | cost |", "|---|---:|---:|---:|"]
    for one in found["details"]:
        cost = "no price known" if one["unpriced"] else money(one["usd"])
        rows.append(f"| {plain(one['model'])} | {one['calls']} | {one['tokens']:,} | {cost} |")
    return "\n".join(rows)


def _of(review: dict[str, Any]) -> str:
    amount = f", {money(review['amount_usd'])}" if review["amount_usd"] is not None else ""
    return f"{amount} ({plain(review['graph'])})" if review["graph"] else amount


def _value(value: float, unit: str) -> str:
    return money(value) if unit else f"{value:,}"


def _signed(value: float, unit: str) -> str:
    if value == 0:
        return "="
    return f"{'+' if value > 0 else '-'}{_value(abs(value), unit)}"


def _age(seconds: float) -> str:
    hours = seconds / 3600
    if hours < 1:
        return f"{max(int(seconds // 60), 1)} min"
    return f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.0f} days"


def _time(iso: str, zone: ZoneInfo) -> str:
    return datetime.fromisoformat(iso).astimezone(zone).strftime("%Y-%m-%d %H:%M %Z")
