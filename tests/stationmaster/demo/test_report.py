"""What the demonstration prints of its results."""

from io import StringIO

from rich.console import Console

from stationmaster.demo.report import TicketPrinter, print_results
from stationmaster.demo.run import Result
from stationmaster.shop.ledger import Summary

LEDGER = Summary(refunds=0, duplicate_refunds=0, holds=0, mails=0, dead_letters=0, total_usd=0.0)


def shown(*results: Result) -> str:
    console = Console(file=StringIO(), width=200)
    print_results(console, list(results), LEDGER)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_model_that_is_down_is_named_although_the_rules_answered() -> None:
    down = "model openai:x down: connection failed; used offline:rules"
    answered = Result("blender", "thread", "refund", "refunded", degraded=[down, down])
    assert shown(answered).count(f"degraded blender: {down}\n") == 1


def test_nothing_is_said_of_what_went_well() -> None:
    assert "degraded" not in shown(Result("blender", "thread", "refund", "refunded"))


QUESTION = {"title": "Refund $640.00?", "on_approve": "Refunds it."}


def told(*lines: tuple[str, object]) -> str:
    console = Console(file=StringIO(), width=200)
    printer = TicketPrinter(console)
    for kind, what in lines:
        printer(kind, what)
    printer.close()
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_draft_is_called_one_and_what_was_sent_instead_shows() -> None:
    drafted = ("token", "You get $640."), ("node", "draft_reply"), ("waiting", QUESTION)
    shown = told(*drafted, ("answered", "edit by ann"), ("sent", "You get $600."))
    assert shown.index("You get $640.") < shown.index("draft (not sent)") < shown.index("waits for a person")
    assert "sent instead of the draft:\n  You get $600." in shown
    assert "instead of the draft" not in told(
        *drafted, ("answered", "approve by ann"), ("sent", "You get $640.")
    )
