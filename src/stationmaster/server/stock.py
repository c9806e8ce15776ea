"""langgraph.json, and the environment variables in which the stock Agent Server gets it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dotenv import dotenv_values

from stationmaster.errors import StationmasterError

CONFIG_NAME = "langgraph.json"
# langgraph.json key -> variable that the server reads it from, as JSON.
SECTIONS = {
    "graphs": "LANGSERVE_GRAPHS",
    "auth": "LANGGRAPH_AUTH",
    "http": "LANGGRAPH_HTTP",
    "webhooks": "LANGGRAPH_WEBHOOKS",
    "store": "LANGGRAPH_STORE",
    "checkpointer": "LANGGRAPH_CHECKPOINTER",
    "ui": "LANGGRAPH_UI",
    "ui_config": "LANGGRAPH_UI_CONFIG",
}


JAVASCRIPT = frozenset({".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"})
COMMUNITY = "community"
# Of the community runtime alone: the in-memory one takes no encryption.
DURABLE_SECTIONS = {**SECTIONS, "encryption": "LANGGRAPH_ENCRYPTION"}
OUR_AUTH = "stationmaster.server.auth:auth"


class BadProject(StationmasterError):
    """The directory holds no langgraph.json that can be served."""


@dataclass(frozen=True)
class Project:
    """A directory with a langgraph.json, read and judged."""

    directory: Path
    config: Mapping[str, Any]
    name: str = CONFIG_NAME

    @property
    def path(self) -> Path:
        """Its langgraph.json."""
        return self.directory / self.name

    @property
    def auth(self) -> str | None:
        """What judges callers: OUR_AUTH, the project's own, or nothing."""
        return (self.config.get("auth") or {}).get("path")

    @property
    def graphs(self) -> list[str]:
        return list(self.config["graphs"])

    @property
    def import_paths(self) -> list[str]:
        """Where graphs are imported from beside what is installed: the project and its local dependencies."""
        local = [
            self.directory / name for name in self.config.get("dependencies", []) if name.startswith(".")
        ]
        return [str(path.resolve()) for path in (self.directory, *local) if path.is_dir()]

    def env(self) -> dict[str, str]:
        """The variables that `env` names: a file (an absent one is empty), or a mapping."""
        env = self.config.get("env") or {}
        values = dotenv_values(self.directory / env) if isinstance(env, str) else env
        return {name: str(value) for name, value in values.items() if value}


def read_project(where: Path) -> Project:
    """The project of a directory, or of a file in one; BadProject says what is wrong with the file, and where."""
    path = where / CONFIG_NAME if where.is_dir() else where
    directory, name = path.parent, path.name
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadProject(
            f"there is no {name} in {directory}: run this in the project's directory, or name the file by --config"
        ) from None
    except json.JSONDecodeError as error:
        raise BadProject(f"{path}:{error.lineno}: {error.msg}: correct it") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadProject(f"{path} can't be read ({error}): correct it") from None
    if not isinstance(config, dict) or not isinstance(config.get("graphs"), dict) or not config["graphs"]:
        raise BadProject(f'{path} names no graphs: add "graphs": {{"name": "package.module:graph"}}')
    return Project(directory.resolve(), config, name)


def require_ours(project: Project) -> None:
    """BadProject for a project that keeps its checkpoints or its store elsewhere, where none could be durable."""
    for name in ("checkpointer", "store"):
        section = project.config.get(name)
        if isinstance(section, dict) and section.get("path"):
            raise BadProject(
                f"{project.path} sets {name}.path: what it keeps would be neither fenced nor durable here. "
                "Remove it, or run `langgraph dev`"
            )


def require_python(project: Project) -> None:
    """BadProject for a project with parts in JavaScript, which write their checkpoints from a process of their own:
    past the fence of the durable server, and not at all under `langgraph dev`'s."""
    specs = {f"graph {name!r}": spec for name, spec in project.config["graphs"].items()}
    specs["http.app"] = (project.config.get("http") or {}).get("app")
    specs["auth.path"] = project.config.get("auth")
    for name, spec in specs.items():
        path = spec.get("path") if isinstance(spec, dict) else spec
        file = path.rpartition(":")[0] or path if isinstance(path, str) else ""
        if Path(file).suffix in JAVASCRIPT:
            raise BadProject(
                f"{project.path}: {name} is JavaScript ({path}), and this server runs Python alone: serve it with "
                "`npx @langchain/langgraph-cli dev` or `langgraph up`, or name a file without it by --config"
            )


def stock_environment(
    project: Project, *, url: str, jobs: int, edition: str, database_uri: str | None = None
) -> dict[str, str]:
    """The variables that `langgraph dev` sets for the server process; a test compares the two.

    `inmem` wants its place-holders for database, Redis and migrations. Blocking calls stay forbidden there.
    `community` keeps everything in `database_uri`.
    """
    wanted = DURABLE_SECTIONS if edition == COMMUNITY else SECTIONS
    sections = {
        name: json.dumps(_located(project.config[key], project.directory))
        for key, name in wanted.items()
        if project.config.get(key)
    }
    if edition == COMMUNITY:
        return {**sections, **_community(url, jobs, database_uri)}
    return {
        **sections,
        "DATABASE_URI": ":memory:",
        "REDIS_URI": "fake",
        "MIGRATIONS_PATH": "__inmem",
        "LANGGRAPH_RUNTIME_EDITION": edition,
        "N_JOBS_PER_WORKER": str(jobs),
        "LANGSMITH_LANGGRAPH_API_VARIANT": "local_dev",
        "LANGGRAPH_API_URL": url,
        "LANGGRAPH_ALLOW_BLOCKING": "false",
        "LANGGRAPH_DISABLE_FILE_PERSISTENCE": "false",
        "LANGGRAPH_UI_BUNDLER": "true",
        # The answer to a private-network preflight is ours to give, to allowed origins only.
        "ALLOW_PRIVATE_NETWORK": "false",
    }


def _located(value: Any, directory: Path) -> Any:
    """A section with the files in it (`./auth.py:auth`) as whole paths: the server does not start in the project."""
    if isinstance(value, dict):
        return {key: _located(part, directory) for key, part in value.items()}
    if not isinstance(value, str):
        return value
    file, colon, name = value.rpartition(":")
    is_file = colon and ("/" in file or file.endswith(".py")) and (directory / file).is_file()
    return f"{(directory / file).resolve()}:{name}" if is_file else value


def _community(url: str, jobs: int, database_uri: str | None) -> dict[str, str]:
    """Not marked as local development, and without the in-memory runtime's `/internal/truncate`."""
    if database_uri is None:
        raise BadProject(
            "the community runtime needs a database: set DATABASE_URI, or unset it for the embedded one"
        )
    return {
        "DATABASE_URI": database_uri,
        "REDIS_URI": "none",  # the stock server wants it set, and asks it nothing under this edition
        "MIGRATIONS_PATH": "none",
        "LANGGRAPH_RUNTIME_EDITION": COMMUNITY,
        "N_JOBS_PER_WORKER": str(jobs),
        "LANGSMITH_LANGGRAPH_API_VARIANT": "",
        "LANGGRAPH_API_URL": url,
        "LANGGRAPH_UI_BUNDLER": "false",
        "ALLOW_PRIVATE_NETWORK": "false",
    }
