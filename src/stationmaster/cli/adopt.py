"""`stationmaster adopt`: what was changed on the server is written into the file. Nothing is sent."""

import json
from difflib import unified_diff
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from stationmaster.cli import reconciled
from stationmaster.cli.diff_shown import print_diff_lines
from stationmaster.cli.reconciled import NO_FILES, ApiUrl, AsJson, DataDir, Named
from stationmaster.reconcile.adopting import adopt as edit_for
from stationmaster.reconcile.diff import Actual
from stationmaster.reconcile.files.proving import put
from stationmaster.reconcile.files.writing import Edit
from stationmaster.reconcile.gateway import Gateway
from stationmaster.settings import load_settings


def adopt(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="support, or assistant/support, or cron/nightly.")
    ],
    target: Named = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the edit and write nothing.")] = False,
    as_json: AsJson = False,
    api_url: ApiUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Write what was changed on the server into its file; comments stay. What has no file gets one."""
    settings = load_settings()
    files = reconciled.read_files(settings)
    server = reconciled.target_for(files, settings, target, api_url, data_dir)
    folders = reconciled.shown(settings.assistants), reconciled.shown(settings.crons)

    async def work(gateway: Gateway) -> Edit:
        return edit_for(name, files, Actual(await gateway.assistants(), await gateway.crons()), folders)

    edit = reconciled.run(server, work, NO_FILES)
    if as_json:
        body = {
            "files": [str(path) for path in edit.texts],
            "adopted": edit.adopted,
            "impossible": edit.impossible,
        }
        typer.echo(json.dumps(body, indent=2))
    else:
        _print(edit)
    if not dry_run:
        put(edit.texts)


def _print(edit: Edit) -> None:
    console = Console()
    for path, text in edit.texts.items():
        console.print(Text(str(path), style="bold"))
        print_diff_lines(console, list(unified_diff(_lines(path), text.splitlines(), lineterm="", n=2))[2:])
    for field in edit.impossible:
        console.print(f"{field} stands in no file: apply puts it back", markup=False)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8-sig").splitlines() if path.exists() else []
