"""What differs, what would be written and what was, in a terminal of 80 columns."""

import difflib
from collections.abc import Sequence

from rich.console import Console

from stationmaster.assistants.differing import Difference, drifted
from stationmaster.assistants.proposing import Proposal
from stationmaster.assistants.versions import name_of, ref
from stationmaster.assistants.writing import Written
from stationmaster.cli.assistants_words import by, done, fits, lines_of, said, text
from stationmaster.cli.diff_shown import print_diff_lines
from stationmaster.cli.printing import table
from stationmaster.reconcile.resources import ServedAssistant


def print_diff(
    console: Console, before: ServedAssistant, after: ServedAssistant, found: Sequence[Difference]
) -> None:
    """From the first to the second; that two assistants have two names is no news."""
    told = [each for each in found if each.field != "name" or before.assistant_id == after.assistant_id]
    if told:
        print_changes(console, told, ref(before), ref(after))
    else:
        console.print(f"{ref(before)} and {ref(after)} say the same.")


def print_proposal(console: Console, found: Proposal) -> None:
    """What would be written, then what becomes of what runs and waits."""
    target = found.target
    now = f"{name_of(target)}, now version {target.version}{by(target)}"
    title = (
        f"Promote {found.origin} to {now}"
        if found.verb == "promote"
        else f"Roll back {now}, to {found.origin}"
    )
    console.print(text(title, "bold"))
    console.print()
    if found.changes:
        print_changes(console, found.changes, f"version {target.version}", f"version {target.version + 1}")
    else:
        console.print("The content stays as it is.")
    console.print()
    for sentence in found.consequences():
        console.print(text(sentence))
    console.print()


def print_written(console: Console, found: Written) -> None:
    """What stands now, how to undo it, and that the file says otherwise."""
    name, change = name_of(found.after), found.after.change
    console.print(
        done(f"{name} is at version {found.after.version}: {change.get('source')}, by {change.get('author')}")
    )
    hints = [f"undo: stationmaster assistants rollback {name} --to {found.before.version} --reason ..."]
    if drifted(found.after):
        hints.append(f"file: stationmaster adopt {name}    (until then `plan` shows drift)")
    console.print(text("\n".join(hints), "dim"))


def print_changes(console: Console, found: Sequence[Difference], before: str, after: str) -> None:
    """Short values side by side; long texts below, line by line."""
    short = [each for each in found if fits(each.before) and fits(each.after)]
    if short:
        rows = table("", before, after)
        for each in short:
            old = text("not set", "dim") if each.added else text(said(each.before), "red")
            new = text("not set", "dim") if each.removed else text(said(each.after), "green")
            rows.add_row(text(each.field), old, new)
        console.print(rows)
    for each in found:
        if each not in short:
            what = "  was not set" if each.added else "  is not set any more" if each.removed else ""
            console.print(text(each.field).append(what, style="dim"))
            _print_lines(console, each)


def _print_lines(console: Console, found: Difference) -> None:
    """With two lines around each change."""
    before, after = (
        [] if value is None else lines_of(value).splitlines() for value in (found.before, found.after)
    )
    print_diff_lines(console, list(difflib.unified_diff(before, after, lineterm="", n=2))[2:])
