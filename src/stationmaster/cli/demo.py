"""`stationmaster demo`: six tickets, or a file of real messages, through the support graph."""

import asyncio
import json
import secrets
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from langgraph_sdk.client import LangGraphClient
from rich.console import Console
from rich.progress import Progress

from agents.support.rules.labels import bitext_intents
from stationmaster.cli.banner import model
from stationmaster.cli.status import graphs_of
from stationmaster.cli.target import client, find_target
from stationmaster.demo import report
from stationmaster.demo.answering import Answering
from stationmaster.demo.consoles import answering_of, require_console
from stationmaster.demo.host import hosted
from stationmaster.demo.messages import Labelled, Measured, read_messages, run_messages
from stationmaster.demo.run import GRAPH, Result, assistant_of, run_ticket
from stationmaster.demo.tickets import Ticket, tickets
from stationmaster.errors import StationmasterError
from stationmaster.postgres import ensure, release
from stationmaster.settings import Settings, load_settings
from stationmaster.shop import ledger
from stationmaster.shop.demo import place_orders


def demo(
    data_dir: Annotated[
        Path | None, typer.Option(file_okay=False, help="Whose server and shop (default .stationmaster).")
    ] = None,
    api_url: Annotated[str | None, typer.Option(help="A server elsewhere, instead.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Leave the ticket that needs a person to you, in the inbox.")
    ] = False,
    messages: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="A CSV file with columns utterance and intent, as well."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first messages of the file.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=200, help="Messages under way at once.")] = 20,
) -> None:
    """Send six tickets through the support agent, approve the one that waits, show the ledger.

    The approval goes through the review service where a console runs, else straight to the server; --wait leaves it to
    you. Exit code 0 only if every ticket came to what it must, and every refund happened once.
    """
    settings = load_settings()
    if data_dir:
        settings = settings.model_copy(update={"data_dir": data_dir.absolute()})
    if limit and not messages:
        raise typer.BadParameter("--limit counts messages: name their file with --messages")
    rows = read_messages(messages, dict(bitext_intents()), limit) if messages else []
    console = Console(stderr=as_json, quiet=as_json)
    found = asyncio.run(_demo(settings, api_url, data_dir, console, rows, concurrency, wait=wait))
    if as_json:
        typer.echo(json.dumps(found))
    if not found["ok"]:
        raise typer.Exit(1)


async def _demo(
    settings: Settings,
    api_url: str | None,
    data_dir: Path | None,
    console: Console,
    rows: list[Labelled],
    concurrency: int,
    *,
    wait: bool,
) -> dict[str, Any]:
    """Run it on a server, and return the object that `--json` prints."""
    prefix = f"demo-{secrets.token_hex(3)}-"
    console.print(f"model: {model(settings)}", style="dim", highlight=False)
    if wait:
        require_console(settings, find_target(settings, api_url, data_dir))
    tell = partial(console.print, style="dim", highlight=False)
    async with hosted(settings, api_url, data_dir, tell) as target, client(target) as sdk:
        if GRAPH not in await graphs_of(target):
            raise StationmasterError(f"{target.url} serves no graph {GRAPH}: name a server of this project")
        assistant = await assistant_of(sdk)
        uri = await ensure(settings)
        try:
            wanted = tickets(await place_orders(uri))
            async with answering_of(settings, target, wait=wait) as answering:
                results = await _tickets(sdk, assistant, wanted, prefix, console, answering)
            left = await ledger.summary(uri, prefix)
        finally:
            await release(settings)
        report.print_results(console, results, left)
        measured = await _messages(sdk, assistant, rows, f"{prefix}m", concurrency, console) if rows else None
    ok = all(result.ok for result in results) and _adds_up(wanted, results, left)
    found: dict[str, Any] = {"ok": ok, "tickets": [asdict(result) for result in results], "ledger": left}
    if measured:
        report.print_messages(console, measured)
        found |= {"ok": ok and not measured.failures, "messages": measured.as_json()}
    return found


def _adds_up(wanted: list[Ticket], results: list[Result], left: ledger.Summary) -> bool:
    """Every refund once, and nothing beside them. Mails are known only where nobody decided otherwise."""
    refunds = [result.amount_usd for result in results if result.amount_usd]
    as_planned = all(
        result.amount_usd == ticket.refund_usd for result, ticket in zip(results, wanted, strict=True)
    )
    return (
        left["duplicate_refunds"] == 0
        and left["refunds"] == len(refunds)
        and round(left["total_usd"], 2) == round(sum(refunds), 2)
        and (not as_planned or left["mails"] == sum(ticket.mails for ticket in wanted))
    )


async def _tickets(
    sdk: LangGraphClient,
    assistant: str,
    wanted: list[Ticket],
    prefix: str,
    console: Console,
    answering: Answering | None,
) -> list[Result]:
    results = []
    for ticket in wanted:
        report.print_ticket(console, ticket)
        printer = report.TicketPrinter(console)
        ticket_id = f"{prefix}{ticket.name}"
        results.append(await run_ticket(sdk, ticket, ticket_id, printer, answering, assistant=assistant))
        printer.close()
    return results


async def _messages(
    sdk: LangGraphClient,
    assistant: str,
    rows: list[Labelled],
    prefix: str,
    concurrency: int,
    console: Console,
) -> Measured:
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("messages", total=len(rows))
        return await run_messages(
            sdk, rows, prefix, concurrency, lambda: progress.advance(task), assistant=assistant
        )
