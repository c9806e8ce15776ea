"""LangChain's HumanInTheLoopMiddleware, one interrupt a tool call: answered with one decision that fits its schema."""

from dataclasses import replace
from typing import Any

from stationmaster.reviews.model import Description, Form, Pending, Resume, Submission
from stationmaster.reviews.shapes import calls, sent
from stationmaster.reviews.shapes.amounts import amount_of
from stationmaster.reviews.shapes.checking import require
from stationmaster.reviews.shapes.filling import chosen
from stationmaster.reviews.shapes.schemas import Schema, branches, constant, resolved, usable
from stationmaster.reviews.shapes.wording import of_calls

NAME = "hitl_call"


def recognise(pending: Pending) -> bool:
    value, schema = pending.value, pending.response_schema
    return (
        pending.kind == "interrupt"
        and isinstance(value, dict)
        and value.get("type") == "tool_approval"
        and isinstance(value.get("tool_call_id"), str)
        and isinstance(value.get("name"), str)
        and isinstance(value.get("args"), dict)
        and isinstance(value.get("description", ""), str)
        and usable(schema)
        and bool(_by_type(schema or {}))
    )


def describe(pending: Pending) -> Description:
    call = _call(pending)
    return of_calls((call.action,), amount_of(call.args), calls.BOILERPLATE)


def form(pending: Pending) -> Form:
    return Form(calls.choices(_call(pending)))


def validate(pending: Pending, submission: Submission) -> dict[str, Any]:
    call = _call(pending)
    schema = pending.response_schema or {}
    if submission.has_raw and calls.in_shape(submission.raw, submission.decision):
        decision = calls.checked(call, submission.raw)
    else:
        sent = replace(submission, fields=submission.raw) if submission.has_raw else submission
        decision = calls.decided(call, chosen(form(pending), sent), sent)
    require(decision, _by_type(schema)[decision["type"]], schema)
    return decision


def answer(pending: Pending, submission: Submission) -> Resume:
    return Resume("resume", validate(pending, submission))


def edits(pending: Pending, submission: Submission) -> dict[str, Any] | None:
    return calls.edits_of(_call(pending), validate(pending, submission))


def amount(pending: Pending, submission: Submission) -> float | None:
    made = calls.run(_call(pending), validate(pending, submission))
    return sent.NOTHING if made is None else sent.of_change(*made)


def _call(pending: Pending) -> calls.Call:
    value, root = pending.value, pending.response_schema or {}
    by_type = _by_type(root)
    args = None
    if "edit" in by_type:
        action = resolved(by_type["edit"].get("properties", {}).get("edited_action"), root)
        args = action.get("properties", {}).get("args")
    return calls.Call(
        name=value["name"],
        args=value["args"],
        description=value.get("description"),
        allowed=calls.known(by_type),
        args_schema=resolved(args, root) if isinstance(args, dict) else None,
        root=root,
    )


def _by_type(root: Schema) -> dict[str, Schema]:
    """The schema of each decision that is allowed; a tool that allows a single one has that one's schema."""
    whole = resolved(root, root)
    found: dict[str, Schema] = {}
    for member in branches(whole, root) or [whole]:
        properties = member.get("properties")
        kind = constant(properties.get("type"), root) if isinstance(properties, dict) else None
        if kind in calls.DECISIONS:
            found[kind] = member
    return found
