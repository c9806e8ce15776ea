"""Reviews as a terminal of 80 columns shows them: the list, one review, what became of an answer, the drift."""

import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stationmaster.cli import printing
from stationmaster.cli.answers import MEANINGS, options_for
from stationmaster.cli.payload_shown import payload_shown
from stationmaster.cli.terminal import harmless
from stationmaster.reviews import json_text
from stationmaster.reviews.asking_as import asked_as
from stationmaster.reviews.shapes import breakpoint  # noqa: A004 - the shape has this name

STYLES = {"open": "bold yellow", "decided": "cyan", "sent": "cyan", "consumed": "green", "finished": "green"}
SHORT_STATES = {"answered elsewhere": "elsewhere"}
WORDLESS = ("kind", "type")
LONGEST_EXAMPLE = 60
NO_MORE = "no more"
RETRY_HINT = """After a mend: `stationmaster reviews retry ID` (or --all)
To close one: `stationmaster reviews settle ID give-up --note WHY`"""
SETTLE_HINT = "What can be done: `stationmaster reviews settle --help`."
UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
DRIFT_WORDS = {
    "missed": "no webhook had told of",
    "vanished": "whose thread is gone",
    "superseded": "replaced by another question",
    "answered_elsewhere": "answered by somebody else's client",
    "answered_but_pending": "answered, and still asked afterwards",
    "returned": "answered, then forgotten by the server and asked again",
}


def print_list(console: Console, reviews: Sequence[Mapping[str, Any]], most: int) -> None:
    """One line a review; the id's beginning is enough for the other commands."""
    if not reviews:
        printing.none(console, "nothing waits for a person")
        return
    table = printing.table()
    table.expand = True
    table.add_column("id", no_wrap=True, width=8)
    table.add_column("asked", ratio=1, overflow="ellipsis", no_wrap=True)
    table.add_column("graph", max_width=12, overflow="ellipsis", no_wrap=True)
    for name in ("age", "due"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("state", no_wrap=True, max_width=14, overflow="ellipsis")
    for review in map(harmless, reviews[:most]):
        title = Text(review["title"], style="bold" if review["risk"] == "high" else "")
        graph, age = Text(review["graph"] or "-"), _ago(review["opened_at"])
        table.add_row(review["id"][:8], title, graph, age, _due(review), _state(review, short=True))
    console.print(table)
    if len(reviews) > most:
        console.print(f"and more: --limit {most * 4} shows them", style="dim")


def print_stuck(console: Console, reviews: Sequence[Mapping[str, Any]]) -> None:
    """Two lines and more a review: what was asked and since when it is stuck, and why."""
    if not reviews:
        printing.none(console, "every answer has arrived, or is on its way")
        return
    table = printing.table()
    table.expand = True
    table.add_column("id", no_wrap=True, width=8)
    table.add_column("asked, and what keeps it", ratio=1, overflow="fold")
    for name in ("since", "tries", "next"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("state", no_wrap=True, max_width=14, overflow="ellipsis")
    for review in map(harmless, reviews):
        asked = Text(review["title"], no_wrap=True, overflow="ellipsis")
        since, tries = review["failing_since"] or review["updated_at"], review["delivery_tries"]
        what = Group(asked, Text(" ".join(review["why"].split()), style="dim"))
        state = _state(review, short=True)
        table.add_row(review["id"][:8], what, _ago(since), str(tries or "-"), _next_try(review), state)
    console.print(table)
    retried = any(review["delivery_error"] for review in reviews)
    console.print(RETRY_HINT if retried else SETTLE_HINT, style="dim", highlight=False)


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
    counted = {name: row for name, row in found["counters"].items() if row["n"]}
    made = printing.table("reviews", "", "last", "thread", right=("reviews",), whole=("last", "thread"))
    for name, row in counted.items():
        last = f"{_ago(row['last_at'])} ago" if row["last_at"] else "-"
        what = DRIFT_WORDS.get(name, name.replace("_", " "))
        made.add_row(str(row["n"]), what, last, (row["last_thread"] or "-")[:20])
    if counted:
        console.print(made)
    else:
        printing.none(console, "the sweep has found nothing that was not known")
    lag, swept = found["lag_s"], found["last_sweep_at"]
    console.print(
        f"last sweep {f'{_ago(swept)} ago' if swept else 'never'}; lag {f'{lag:.1f} s' if lag is not None else '-'}",
        style="dim", highlight=False,
    )  # fmt: skip


def _facts(review: Mapping[str, Any]) -> Table:
    money = f", ${review['amount_usd']:,.2f}" if review["amount_usd"] is not None else ""
    known = [review[key] for key in ("graph", "assistant_id", "assistant", "assistant_version")]
    first = (review["first_answer"] or {}).get("decision")
    rows: dict[str, Any] = {
        "state": _state(review),
        "review": review["id"],
        "thread": review["thread_id"],
        "graph": f"{review['graph'] or '-'}, assistant {asked_as(*known) or '-'}",
        "asked": f"{_ago(review['opened_at'])} ago, of {', '.join(review['groups'])}",
        "risk": f"{review['risk']}{money}{', needs two people' if review['two_person'] else ''}",
        "due": _due(review) if review["due_at"] and review["phase"] == "open" else None,
        "first": review["first_by"] and f"{review['first_by']} said {first}",
        "answer": review["decided_by"] and f"{review['decision']} by {review['decided_by']}",
        "answered": review["decided_at"] and f"{_ago(review['decided_at'])} ago",
        "reason": review["reason"],
        "run": review["run_status"],
        "error": review["error"],
        "kept by": review["delivery_error"] and " ".join(review["delivery_error"].split()),
        "tried": _tried(review),
        "note": review["note"],
        "instead": review["replaced_by"] and f"asked anew as {review['replaced_by']}",
        "again": review["returned_from"] and f"was answered before as {review['returned_from']}; the thread still asks",
    }  # fmt: skip
    return printing.facts(rows)


def _parts(review: Mapping[str, Any]) -> list[tuple[str, RenderableType]]:
    parts: list[tuple[str, RenderableType]] = []
    if review["body"]:
        parts.append(("What is asked", Markdown(review["body"], hyperlinks=False)))
    parts.append(("Shown to whoever answers", payload_shown(_asked(review))))
    if review["state"] == "open":
        parts.append(("Answer with", _ways(review)))
    elif review["decided_by"]:
        parts.append(("Answered", payload_shown(review["answer"])))
    if result := review.get("result"):
        parts += _result(result)
    if review["comments"]:
        lines = [
            f"{remark['author']}, {_ago(remark['at'])} ago: {remark['body']}" for remark in review["comments"]
        ]
        parts.append(("Remarks", Text("\n".join(lines))))
    parts.append(("What happened", _history(review["history"])))
    return parts


def _result(result: Mapping[str, Any]) -> list[tuple[str, RenderableType]]:
    """What the graph said after it took the answer, and what is short of the rest."""
    said = [str(message["content"]) for message in result["messages"] if message.get("content")]
    short = {
        key: value
        for key, value in result["changed"].items()
        if isinstance(value, str | int | float) and len(str(value)) <= LONGEST_EXAMPLE and value != ""
    }
    parts: list[tuple[str, RenderableType]] = []
    if said:
        parts.append(("What was said then", Text("\n\n".join(said))))
    if short:
        parts.append(("What came of it", payload_shown(short)))
    return parts


def _asked(review: Mapping[str, Any]) -> Any:
    """The payload, without what stands above it already."""
    payload = review["payload"]
    said = (review["title"], review["body"])
    if not isinstance(payload, dict):
        return payload
    if review["shape"] == breakpoint.NAME:
        return breakpoint.without_words(payload)
    return {key: value for key, value in payload.items() if key not in WORDLESS and value not in said}


def _ways(review: Mapping[str, Any]) -> RenderableType:
    """The commands that answer, ready to be pasted; an edit with what stands there now."""
    command = f"stationmaster reviews decide {review['id'][:8]}"
    example, editable = _edit_example(review["form"])
    lines = [
        Text(f"{command} --edit {example}" if option == "--edit JSON" and example else f"{command} {option}")
        for option in options_for(review)
    ]
    if len(editable) > 1:
        lines.append(Text(f"--edit may change {', '.join(editable)}", style="dim"))
    return Group(*lines)


def _edit_example(form: Sequence[Mapping[str, Any]]) -> tuple[str, list[str]]:
    """One field as it stands, a figure if there is one, quoted for a shell; and all that may be changed."""
    fields = [
        field for choice in form if choice["decision"] in MEANINGS["edit"] for field in choice["fields"]
    ]
    editable = {field["name"]: field["value"] for field in fields if field["editable"]}
    texts = {name: shlex.quote(json_text.write({name: value})) for name, value in editable.items()}
    figures = [
        name
        for name, value in editable.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    first = next((texts[name] for name in [*figures, *texts] if len(texts[name]) <= LONGEST_EXAMPLE), "")
    return first, list(editable)


def _history(entries: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for entry in entries:
        at = datetime.fromisoformat(entry["at"]).astimezone()
        detail = entry["detail"]
        said = detail.get("why") or detail.get("reason") or detail.get("action") or ""
        table.add_row(
            f"{at:%d %b %H:%M:%S}",
            entry["action"].replace("_", " "),
            Text(f"{entry['actor']}  {said}".strip()),
        )
    return table


def _state(review: Mapping[str, Any], *, short: bool = False) -> Text:
    """The state, and whose it is; `short`: in a word that a column holds."""
    state, owner = review["state"].replace("_", " "), None
    if review["state"] == "decided" and review["delivery_error"]:
        return Text("not delivered", style="bold red")
    if review["needs_person"]:
        return Text("needs a person", style="bold red")
    if state == "open" and review["first_by"]:
        owner = f"2nd after {review['first_by']}"
    elif state == "open" and review["claimed_by"]:
        owner = review["claimed_by"]
    word = SHORT_STATES.get(state, state) if short else state
    return Text(owner or word, style=STYLES.get(state, "dim"))


def _tried(review: Mapping[str, Any]) -> str | None:
    """What the service does about an answer that could not be delivered, and what a lead can do."""
    if not review["delivery_error"]:
        return None
    tries = review["delivery_tries"]
    so_far = (
        f"{tries} {'time' if tries == 1 else 'times'} in {_ago(review['failing_since'])}, " if tries else ""
    )
    then = _next_try(review)
    goes_on = "no more by itself; the answer is kept" if then == NO_MORE else f"again {then}"
    return f"{so_far}{goes_on}; `stationmaster reviews retry {review['id'][:8]}` after a mend"


def _next_try(review: Mapping[str, Any]) -> str:
    if not review["delivery_error"]:
        return "-"
    if review["gave_up_at"] or not review["next_try_at"]:
        return NO_MORE
    left = datetime.fromisoformat(review["next_try_at"]) - datetime.now(UTC)
    return f"in {_span(left)}" if left > timedelta(0) else "now"


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
