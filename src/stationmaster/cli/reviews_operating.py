"""`stationmaster reviews stuck|retry|settle|deliveries`: what an operator sees to, through the console's JSON API."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from stationmaster.cli import reviews_shown as shown
from stationmaster.cli.printing import none, table
from stationmaster.cli.reviews_asking import REFUSED, AsJson, ConsoleUrl, DataDir, Id, end, run, whole_id
from stationmaster.console.client import ConsoleClient, Refused
from stationmaster.reviews import json_text
from stationmaster.reviews.settling import NothingToSettle


class Action(StrEnum):
    """As the API calls them, with dashes."""

    CONTINUE = "continue"
    LOOK_AGAIN = "look-again"
    RETRY = "retry"
    GIVE_UP = "give-up"
    TICK_OFF = "tick-off"


def add_to(app: typer.Typer) -> None:
    """Mount the commands below `reviews`."""
    for command in (stuck, retry, settle, deliveries):
        app.command()(command)


def stuck(as_json: AsJson = False, console_url: ConsoleUrl = None, data_dir: DataDir = None) -> None:
    """List answers that did not arrive as they should, and reviews that a person must look at; the newest thousand."""
    found = run(lambda console: console.get("/operations/stuck", limit=1000), console_url, data_dir)
    if as_json:
        typer.echo(json_text.write(found))
    else:
        shown.print_stuck(Console(), found)


def retry(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Reviews, by id or its beginning.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All that could not be delivered.")] = False,
    assistant: Annotated[
        str | None, typer.Option(help="Send it with this assistant instead (name or id).")
    ] = None,
    note: Annotated[str | None, typer.Option(help="What was mended; it is kept in the audit.")] = None,
    as_json: AsJson = False,
    console_url: ConsoleUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Have answers that could not be delivered tried again now, after their cause was mended.

    None is sent twice: the thread is read first, as at every try. Exit code 3 where one that was named is refused; the
    others are retried all the same.
    """
    if bool(ids) == every:
        raise typer.BadParameter("name reviews, or say --all: `stationmaster reviews stuck` lists them")
    if every and assistant is not None:
        raise typer.BadParameter("name the reviews that go to another assistant: it takes their threads over")

    async def work(console: ConsoleClient) -> tuple[list[dict[str, Any]], list[str]]:
        body = {"action": "retry", "note": note, "assistant": assistant}
        if ids:
            return await _settled(console, [await whole_id(console, given) for given in ids], body)
        moving = await console.reviews("decided")
        failed = [review["id"] for review in moving if review["delivery_error"]]
        return await _settled(console, failed, body, unless=NothingToSettle.code)

    done, refused = run(work, console_url, data_dir)
    if as_json:
        typer.echo(json_text.write(done))
    elif done:
        shown.print_list(Console(), done, len(done))
    elif not refused:
        none(Console(), "no answer is kept from its thread")
    if refused:
        end("\n".join(refused), REFUSED)


async def _settled(
    console: ConsoleClient, ids: list[str], body: Mapping[str, Any], unless: str = ""
) -> tuple[list[dict[str, Any]], list[str]]:
    """The reviews after it was done to each, and what was refused; `unless`: a code of which nothing is said."""
    done, refused = list[dict[str, Any]](), list[str]()
    for one in ids:
        try:
            done.append(await console.post(f"/operations/reviews/{one}/settle", body))
        except Refused as error:
            if error.problem.get("code") != unless:
                refused.append(f"refused: {one[:8]}: {error}")
    return done, refused


def settle(
    review_id: Id,
    action: Annotated[Action, typer.Argument(help="What to do about it.")],
    note: Annotated[str | None, typer.Option(help="What was found out; give-up asks for it.")] = None,
    as_json: AsJson = False,
    console_url: ConsoleUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Do what is safe about a stuck answer. Exit code 3 where it is not safe, or not any more.

    `retry`: try an answer that could not be delivered again, as `reviews retry` does. `continue`:
    run the failed node of a thread again, whose answer was taken, if nothing has moved it since.
    `look-again`: have the worker look now. `give-up`: close an answer that can't be delivered, or of which state shows
    neither arrival nor question. `tick-off`: it was seen to.
    """

    async def work(console: ConsoleClient) -> dict[str, Any]:
        whole = await whole_id(console, review_id)
        body = {"action": action.value.replace("-", "_"), "note": note}
        return await console.post(f"/operations/reviews/{whole}/settle", body)

    try:
        review = run(work, console_url, data_dir)
    except Refused as refused:
        end(f"refused: {refused}", REFUSED)
    else:
        if as_json:
            typer.echo(json_text.write(review))
        else:
            shown.print_outcome(Console(), review)


def deliveries(
    retry: Annotated[int | None, typer.Option(metavar="N", help="Try this failed one again.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Those that were worked on as well.")] = False,
    as_json: AsJson = False,
    console_url: ConsoleUrl = None,
    data_dir: DataDir = None,
) -> None:
    """List webhooks that failed or could not be read, or try one again. Exit code 3 for one that did not fail."""

    async def work(console: ConsoleClient) -> Any:
        if retry is not None:
            return await console.post(f"/operations/deliveries/{retry}/retry")
        states = (None,) if every else ("failed", "unreadable")
        pages = [await console.get("/operations/deliveries", state=state) for state in states]
        return sorted(
            (row for page in pages for row in page["deliveries"]), key=lambda row: -row["delivery_id"]
        )

    try:
        found = run(work, console_url, data_dir)
    except Refused as refused:
        end(f"refused: {refused}", REFUSED)
    else:
        if as_json:
            typer.echo(json_text.write(found))
        elif retry is not None:
            typer.echo(f"{retry} is worked on again")
        elif found:
            Console().print(_table(found))
        else:
            none(Console(), "every webhook was worked on, or waits for its turn")


def _table(rows: list[Mapping[str, Any]]) -> Table:
    made = table(
        "id", "state", "tries", "thread", "what is wrong", right=("tries",), whole=("id", "state", "thread")
    )
    for row in rows:
        thread = (row["thread_id"] or "-")[:8]
        wrong = Text(row["error"] or ("not readable" if row["state"] == "unreadable" else "-"))
        made.add_row(str(row["delivery_id"]), row["state"], str(row["tries"]), thread, wrong)
    return made
