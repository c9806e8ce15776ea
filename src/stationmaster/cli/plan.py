"""`stationmaster plan`: how the server differs from the files. It changes nothing."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from stationmaster.cli import reconciled
from stationmaster.cli.plan_shown import body_of, print_plan
from stationmaster.cli.reconciled import ApiUrl, AsJson, DataDir, KeepDrift, Named, Prune
from stationmaster.reconcile import saved
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.markdown import markdown
from stationmaster.reconcile.plan import Plan
from stationmaster.reconcile.reconciling import Wish, desired_of, look
from stationmaster.reconcile.remarks import remarks
from stationmaster.settings import load_settings


def plan(
    target: Named = None,
    as_json: AsJson = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown, for a pull request.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Keep the plan, for `apply --plan FILE`.")
    ] = None,
    prune: Prune = False,
    keep_drift: KeepDrift = False,
    api_url: ApiUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Show how the server differs from assistants/ and crons/. Exit code 2: the files are wrong."""
    settings = load_settings()
    files = reconciled.read_files(settings)

    async def work(gateway: Gateway) -> tuple[Plan, list[str]]:
        wish = Wish(await desired_of(files, gateway), prune=prune, keep_drift=keep_drift)
        made = await look(wish, gateway)
        return made, list(remarks(made, await gateway.server()))

    with reconciled.problems_as_json(asked=as_json):
        server = reconciled.target_for(files, settings, target, api_url, data_dir)
        made, said = reconciled.run(server, work, files)
    if out is not None:
        out.write_text(saved.text_of(made, keep_drift=keep_drift), encoding="utf-8")
        said.append(f"Kept in {out}: `stationmaster apply --plan {out}` carries out exactly this.")
    if as_json:
        typer.echo(json.dumps(body_of(made, said), indent=2, ensure_ascii=False))
    elif as_markdown:
        typer.echo(markdown(made, said), nl=False)
    else:
        print_plan(Console(), made, said)
