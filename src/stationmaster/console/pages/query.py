"""What of a list is wanted, as the URL says it: parsed forgivingly, and written back so that every view has a link."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from stationmaster.reviews import store
from stationmaster.reviews.store import ListQuery, Tab

PAGE_SIZE = 50
LONGEST = 200


@dataclass(frozen=True)
class Filters:
    """The texts as they stand in the URL; `problems` says which were not used, and why."""

    tab: Tab = "needs_you"
    q: str = ""
    graph: str = ""
    assistant: str = ""
    group: str = ""
    min: str = ""
    max: str = ""
    cursor: str = ""
    problems: tuple[str, ...] = field(default=(), compare=False)

    @property
    def any(self) -> bool:
        """Whether the list is narrowed at all."""
        return any((self.q, self.graph, self.assistant, self.group, self.min, self.max))

    def href(self, **changes: str) -> str:
        """This view with some changes; the cursor is kept only if it is among them."""
        changed = replace(self, **{"cursor": "", **changes})
        kept = {name: getattr(changed, name) for name in NAMES}
        if kept["tab"] == "needs_you":
            kept["tab"] = ""
        query = urlencode({name: value for name, value in kept.items() if value})
        return f"/?{query}" if query else "/"

    def cleared(self) -> str:
        """The same tab, everything in it."""
        return Filters(tab=self.tab).href()

    def for_store(self) -> ListQuery:
        """The same for the store."""
        return ListQuery(
            tab=self.tab, order="newest" if self.tab == "decided" else "due",
            graph=self.graph or None, assistant=self.assistant or None, group=self.group or None,
            min_amount_usd=amount(self.min), max_amount_usd=amount(self.max), search=self.q or None,
            cursor=self.cursor or None, limit=PAGE_SIZE,
        )  # fmt: skip


TABS: dict[str, Tab] = {tab: tab for tab in store.TABS}
NAMES = ("tab", "q", "graph", "assistant", "group", "min", "max", "cursor")


def parse(query: Mapping[str, str]) -> Filters:
    """The filters of a URL. What can't be read is left out and named: a list with a mistyped amount is still a list."""
    texts = {name: query.get(name, "").replace("\x00", "").strip()[:LONGEST] for name in NAMES[1:-1]}
    problems = [
        f"“{texts[name]}” is no amount, so it was not used: write it as 1240.50"
        for name in ("min", "max")
        if texts[name] and amount(texts[name]) is None
    ]
    for name in ("min", "max"):
        texts[name] = texts[name] if amount(texts[name]) is not None else ""
    known = TABS.get(query.get("tab", ""), "needs_you")
    return Filters(tab=known, cursor=query.get("cursor", "")[:1_000], problems=tuple(problems), **texts)


def amount(text: str) -> float | None:
    """`1,240.50` or `$1240.5` as a number; None for what is none."""
    try:
        found = float(text.replace(",", "").replace("$", "").strip())
    except ValueError:
        return None
    return found if math.isfinite(found) else None
