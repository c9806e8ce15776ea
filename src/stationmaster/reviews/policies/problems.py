"""What pydantic finds wrong, said for whoever wrote the file: the line, the key, and what to write instead."""

import difflib

from pydantic import BaseModel
from pydantic_core import ErrorDetails
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from stationmaster.reviews.policies.format import (
    Condition,
    Expiry,
    Hours,
    Match,
    Notify,
    Policy,
    PolicyFile,
    Terms,
    TwoPeople,
)
from stationmaster.yaml_source import Location, Problem, line_of

_MODELS: tuple[type[BaseModel], ...] = (
    PolicyFile, Policy, Terms, Match, Condition, TwoPeople, Expiry, Notify, Hours,
)  # fmt: skip
_KEYS: dict[type[BaseModel], list[str]] = {
    model: [field.alias or name for name, field in model.model_fields.items()] for model in _MODELS
}
_HINTS = {
    field.alias or name: field.description for model in _MODELS for name, field in model.model_fields.items()
}
_NOTHING = object()


def problem_of(shown: str, tree: object, detail: ErrorDetails) -> Problem:
    location = _written(tree, detail["loc"])
    name = ".".join(str(step + 1) if isinstance(step, int) else step for step in location) or "the file"
    return Problem(shown, line_of(tree, location), f"{name} {_reason(detail, location)}")


def _below(node: object, step: int | str) -> object:
    if isinstance(node, CommentedMap) and step in node:
        return node[step]
    if isinstance(node, CommentedSeq) and isinstance(step, int) and step < len(node):
        return node[step]
    return _NOTHING


def _written(tree: object, location: Location) -> tuple[int | str, ...]:
    """The location as far as the file has it, and one key more when that one is missing."""
    steps: list[int | str] = []
    node = tree
    for step in location:
        steps.append(step)
        below = _below(node, step)
        if below is not _NOTHING:
            node = below
        elif isinstance(node, CommentedMap):
            break
        else:
            steps.pop()  # a step that exists in our models alone, of a value written short
    return tuple(steps)


def _reason(detail: ErrorDetails, location: Location) -> str:
    hint = next(
        (_HINTS[step] for step in reversed(location) if isinstance(step, str) and _HINTS.get(step)), None
    )
    match detail["type"]:
        case "extra_forbidden":
            return _unknown(str(location[-1]), detail["loc"])
        case "missing":
            return f"is missing: write {hint}"
        case "value_error":
            reason = str(detail["ctx"]["error"]) if "ctx" in detail else detail["msg"]
            return reason if "write" in reason else f"{_shown(detail)}{reason}: write {hint}"
        case _:
            return f"{_shown(detail)}can't be used ({_lower(detail['msg'])}): write {hint}"


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def _shown(detail: ErrorDetails) -> str:
    """The value, if it is short enough to be recognised by it."""
    value = detail["input"]
    text = repr(value)
    return f"({text}) " if not isinstance(value, dict | list | tuple) and len(text) <= 60 else ""


def _unknown(key: str, location: Location) -> str:
    known = _KEYS[_model_at(location[:-1])]
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    guess = f"did you mean {near[0]}? " if near else ""
    return f"is no key here: {guess}Write one of {', '.join(known)}"


def _model_at(location: Location) -> type[BaseModel]:
    """The model that lies at a location of a file."""
    below = {"match": Match, "two_people": TwoPeople, "on_expiry": Expiry, "notify": Notify, "hours": Hours}
    names = [step for step in location if isinstance(step, str)]
    if not names:
        return PolicyFile
    if "payload" in names[:-1]:
        return Condition
    return below.get(names[-1], Policy if names[0] == "policies" else Terms)
