"""Where a setting's value came from, and how a bad one is reported: the variable, the place, the way out."""

import difflib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from dotenv.parser import parse_stream
from pydantic import AliasChoices, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource

from stationmaster.errors import StationmasterError

ENV_FILE = ".env"
OWN_PREFIX = "STATIONMASTER_"
MEMORY = ":memory:"
DATABASE = ("STATIONMASTER_DATABASE_URI", "DATABASE_URI")

T = TypeVar("T", bound=BaseSettings)


class SettingsError(StationmasterError):
    """A setting that can't be used."""


def databases_first(*sources: PydanticBaseSettingsSource) -> tuple[Callable[[], dict[str, Any]], ...]:
    """The sources, with DATABASE_URI looked up apart: our own name wins over the common one in whatever place.

    `langgraph dev` and the server images set the common one for themselves; `:memory:` is no database to us.
    """

    def database() -> dict[str, Any]:
        for name in DATABASE:
            for source in sources:
                value = source.env_vars.get(name) if isinstance(source, EnvSettingsSource) else None
                if value and value != MEMORY:
                    return {name: value}
        return {}

    def without(source: PydanticBaseSettingsSource) -> Callable[[], dict[str, Any]]:
        return lambda: {
            name: value for name, value in source().items() if name not in (*DATABASE, "database_uri")
        }

    return database, *map(without, sources)


def load(model: type[T]) -> T:
    """The model filled from the environment and `.env`, or SettingsError."""
    env_file = _read_env_file(Path(ENV_FILE))
    _refuse_unknown(model, env_file)
    try:
        return model()
    except ValidationError as error:
        raise _explained(model, env_file, error) from None


def variables(model: type[BaseSettings]) -> dict[str, tuple[str, ...]]:
    """The environment variables of each field, in the order in which they count."""
    return {name: _aliases(field.validation_alias) for name, field in model.model_fields.items()}


def _aliases(alias: object) -> tuple[str, ...]:
    if isinstance(alias, AliasChoices):
        return tuple(choice for choice in alias.choices if isinstance(choice, str))
    return (alias,) if isinstance(alias, str) else ()


def _read_env_file(path: Path) -> Mapping[str, int]:
    """The line on which each variable of `.env` is set to something."""
    try:
        with path.open(encoding="utf-8") as stream:
            bindings = list(parse_stream(stream))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{ENV_FILE} can't be read ({error}): correct it, or remove it") from None
    if bad := [binding for binding in bindings if binding.error]:
        line = bad[0].original.line
        raise SettingsError(f"{ENV_FILE} line {line} is no NAME=value line: correct it, or put # before it")
    return {binding.key: binding.original.line for binding in bindings if binding.key and binding.value}


def _refuse_unknown(model: type[BaseSettings], env_file: Mapping[str, int]) -> None:
    """A misspelt variable would be ignored in silence."""
    known = [alias for aliases in variables(model).values() for alias in aliases]
    for name in sorted({*os.environ, *env_file}):
        if name.startswith(OWN_PREFIX) and name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
            raise SettingsError(
                f"{name} ({_place(name, env_file)}) is no setting: did you mean {near[0]}? Rename or remove it"
            )


def _explained(
    model: type[BaseSettings], env_file: Mapping[str, int], error: ValidationError
) -> SettingsError:
    """One line for the first thing wrong; the value is not repeated, for it may be a secret."""
    first = error.errors(include_input=False, include_url=False)[0]
    aliases = variables(model)
    field = next((name for name, names in aliases.items() if first["loc"][0] in (name, *names)), None)
    names = aliases[field] if field else (str(first["loc"][0]),)
    name = next((name for name in names if _in_environment(name) or name in env_file), names[0])
    reason = first["msg"].removeprefix("Value error, ")
    return SettingsError(
        f"{name} ({_place(name, env_file)}): {reason}: correct it; .env.example describes it"
    )


def _place(name: str, env_file: Mapping[str, int]) -> str:
    if _in_environment(name) or name not in env_file:
        return "in the environment"
    return f"{ENV_FILE} line {env_file[name]}"


def _in_environment(name: str) -> bool:
    return os.environ.get(name, "") not in ("", MEMORY)
