"""Canaries in a terminal of 80 columns: begun, ended, and how their arms do."""

from typing import Any

from rich.console import Console
from rich.text import Text

from stationmaster.assistants.comparing import ArmReport, Report, began_at
from stationmaster.assistants.rates import Rate
from stationmaster.assistants.routes import percent
from stationmaster.assistants.versions import name_of
from stationmaster.cli.assistants_words import ago, done, text
from stationmaster.cli.printing import table


def print_started(console: Console, routed: Any) -> None:
    """What it does from now on, and how it is looked at and closed."""
    canary, was = routed.after.canary, routed.before.canary
    name = name_of(routed.written.after)
    before = f", {percent(was.share)} before" if was else ""
    console.print(done(f"{percent(canary.share)} of {name}'s threads get {canary.arm.name}{before}"))
    console.print(text(
        "A thread keeps its arm while the canary lasts; what waits for a person stays as it is.\n"
        f"compare: stationmaster assistants canary status {name}\n"
        f"close:   stationmaster assistants promote {name} --reason ...\n"
        f"         stationmaster assistants canary end {name} --reason ...",
        "dim",
    ))  # fmt: skip


def print_ended(console: Console, routed: Any, waiting: int | None) -> None:
    """What the end means for what still waits."""
    name, canary = name_of(routed.written.after), routed.before.canary
    version = routed.written.after.version
    console.print(done(f"the canary of {canary.arm.name} is over: all threads get {name}, version {version}"))
    if waiting:
        what = "1 question that it asked waits" if waiting == 1 else f"{waiting} questions that it asked wait"
        console.print(text(f"{what} for a person: once answered, {name} goes on.", "dim"))


def print_report(console: Console, found: Report) -> None:
    """The two arms side by side, and what of it is more than chance."""
    canary = found.canary
    who = f", by {canary.by}" if canary.by else ""
    why = f': "{canary.reason}"' if canary.reason else ""
    console.print(text(f"{found.live}: canary of {canary.arm.name} at {percent(canary.share)}", "bold"))
    console.print(text(f"for {ago(canary.started_at if began_at(canary) else '')}{who}{why}", "dim"))
    console.print()
    live, arm = found.arms
    columns = (live.assistant, arm.assistant)
    rows = table("", *columns, "", right=columns)
    got = f"the canary got {_share(found.observed.share)}" if found.observed.of else ""
    rows.add_row("version", _versions(live), _versions(arm), "")
    rows.add_row("threads", str(live.threads), str(arm.threads), text(got, "dim"))
    rows.add_row("runs", str(live.runs), str(arm.runs), "")
    rows.add_row("  failed", *_rates(live.errors, arm.errors), _verdict(found.differs["errors"]))
    rows.add_row("  half take up to", _seconds(live.seconds_p50), _seconds(arm.seconds_p50), "")
    rows.add_row("  95 % take up to", _seconds(live.seconds_p95), _seconds(arm.seconds_p95), "")
    rows.add_row("cost of a thread", _usd(live), _usd(arm), "")
    rows.add_row("questions to people", str(live.asked), str(arm.asked), "")
    for name in ("approved", "edited", "rejected"):
        cells = _rates(getattr(live, name), getattr(arm, name))
        rows.add_row(f"  {name}", *cells, _verdict(found.differs[name]))
    rows.add_row("  waiting", str(live.waiting), str(arm.waiting), "")
    console.print(rows)
    console.print()
    console.print(text(_closing(found), "dim"))


def _closing(found: Report) -> str:
    if not found.observed.of:
        return "No run has ended yet under this canary, or its webhook has not reached the console."
    told = [name for name, differs in found.differs.items() if differs]
    if told:
        return f"More than chance explains: {', '.join(told)}."
    return "So far nothing that chance could not explain; more threads will tell."


def _rates(*rates: Rate) -> list[Text]:
    return [Text("-" if rate.share is None else f"{rate.count} ({_share(rate.share)})") for rate in rates]


def _verdict(differs: bool | None) -> Text:
    return Text("differs", style="bold yellow") if differs else Text("")


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share * 100:.1f} %"


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.1f} s"


def _usd(arm: ArmReport) -> str:
    cost = arm.cost.usd_per_thread
    if cost is None:
        return "-"
    return f"{'over ' if arm.cost.unpriced else ''}${cost:.4f}" if cost else "$0"


def _versions(arm: ArmReport) -> str:
    """1, or 1-3."""
    if not arm.versions:
        return "-"
    first, last = min(arm.versions), max(arm.versions)
    return str(first) if first == last else f"{first}-{last}"
