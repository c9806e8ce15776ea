"""The `stationmaster` command: mounts the commands, and turns errors into one line and an exit code."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from stationmaster.cli import demo, shop, status, up
from stationmaster.errors import StationmasterError

app = typer.Typer(
    name="stationmaster",
    help="A self-hosted LangGraph deployment.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("demo")(demo.demo)
app.command("up")(up.up)
app.command("status")(status.status)
app.add_typer(shop.app, name="shop")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(version("stationmaster"))
        raise typer.Exit


@app.callback()
def _options(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """A self-hosted LangGraph deployment: stock Agent Server, embedded Postgres, one command."""


def main() -> None:
    """Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 130 Ctrl-C."""
    try:
        app()
    except StationmasterError as error:
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(error.exit_code) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
