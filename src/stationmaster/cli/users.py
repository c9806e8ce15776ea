"""`stationmaster users`: who may sign in, with which roles and groups, and the tokens of programs."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from stationmaster.cli.printing import none, table
from stationmaster.console import record
from stationmaster.errors import StationmasterError
from stationmaster.postgres import ensure
from stationmaster.processes.sockets import local_url
from stationmaster.reviews.access import links, sessions, tokens, users
from stationmaster.reviews.database import Pool, open_pool
from stationmaster.settings import Settings, load_settings

HEADINGS = {
    "has_password": "password", "from_provider": "provider", "created_at": "created", "signed_in_at": "signed in",
    "used_at": "used", "expires_at": "expires",
}  # fmt: skip

# Whoever can run it reaches the database: the audit can name no person.
COMMAND = "command:users"

app = typer.Typer(help="Who may sign in to the console, and what they see there.", no_args_is_help=True)
token_app = typer.Typer(help="Tokens for programs, sent as `Authorization: Bearer`.", no_args_is_help=True)
app.add_typer(token_app, name="token")

DataDir = Annotated[
    Path | None, typer.Option(file_okay=False, help="Where data is kept (default .stationmaster).")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The user's name.")]
Groups = Annotated[
    list[str] | None,
    typer.Option("--group", help="Sees this group's reviews; again for more; * is every one."),
]
Roles = Annotated[
    list[str] | None,
    typer.Option("--role", help="reader, reviewer, editor, lead or admin (default reviewer)."),
]
Label = Annotated[str, typer.Argument(metavar="LABEL", help="What the token is for.")]

T = TypeVar("T")


@app.command()
def add(
    name: Name,
    role: Roles = None,
    group: Groups = None,
    no_password: Annotated[bool, typer.Option("--no-password", help="Only links and tokens get in.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Add a user; the password is asked for, or read from standard input."""
    users.checked_name(name)
    password = None if no_password else _password(twice=True)

    async def work(pool: Pool, _: Settings) -> users.User:
        return await users.add(
            pool, name, roles=role or ["reviewer"], groups=group or [], password=password, by=COMMAND
        )

    added = _run(work, data_dir)
    _print(asdict(added), f"{added.name} added", as_json=as_json)
    if not added.groups and "admin" not in added.roles and not as_json:
        typer.echo(
            f"{added.name} is in no group and sees no review yet: `stationmaster users groups` changes that"
        )


@app.command("list")
def list_(as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List users."""
    found = _run(lambda pool, _: users.everybody(pool), data_dir)
    _print_rows([asdict(user) for user in found], "`stationmaster users add NAME` makes one", as_json=as_json)


@app.command()
def remove(name: Name, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Remove a user with sessions and tokens; what they decided stays on record."""
    _run(lambda pool, _: users.remove(pool, name, by=COMMAND), data_dir)
    _print({"removed": name}, f"{name} removed", as_json=as_json)


@app.command()
def passwd(name: Name, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Set a password, asked for or read from standard input; every session of the user ends."""
    password = _password(twice=True)
    _run(lambda pool, _: users.set_password(pool, name, password, by=COMMAND), data_dir)
    _print({"changed": name}, f"the password of {name} is changed", as_json=as_json)


@app.command("groups")
def groups_(
    name: Name,
    group: Annotated[
        list[str] | None, typer.Argument(metavar="GROUP", help="All the user's groups from now on.")
    ] = None,
    role: Annotated[list[str] | None, typer.Option("--role", help="Roles from now on as well.")] = None,
    no_group: Annotated[bool, typer.Option("--none", help="Take the user out of every group.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show a user's groups and roles, or set them."""

    async def work(pool: Pool, _: Settings) -> users.User:
        if group or no_group:
            await users.set_groups(pool, name, group or [], by=COMMAND)
        if role:
            await users.set_roles(pool, name, role, by=COMMAND)
        return await users.find(pool, name)

    user = _run(work, data_dir)
    said = f"{user.name}: groups {', '.join(user.groups) or 'none'}; roles {', '.join(user.roles)}"
    _print(asdict(user), said, as_json=as_json)


@app.command()
def link(
    name: Name,
    minutes: Annotated[float, typer.Option(min=1, max=24 * 60, help="How long it works.")] = links.MINUTES,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Print a link that signs the user in, once."""

    async def work(pool: Pool, settings: Settings) -> dict[str, Any]:
        made, found = await links.create(pool, name, minutes=minutes)
        base = settings.public_url or _console_url(settings)
        return {"url": links.url(base, made), "user": found.user, "expires_at": found.expires_at}

    made = _run(work, data_dir)
    _print(made, made["url"], as_json=as_json)


@app.command("sign-out")
def sign_out(name: Name, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """End every browser session of a user."""

    async def work(pool: Pool, _: Settings) -> int:
        return await sessions.end_all(pool, (await users.find(pool, name)).name)

    ended = _run(work, data_dir)
    _print({"user": name, "ended": ended}, f"{name} is signed out of {ended} browsers", as_json=as_json)


@token_app.command("create")
def create_token(
    name: Name,
    label: Label,
    days: Annotated[float, typer.Option(min=0, help="Days until it ends; 0: never.")] = tokens.DEFAULT_DAYS,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Make a token, which is shown this once."""
    made, row = _run(
        lambda pool, _: tokens.create(pool, name, label, days=days or None, by=COMMAND), data_dir
    )
    _print({"token": made, **asdict(row)}, made, as_json=as_json)


@token_app.command("list")
def list_tokens(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Only this user's.")] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List tokens, without their secrets."""
    found = _run(lambda pool, _: tokens.of(pool, name), data_dir)
    _print_rows(
        [asdict(token) for token in found], "`stationmaster users token create` makes one", as_json=as_json
    )


@token_app.command("revoke")
def revoke_token(name: Name, label: Label, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """End a token now."""
    _run(lambda pool, _: tokens.revoke(pool, name, label, by=COMMAND), data_dir)
    _print(
        {"revoked": label, "user": name}, f"token {label!r} of {name} opens nothing any more", as_json=as_json
    )


def _console_url(settings: Settings) -> str:
    """Where the console of the data directory is, however it was started; without one, where it would be."""
    running = record.read_record(settings.data_dir)
    if running is not None and record.is_claimed(settings.data_dir):
        return running.url
    return local_url(settings.host, settings.console_port)


def _run(work: Callable[[Pool, Settings], Awaitable[T]], data_dir: Path | None) -> T:
    settings = load_settings()
    if data_dir:
        settings = settings.model_copy(update={"data_dir": data_dir.absolute()})

    async def run() -> T:
        async with open_pool(await ensure(settings), max_size=2) as pool:
            return await work(pool, settings)

    return asyncio.run(run())


def _password(*, twice: bool) -> str:
    """Never an argument: those are in the shell's history and in every process list."""
    if not sys.stdin.isatty():
        line = sys.stdin.readline().rstrip("\r\n")
        if not line:
            raise StationmasterError("no password came: write it to standard input as one line")
        return line
    return typer.prompt("Password", hide_input=True, confirmation_prompt=twice)


def _print(found: Mapping[str, Any], said: str, *, as_json: bool) -> None:
    typer.echo(json.dumps(found, default=_plain) if as_json else said)


def _print_rows(rows: Sequence[Mapping[str, Any]], empty: str, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(rows, default=_plain))
        return
    if not rows:
        none(Console(), empty)
        return
    headings = {name: HEADINGS.get(name, name.replace("_", " ")) for name in rows[0]}
    times = tuple(heading for name, heading in headings.items() if name.endswith("_at"))
    made = table(*headings.values(), whole=times)
    for row in rows:
        made.add_row(*(Text(_cell(value)) for value in row.values()))
    Console().print(made)


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return (
        {None: "", True: "yes", False: "no"}.get(value, str(value)) if not isinstance(value, str) else value
    )


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
