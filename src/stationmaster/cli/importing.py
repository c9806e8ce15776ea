"""What an import prints: a line a table, or a line for all that is wrong."""

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any

import typer

from stationmaster.cli.terminal import harmless
from stationmaster.shop.load import Counts
from stationmaster.shop.reading import ImportRefused


def run_import(importing: Coroutine[Any, Any, Mapping[str, Counts]]) -> Mapping[str, Counts]:
    """Import, and say what was done. Raises ImportRefused, after its problems were listed."""
    try:
        done = asyncio.run(importing)
    except ImportRefused as refused:
        for problem in refused.problems:
            typer.echo(harmless(str(problem)), err=True)
        raise
    for table, counts in done.items():
        name = table.replace("_", " ")
        typer.echo(f"{name}: {counts.added} added, {counts.changed} changed, {counts.unchanged} as they were")
    return done
