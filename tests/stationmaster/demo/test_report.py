"""What the demonstration prints of its results."""

from io import StringIO

from rich.console import Console

from stationmaster.demo.report import print_results
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
