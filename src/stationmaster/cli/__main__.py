"""The `stationmaster` command: mounts the commands, and turns errors into one line and an exit code."""

import sys
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from stationmaster.cli.terminal import harmless
from stationmaster.errors import StationmasterError

# One module of this package each, holding a function of the same name, or an `app` with commands below it.
COMMANDS = (
    "up",
    "serve",
    "status",
    "check",
    "plan",
    "apply",
    "adopt",
    "assistants",
    "crons",
    "reviews",
    "users",
    "console",
    "db",
    "webhooks",
    "demo",
    "shop",
    "travel",
)


class Commands(TyperGroup):
    """Imports a command's module when it is asked for: `up` shall not wait for what only `demo` needs."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"stationmaster.cli.{cmd_name}")
        holder = typer.Typer(add_completion=False)
        holder.callback()(lambda: None)  # with it, a single command stays one below the group
        if hasattr(module, "app"):
            holder.add_typer(module.app, name=cmd_name)
        else:
            holder.command(cmd_name)(getattr(module, cmd_name))
        group: Any = get_command(holder)
        return group.get_command(ctx, cmd_name)


app = typer.Typer(
    name="stationmaster",
    cls=Commands,
    help="A self-hosted LangGraph deployment.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


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
        sys.stderr.write(f"error: {harmless(str(error))}\n")
        raise SystemExit(error.exit_code) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
