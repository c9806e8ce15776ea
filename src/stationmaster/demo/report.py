"""What the demonstration shows: tickets as they stream, and tables at the end."""

from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stationmaster.demo.messages import Measured
from stationmaster.demo.run import Result
from stationmaster.demo.tickets import Ticket
from stationmaster.shop.ledger import Summary


@dataclass
class TicketPrinter:
    """Prints one ticket as it streams in: the nodes that ran, the reply as its tokens come, what waits."""

    console: Console
    nodes: list[str] = field(default_factory=list)
    in_reply: bool = False
    drafted: str = ""

    def __call__(self, kind: str, what: Any) -> None:
        match kind:
            case "node":
                self._end_reply()
                self.nodes.append(what)
            case "token" if what:
                self._token(what)
            case "waiting":
                self.close()
                self.console.print("  the above is a draft (not sent)", style="dim", highlight=False)
                self.console.print(f"  [bold yellow]waits for a person[/]  {what['title']}", highlight=False)
                self.console.print(Padding(Text(what["on_approve"], style="dim"), (0, 0, 0, 4)))
            case "yours":
                self.console.print(
                    "  [bold]answer it in the inbox:[/]", what, highlight=False, soft_wrap=True
                )
            case "answered":
                self.console.print(f"  [bold green]answered[/]  {what}", highlight=False)
            case "sent" if not self.drafted.strip().endswith(what.strip()):
                self.close()
                self.console.print("  sent instead of the draft:", style="dim", highlight=False)
                self.console.print(Padding(Text(what, style="cyan"), (0, 0, 0, 2)))

    def close(self) -> None:
        """Print what is still held back."""
        self._end_reply()
        if self.nodes:
            self.console.print(Padding(Text(" > ".join(self.nodes), style="dim"), (0, 0, 0, 2)))
            self.nodes.clear()

    def _token(self, text: str) -> None:
        self.drafted += text
        if not self.in_reply:
            self.close()
            self.console.print("  ", end="")
            self.in_reply = True
        self.console.print(
            Text(text.replace("\n\n", "\n").replace("\n", "\n  "), style="cyan"), end="", soft_wrap=True
        )

    def _end_reply(self) -> None:
        if self.in_reply:
            self.console.print()
            self.in_reply = False


def print_ticket(console: Console, ticket: Ticket) -> None:
    """The heading of a ticket, with what the customer wrote."""
    console.print(f"\n[bold]{ticket.name}[/bold]  {ticket.text}", highlight=False)


def print_results(console: Console, results: list[Result], ledger: Summary) -> None:
    """The table of tickets, and the ledger's counts."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("ticket", "intent", "outcome", "waited", "refunded", ""):
        table.add_column(name, justify="right" if name == "refunded" else "left")
    for result in results:
        money = f"${result.amount_usd:,.2f}" if result.amount_usd else "-"
        verdict = "[green]as expected[/]" if result.ok else f"[red]{'; '.join(result.wrong)}[/]"
        waited = "for a person" if result.waited else "-"
        table.add_row(result.ticket, result.intent or "-", result.outcome or "-", waited, money, verdict)
    console.print()
    console.print(table, highlight=False)
    for result in results:
        for reason in dict.fromkeys(result.degraded):
            console.print("[yellow]degraded[/]", Text(f"{result.ticket}: {reason}"), highlight=False)
    console.print(
        f"\n[bold]ledger[/bold]  {ledger['refunds']} refunds, ${ledger['total_usd']:,.2f}; "
        f"{ledger['duplicate_refunds']} duplicates; {ledger['mails']} mails; {ledger['dead_letters']} dead letters",
        highlight=False,
    )


def print_messages(console: Console, measured: Measured) -> None:
    """Accuracy, outcomes, failures and throughput of the messages from a file."""
    figures = measured.as_json()
    accuracy = figures["intent_accuracy"]
    console.print(f"[bold]{measured.n} messages[/bold]", highlight=False)
    if accuracy is not None:
        right = f"{measured.right} of {measured.labelled} labels"
        console.print(f"  intents     {accuracy:.1%} ({right})", highlight=False)
    outcomes = ", ".join(f"{name} {count}" for name, count in measured.outcomes.most_common())
    console.print(f"  outcomes    {outcomes or '-'}", highlight=False)
    speed = f"{figures['runs_per_s']} runs/s ({measured.seconds:.1f} s)"
    console.print(f"  throughput  {speed}", highlight=False)
    console.print(f"  failed      {len(measured.failures)}", highlight=False)
    for line in measured.failures[:10]:
        console.print(f"    [red]{line}[/red]", highlight=False)
    for (label, found), count in measured.wrong.most_common(5):
        console.print(f"    [dim]{count} x labelled {label}, found {found}[/dim]", highlight=False)
