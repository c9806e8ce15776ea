"""From a form and what a person sent to the values of its fields: nothing unknown, nothing that was not editable."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Choice, Field, Form, Submission
from stationmaster.reviews.shapes.checking import TYPE_WORDS, check, json_type
from stationmaster.reviews.shapes.same import same
from stationmaster.reviews.shapes.sendable import require_sendable
from stationmaster.reviews.shapes.text import listed

RAW = "answer"
"""The decision of whoever sends the whole answer as JSON; every shape takes it."""


def chosen(form: Form, submission: Submission) -> Choice:
    """The choice that was made, if it is offered."""
    choice = form.choice(submission.decision)
    if choice is None:
        offered = [choice.decision for choice in form.choices]
        raise AnswerRefused(
            {"decision": f"`{submission.decision}` is not offered here; choose {listed(offered)}"}
        )
    return choice


def filled(choice: Choice, submission: Submission) -> dict[str, Any]:
    """The fields that were sent, by name. What equals the field's value is that value, with its own type.

    A field that was not sent is not in the result. Raises AnswerRefused for unknown fields, for a change of one that
    is not editable, for a missing required one, and for what can't be carried.
    """
    fields = {field.name: field for field in choice.fields}
    problems: dict[str, str] = {}
    values: dict[str, Any] = {}
    for name, value in submission.fields.items():
        field = fields.get(name)
        if field is None:
            known = f"; it has {listed(fields)}" if fields else ", which has none"
            problems[name] = f"is not a field of `{choice.decision}`{known}"
        elif same(field.value, value):
            values[name] = field.value
        elif not field.editable:
            problems[name] = "can't be edited"
        else:
            values[name] = value
    for field in choice.fields:
        if field.name not in submission.fields and field.required and field.value is None:
            problems[field.name] = "is required"
    if problems:
        raise AnswerRefused(problems)
    for name, value in values.items():
        require_sendable(value, name)
    return values


def with_message(choice: Choice, submission: Submission) -> Submission:
    """The reason as the field `message`, where the choice has that field and the form did not fill it."""
    takes = any(field.name == "message" for field in choice.fields)
    if not takes or "message" in submission.fields or submission.reason is None:
        return submission
    return replace(submission, fields={**submission.fields, "message": submission.reason})


def reason_of(submission: Submission, *, required: str | None = None) -> str | None:
    """What was given as the reason; AnswerRefused with `required` as the sentence if there has to be one."""
    reason = submission.reason if submission.reason and submission.reason.strip() else None
    if reason is None and required:
        raise AnswerRefused({"reason": required})
    require_sendable(reason, "reason")
    return reason


def check_field(field: Field, value: Any) -> dict[str, str]:
    """What is wrong with a value for a field that was made from a schema or from a value."""
    schema = {key: inner for key, inner in field.schema.items() if key not in ("nullable", "format")}
    if value is None and field.schema.get("nullable"):
        return {}
    return check(value, schema, schema, field.name)


def check_kinds(before: Mapping[str, Any], after: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Where there is no schema, an edited value keeps the JSON type of the one it replaces; null had none."""
    problems: dict[str, str] = {}
    for key, value in after.items():
        old, new = _kind(before.get(key)), _kind(value)
        if key in before and old not in ("null", new):
            problems[f"{prefix}{key}"] = f"must be {TYPE_WORDS[old]}, as it was, not {TYPE_WORDS[new]}"
    return problems


def _kind(value: Any) -> str:
    kind = json_type(value)
    return "number" if kind == "integer" else kind
