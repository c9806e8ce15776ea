"""How one part of the benchmark is run by itself: its options, a database of its own, and a table or --json."""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from rich.console import Console

from stationmaster.postgres import embedded, migrate
from stationmaster.shop.seed import seed

Figures: TypeAlias = dict[str, Any]
Measure: TypeAlias = Callable[[str, Path, argparse.Namespace], Awaitable[Figures]]
"""(URI of a migrated database, an empty directory, the options) -> what was measured."""
Options: TypeAlias = Mapping[str, tuple[Any, str]]
"""Name -> (default, help); the default's type is the option's."""
JSON = "one object instead of a table"


def parser_for(prog: str, about: str | None, options: Options) -> argparse.ArgumentParser:
    """A parser of these options, and of --json."""
    parser = argparse.ArgumentParser(prog=prog, description=about)
    for name, (default, said) in options.items():
        parser.add_argument(f"--{name}", type=type(default), default=default, help=f"{said} ({default})")
    parser.add_argument("--json", action="store_true", help=JSON)
    return parser


def show(
    figures: Figures, asked: argparse.Namespace, print_table: Callable[[Figures, Console], None]
) -> None:
    """As JSON, or for people."""
    if asked.json:
        print(json.dumps(figures, indent=2))
    else:
        print_table(figures, Console())


def alone(
    parser: argparse.ArgumentParser,
    measure: Measure,
    print_table: Callable[[Figures, Console], None],
    *,
    failed: Callable[[Figures], Any] = lambda figures: False,
    arguments: list[str] | None = None,
) -> int:
    """Measure with a database of its own, with the shop seeded, and show it; exit code 1 where `failed` says so."""
    asked = parser.parse_args(arguments)
    figures = asyncio.run(_measured(measure, asked))
    show(figures, asked, print_table)
    return 1 if failed(figures) else 0


async def _measured(measure: Measure, asked: argparse.Namespace) -> Figures:
    with embedded.temporary() as uri, tempfile.TemporaryDirectory() as directory:
        await migrate(uri)
        await seed(uri)
        return await measure(uri, Path(directory), asked)
