"""What pydantic finds wrong in a file, said for whoever wrote it: the line, the key, and what to write instead."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from stationmaster.reconcile.files.secrets import hidden, telling
from stationmaster.yaml_source import Problem, Source


def problem_of(source: Source, model: type[BaseModel], detail: ErrorDetails) -> Problem:
    """`name: ...` at its line; one key more than the file has where a key is missing."""
    location = [step for step in detail["loc"] if not (isinstance(step, str) and "[" in step)]
    name = ".".join(str(step + 1) if isinstance(step, int) else str(step) for step in location) or "the file"
    return source.problem(location, f"{name} {_reason(model, location, detail)}")


def without_secrets(source: Source, problem: Problem) -> Problem:
    """The same, without repeating a secret of that file."""
    return replace(problem, message=hidden(problem.message, [secret for _, secret in telling(source.value)]))


def unknown(what: str, word: str, known: Iterable[str]) -> str:
    """`is no <what>: did you mean x? Write one of ...`"""
    names = list(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    guess = f"did you mean {near[0]}? " if near else ""
    return (
        f"is no {what}: {guess}Write one of {', '.join(names)}" if names else f"is no {what}: there is none"
    )


def shown(value: object) -> str:
    """A value that is short enough to be recognised by it, in brackets."""
    text = repr(value)
    return f"({text}) " if not isinstance(value, dict | list | tuple) and len(text) <= 60 else ""


def _reason(model: type[BaseModel], location: Sequence[int | str], detail: ErrorDetails) -> str:
    holder, hint = _at(model, location)
    match detail["type"]:
        case "extra_forbidden":
            return unknown("key here", str(location[-1]), holder.model_fields)
        case "missing":
            return f"is missing: write {hint}"
        case "value_error":
            reason = str(detail["ctx"]["error"]) if "ctx" in detail else detail["msg"]
            return reason if "rite" in reason else f"{reason}: write {hint}"
        case _:
            message = detail["msg"][:1].lower() + detail["msg"][1:]
            return f"{shown(detail['input'])}can't be used ({message}): write {hint}"


def _at(model: type[BaseModel], location: Sequence[int | str]) -> tuple[type[BaseModel], str]:
    """The model that holds the last step, and what the nearest key above it wants."""
    hint = ""
    for step in location:
        field = model.model_fields.get(str(step))
        if field is None:
            break
        hint = field.description or hint
        below = [
            each
            for each in _types(field.annotation)
            if isinstance(each, type) and issubclass(each, BaseModel)
        ]
        if not below:
            break
        model = below[0]
    return model, hint


def _types(annotation: Any) -> Sequence[Any]:
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
