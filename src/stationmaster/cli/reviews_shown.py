"""Reviews as a terminal of 80 columns shows them: the list, one review, what became of an answer, the drift."""

import json
import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from stationmaster.cli.answers import options_for
from stationmaster.cli.terminal import harmless
from stationmaster.reviews import json_text

STYLES = {"open": "bold yellow", "decided": "cyan", "sent": "cyan", "consumed": "green", "finished": "green"}
UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
PAYLOAD_LINES = 40
DRIFT_WORDS = {
    "missed": "no webhook had told of",
    "vanished": "whose thread is gone",
    "superseded": "replaced by another question",
    "answered_elsewhere": "answered by somebody else's client",
    "still_pending": "answered, and still asked",
}


def print_list(console: Console, reviews: Sequence[Mapping[str, Any]], most: int) -> None:
    """One line a review; the id's beginning is enough for the other commands."""
    if not reviews:
        console.print("Nothing waits for a person.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    table.add_column("id", no_wrap=True, width=8)
    table.add_column("asked", ratio=1, overflow="ellipsis", no_wrap=True)
    table.add_column("graph", max_width=12, overflow="ellipsis", no_wrap=True)
    for name in ("age", "due"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("state", no_wrap=True, max_width=14, overflow="ellipsis")
    for review in map(harmless, reviews[:most]):
        title = Text(review["title"], style="bold" if review["risk"] == "high" else "")
        graph, age = Text(review["graph"] or "-"), _ago(review["opened_at"])
        table.add_row(review["id"][:8], title, graph, age, _due(review), _state(review))
    console.print(table)
    if len(reviews) > most:
        console.print(f"and more: --limit {most * 4} shows them", style="dim")


def print_review(console: Console, review: Mapping[str, Any]) -> None:
    """Everything about one review, the question first and then how to answer it."""
    review = harmless(review)
    console.print(Text(review["title"], style="bold"))
    console.print(_facts(review))
    for heading, content in _parts(review):
        console.print()
        console.print(Text(heading, style="bold"))
        console.print(Padding(content, (0, 0, 0, 2)))


def print_outcome(console: Console, review: Mapping[str, Any]) -> None:
    """A review after an answer, in a few lines."""
    review = harmless(review)
    console.print(Text(review["title"], style="bold"))
    console.print(_facts(review))


def print_drift(console: Console, found: Mapping[str, Any]) -> None:
    """The drift report: what sweeps have found since the beginning."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("reviews", "", "last", "thread"):
        table.add_column(name, justify="right" if name == "reviews" else "left", no_wrap=True)
    for name, counter in found["counters"].items():
        what = DRIFT_WORDS.get(name, name.replace("_", " "))
        last = _ago(counter["last_at"]) + " ago" if counter["last_at"] else "-"
        table.add_row(str(counter["n"]), what, last, (counter["last_thread"] or "-")[:20])
    if found["counters"]:
        console.print(table)
    else:
        console.print("The sweep has found nothing that was not known.")
    lag, swept = found["lag_s"], found["last_sweep_at"]
    console.print(
        f"last sweep {f'{_ago(swept)} ago' if swept else 'never'}; lag {f'{lag:.1f} s' if lag is not None else '-'}",
        style="dim", highlight=False,
    )  # fmt: skip


def _facts(review: Mapping[str, Any]) -> Table:
    version = f" version {review['assistant_version']}" if review["assistant_version"] else ""
    money = f", ${review['amount_usd']:,.2f}" if review["amount_usd"] is not None else ""
    assistant = f"assistant {review['assistant'] or review['assistant_id'] or '-'}{version}"
    first = (review["first_answer"] or {}).get("decision")
    rows: dict[str, Any] = {
        "state": _state(review),
        "review": review["id"],
        "thread": review["thread_id"],
        "graph": f"{review['graph'] or '-'}, {assistant}",
        "asked": f"{_ago(review['opened_at'])} ago, of {', '.join(review['groups'])}",
        "risk": f"{review['risk']}{money}{', needs two people' if review['two_person'] else ''}",
        "due": _due(review) if review["due_at"] and review["phase"] == "open" else None,
        "first": review["first_by"] and f"{review['first_by']} said {first}",
        "answer": review["decided_by"] and f"{review['decision']} by {review['decided_by']}",
        "answered": review["decided_at"] and f"{_ago(review['decided_at'])} ago",
        "reason": review["reason"],
        "run": review["run_status"],
        "error": review["error"],
        "note": review["note"],
        "instead": review["replaced_by"] and f"asked anew as {review['replaced_by']}",
        "again": review["returned_from"] and f"was answered before as {review['returned_from']}; the server forgot",
    }  # fmt: skip
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows.items():
        if value:
            table.add_row(name, value if isinstance(value, Text) else Text(str(value)))
    return table


def _parts(review: Mapping[str, Any]) -> list[tuple[str, RenderableType]]:
    parts: list[tuple[str, RenderableType]] = []
    if review["body"]:
        parts.append(("What is asked", Markdown(review["body"], hyperlinks=False)))
    parts.append(("Shown to whoever answers", _json_shown(review["payload"])))
    if review["state"] == "open":
        parts.append(("Answer with", _ways(review)))
    elif review["decided_by"]:
        parts.append(("Answered", _json_shown(review["answer"])))
    if review["comments"]:
        lines = [
            f"{remark['author']}, {_ago(remark['at'])} ago: {remark['body']}" for remark in review["comments"]
        ]
        parts.append(("Remarks", Text("\n".join(lines))))
    parts.append(("What happened", _history(review["history"])))
    return parts


def _ways(review: Mapping[str, Any]) -> RenderableType:
    command = f"stationmaster reviews decide {review['id'][:8]}"
    lines = [Text(f"{command} {option}") for option in options_for(review)]
    for choice in review["form"]:
        editable = {field["name"]: field["value"] for field in choice["fields"] if field["editable"]}
        if choice["decision"] == "edit" and editable:
            example = shlex.quote(json.dumps(editable))
            if len(example) < 200:
                lines.append(Text(f"what --edit may change, as it stands: {example}", style="dim"))
    return Group(*lines)


def _history(entries: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for entry in entries:
        at = datetime.fromisoformat(entry["at"]).astimezone()
        said = entry["detail"].get("why") or entry["detail"].get("reason") or ""
        table.add_row(
            f"{at:%d %b %H:%M:%S}",
            entry["action"].replace("_", " "),
            Text(f"{entry['actor']}  {said}".strip()),
        )
    return table


def _json_shown(value: Any) -> RenderableType:
    lines = json_text.write(value, indent=2, ensure_ascii=False).splitlines()
    more = (
        [f"... {len(lines) - PAYLOAD_LINES} lines more: --json shows all"]
        if len(lines) > PAYLOAD_LINES
        else []
    )
    return Syntax(
        "\n".join(lines[:PAYLOAD_LINES] + more), "json", background_color="default", word_wrap=True, theme="ansi_dark"
    )  # fmt: skip


def _state(review: Mapping[str, Any]) -> Text:
    """The state, and whose it is."""
    state, owner = review["state"].replace("_", " "), None
    if review["needs_person"]:
        return Text("needs a person", style="bold red")
    if state == "open" and review["first_by"]:
        owner = f"2nd after {review['first_by']}"
    elif state == "open" and review["claimed_by"]:
        owner = review["claimed_by"]
    return Text(owner or state, style=STYLES.get(state, "dim"))


def _due(review: Mapping[str, Any]) -> Text:
    if not review["due_at"] or review["state"] != "open":
        return Text("-")
    left = datetime.fromisoformat(review["due_at"]) - datetime.now(UTC)
    if left < timedelta(0):
        return Text(f"{_span(-left)} over", style="bold red")
    return Text(f"in {_span(left)}")


def _ago(moment: str) -> str:
    return _span(datetime.now(UTC) - datetime.fromisoformat(moment))


def _span(span: timedelta) -> str:
    """`3 min`: the largest unit that fits."""
    seconds = max(0, int(span.total_seconds()))
    unit, size = next((pair for pair in UNITS if seconds >= pair[1]), UNITS[-1])
    return f"{seconds // size} {unit}"
