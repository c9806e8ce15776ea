"""`stationmaster reviews`: what waits for a person, and its answer, in a terminal; through the console's JSON API."""

import json
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from stationmaster.cli import reviews_operating
from stationmaster.cli import reviews_shown as shown
from stationmaster.cli.answers import Answer, answer_for
from stationmaster.cli.reviews_asking import (
    ALL_TABS,
    OPEN_TABS,
    REFUSED,
    AsJson,
    ConsoleUrl,
    DataDir,
    Id,
    end,
    run,
    whole_id,
)
from stationmaster.console.client import TAKEN, ConsoleAway, ConsoleClient, Refused
from stationmaster.reviews import audit, json_text
from stationmaster.settings import load_settings

app = typer.Typer(
    help="What waits for a person: look at it, answer it, see what came of it.", no_args_is_help=True
)
audit_app = typer.Typer(help="The record of who saw, decided and was told what.", no_args_is_help=True)
app.add_typer(audit_app, name="audit")
reviews_operating.add_to(app)

ROWS = 50


@app.command("list")
def list_(
    every: Annotated[bool, typer.Option("--all", help="Answered and closed ones as well.")] = False,
    graph: Annotated[str | None, typer.Option(help="Only this graph's.")] = None,
    thread: Annotated[str | None, typer.Option(help="Only this thread's.")] = None,
    search: Annotated[str | None, typer.Option(help='Words, "phrases" and -words.')] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many (default 50; --json: all).")
    ] = None,
    as_json: AsJson = False,
    console_url: ConsoleUrl = None,
    data_dir: DataDir = None,
) -> None:
    """List what waits for an answer, what is due first."""
    most = limit or (None if as_json else ROWS)
    filters = {"graph": graph, "thread_id": thread, "q": search}

    async def work(console: ConsoleClient) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for tab in ALL_TABS if every else OPEN_TABS:
            left = None if most is None else most + 1 - len(found)
            if left is None or left > 0:
                found += await console.reviews(tab, most=left, **filters)
        return found

    found = run(work, console_url, data_dir)
    if as_json:
        typer.echo(json_text.write(found if most is None else found[:most]))
    else:
        shown.print_list(Console(), found, most or ROWS)


@app.command()
def show(
    review_id: Id, as_json: AsJson = False, console_url: ConsoleUrl = None, data_dir: DataDir = None
) -> None:
    """Show one review: what is asked, how it can be answered, what has happened."""

    async def work(console: ConsoleClient) -> dict[str, Any]:
        review = await console.get(f"/reviews/{await whole_id(console, review_id)}")
        history = await console.get(f"/reviews/{review['id']}/history")
        return {**review, "history": history, "result": await _result(console, review)}

    review = run(work, console_url, data_dir)
    if as_json:
        typer.echo(json_text.write(review))
    else:
        shown.print_review(Console(), review)


async def _result(console: ConsoleClient, review: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What came of the answer; None as long as the graph has not taken one, or where the server does not say."""
    if not review["consumed_at"]:
        return None
    try:
        return await console.get(f"/reviews/{review['id']}/result")
    except ConsoleAway:
        return None


@app.command()
def decide(
    review_id: Id,
    approve: Annotated[bool, typer.Option("--approve", help="Yes, as proposed.")] = False,
    reject: Annotated[str | None, typer.Option(metavar="REASON", help="No, and why.")] = None,
    edit: Annotated[str | None, typer.Option(metavar="JSON", help="Yes, with these changes.")] = None,
    answer: Annotated[str | None, typer.Option(metavar="JSON", help="The whole answer.")] = None,
    timeout: Annotated[float, typer.Option(min=0, help="Seconds to wait until the graph took it.")] = 60,
    as_json: AsJson = False,
    console_url: ConsoleUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Answer a review, once, and wait until the graph has taken the answer.

    Exit code 0: taken (or kept for a second person); 3: refused, with who was first and when; 1: not taken in time.
    """
    given = Answer.of(approve=approve, reject=reject, edit=edit, answer=answer)

    async def work(console: ConsoleClient) -> tuple[dict[str, Any], Refused | None]:
        review = await console.get(f"/reviews/{await whole_id(console, review_id)}")
        try:
            after = await console.decide(review["id"], **answer_for(review, given))
        except Refused as refused:
            return await console.get(f"/reviews/{review['id']}"), refused
        return await console.settled(review["id"], timeout) if after["decided_by"] else after, None

    review, refused = run(work, console_url, data_dir)
    if as_json:
        told = {"refused": refused.problem} if refused else {}
        typer.echo(json_text.write({**review, **told}))
    else:
        shown.print_outcome(Console(), review)
        if not refused and (said := kept(review)):
            typer.echo(said)
    _exit_with(review, refused)


def kept(review: Mapping[str, Any]) -> str | None:
    """What to say of an answer that is the first of two; None of any other."""
    if review["state"] != "open" or review["first_by"] is None:
        return None
    return "kept: waits for a second person (`stationmaster users add NAME --group GROUP` makes one)"


def _exit_with(review: Mapping[str, Any], refused: Refused | None) -> None:
    """What became of an answer, as exit code and, where it is not what was wanted, as a line."""
    if refused:
        end(f"refused: {refused}", REFUSED)
    if review["state"] in TAKEN or kept(review):
        return
    if review["state"] in ("decided", "sent"):
        kept_for = "the answer is kept, and goes out when the Agent Server takes it"
        why = review["delivery_error"] or review["note"] or kept_for
        end(f"not taken yet: {why}: `stationmaster reviews show {review['id']}` tells more", 1)
    why = review["error"] or review["note"] or review["state"].replace("_", " ")
    end(f"refused: the answer had no effect ({why}): look at the review again", REFUSED)


@app.command()
def drift(as_json: AsJson = False, console_url: ConsoleUrl = None, data_dir: DataDir = None) -> None:
    """What the sweep found that no webhook had told, and how far behind it is."""
    found = run(lambda console: console.get("/operations/drift"), console_url, data_dir)
    if as_json:
        typer.echo(json.dumps(found))
    else:
        shown.print_drift(Console(), found)


@audit_app.command("export")
def export_(
    output: Annotated[
        Path | None, typer.Option(dir_okay=False, help="A file (default: standard output).")
    ] = None,
    console_url: ConsoleUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Write the whole audit as JSON lines, to be kept elsewhere and verified there."""

    async def work(console: ConsoleClient) -> int:
        count = 0
        async with console.lines("/audit/export") as lines:
            target = output.open("w", encoding="utf-8", newline="\n") if output else nullcontext(sys.stdout)
            with target as stream:
                async for line in lines:
                    stream.write(line)
                    count += 1
        return count

    count = run(work, console_url, data_dir)
    if output:
        typer.echo(f"{count} lines in {output}")


@audit_app.command()
def verify(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            dir_okay=False,
            exists=True,
            help="An export (default: what the console has now).",
        ),
    ] = None,
    as_json: AsJson = False,
    console_url: ConsoleUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Check that nothing in the audit was changed, removed or put in between. Exit code 1 where it was.

    An export is checked without any database; with STATIONMASTER_AUDIT_KEY also that its end is what was signed.
    """
    secret = load_settings().audit_key
    key = secret.get_secret_value() if secret else None
    if file is None:
        verdict = run(partial(_read_audit, key=key), console_url, data_dir)
    else:
        with file.open(encoding="utf-8", newline="\n") as lines:
            verdict = audit.verify(lines, key=key)
    holds = isinstance(verdict, audit.Verified)
    if as_json:
        typer.echo(json.dumps({"ok": holds, "said": str(verdict), **asdict(verdict)}))
    else:
        typer.echo(f"{'whole' if holds else 'BROKEN'}: {verdict}")
    if not holds:
        raise typer.Exit(1)


async def _read_audit(console: ConsoleClient, *, key: str | None) -> audit.Verified | audit.Broken:
    """Checked here and not by the console: whoever asks need not believe it."""
    async with console.lines("/audit/export") as lines:
        verifier = audit.Verifier(key=key)
        async for line in lines:
            verifier.take(line)
    return verifier.verdict()
