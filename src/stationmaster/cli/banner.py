"""What `up` and `status` show of a server, and how they name the model and the database."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from rich.console import Console

from stationmaster.cli.printing import say
from stationmaster.server.edition import words
from stationmaster.server.policy import STUDIO_ORIGIN
from stationmaster.server.stock import OUR_AUTH, Project
from stationmaster.settings import Settings
from stationmaster.tracing.destination import destination

if TYPE_CHECKING:
    from stationmaster.cli.children import Arrangement


def print_banner(
    console: Console,
    plan: "Arrangement",
    *,
    sign_in: str | None,
    logs: Sequence[Path],
    seeded: str | None,
    files: Mapping[str, str],
) -> None:
    """Where everything is, and how to stop it. `sign_in`: the one-time link, or the command that prints one. `files`:
    what became of assistants/ and crons/."""
    settings, url = plan.settings, plan.server_url
    rows = {
        "inbox": plan.console_url,
        **({"sign in": sign_in} if sign_in else {}),
        **({"note": f"the inbox is for this machine only: {plan.refused}"} if plan.refused else {}),
        "API": url,
        "docs": f"{url}/docs",
        "Studio": f"{STUDIO_ORIGIN}/studio/?baseUrl={quote(url, safe=':/')}",
        **({} if settings.studio else {"": "(for Studio start with STATIONMASTER_STUDIO=true)"}),
        "graphs": ", ".join(plan.project.graphs),
        **files,
        "model": model(settings),
        "keys": keys(settings, plan.project),
        "runtime": words(settings.runtime_edition),
        **({"traces": to} if (to := traces(settings)) else {}),
        "database": database(settings),
        "data": str(settings.data_dir),
        "logs": ", ".join(map(str, logs)),
    }
    if seeded:
        rows["shop"] = seeded
    console.print("[bold]Stationmaster is up[/bold]")
    print_rows(console, rows)
    console.print("Ctrl-C stops it.")


def print_rows(console: Console, rows: Mapping[str, object]) -> None:
    """Name and value, as wide as the terminal: what is longer goes on below its beginning. No word is broken, so that a
    URL can be clicked and parsed."""
    for name, value in rows.items():
        say(console, str(value), f"  {name:<9} ")


def print_notes(console: Console, notes: Sequence[str]) -> None:
    """What somebody should know, below a banner."""
    for note in notes:
        say(console, note, "  note: ")


def model(settings: Settings) -> str:
    if settings.openai_api_key is None:
        return "offline:rules, written rules and no language model; set OPENAI_API_KEY for one"
    return (
        f"OpenAI, by OPENAI_API_KEY{f', at {settings.openai_base_url}' if settings.openai_base_url else ''}"
    )


def traces(settings: Settings) -> str | None:
    """Where traces of runs go, host and port only: an address may hold a password, a path a key. None: nowhere."""
    spans = destination(settings)
    to = [f"spans to {spans.shown}{', with prompts and answers' if spans.content else ''}"] if spans else []
    if settings.langsmith_tracing:
        place = urlsplit(settings.langsmith_endpoint).hostname if settings.langsmith_endpoint else None
        to.append(
            f"LangSmith{f' at {place}' if place else ''}, project {settings.langsmith_project or 'default'}"
        )
    return "; ".join(to) or None


def database(settings: Settings) -> str:
    """The place only: a URI may hold a password."""
    if settings.database_uri is None:
        return "embedded Postgres"
    parts = urlsplit(settings.database_uri)
    return f"{parts.hostname or 'local socket'}{f':{parts.port}' if parts.port else ''}{parts.path}"


def keys(settings: Settings, project: Project) -> str:
    """Who is let in."""
    if project.auth not in (None, OUR_AUTH):
        ours = (
            ""
            if settings.api_key
            else "; set STATIONMASTER_API_KEY to one that it takes, for commands and inbox"
        )
        return f"judged by the project's own {project.auth}{ours}"
    if settings.api_keys:
        return f"required; callers: {', '.join(entry.name for entry in settings.api_keys)}"
    return "none configured: open to this machine only"
