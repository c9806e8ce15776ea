"""Draws the rules and the reasons into docs/check.md; a test compares the page with what is drawn now."""

from collections.abc import Iterable

from stationmaster.checking import excuses
from stationmaster.checking.against.reasons import REASONS
from stationmaster.checking.rules import RULES

HEAD = ("what is looked for", "why", "what to write")


def filled(page: str) -> str:
    """The page with both tables as they are now; what stands around them is kept."""
    exception = (
        excuses.RULE,
        excuses.LOOKS_FOR,
        excuses.WHY,
        "the reason; or no comment, where it excuses nothing",
    )
    rules = [(rule.name, rule.looks_for, rule.why, rule.write) for rule in RULES]
    reasons = [(reason.name, reason.looks_for, reason.why, reason.write) for reason in REASONS]
    for name, first, rows in (("rules", "rule", [*rules, exception]), ("reasons", "reason", reasons)):
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, opened, rest = page.partition(start)
        _, closed, after = rest.partition(end)
        if not opened or not closed:
            raise ValueError(f"the page has no place for its {name}: add the lines {start.strip()} and {end}")
        page = f"{before}{start}{_table(first, rows)}\n{end}{after}"
    return page


def _table(first: str, rows: Iterable[tuple[str, str, str, str]]) -> str:
    lines = [f"| {' | '.join((first, *HEAD))} |", "|---|---|---|---|"]
    for name, *told in rows:
        lines.append(f"| `{name}` | {' | '.join(each.replace('|', chr(92) + '|') for each in told)} |")
    return "\n".join(lines)
