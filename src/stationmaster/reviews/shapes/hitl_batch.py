"""LangChain's HumanInTheLoopMiddleware, one interrupt a message: a decision for each call, in the same order."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Choice, Description, Field, Form, Pending, Resume, Submission
from stationmaster.reviews.shapes import calls, fields, sent
from stationmaster.reviews.shapes.amounts import total
from stationmaster.reviews.shapes.filling import RAW, chosen, filled
from stationmaster.reviews.shapes.same import same
from stationmaster.reviews.shapes.schemas import usable
from stationmaster.reviews.shapes.wording import of_calls

NAME = "hitl_batch"
EACH = "each"
"""The decision of whoever decides about each of several calls."""

UNCONFIGURED = ("approve", "reject")
"""What is offered for a call whose review config does not say: what changes nothing."""


def recognise(pending: Pending) -> bool:
    value = pending.value
    if pending.kind != "interrupt" or pending.response_schema is not None or not isinstance(value, dict):
        return False
    requests, configs = value.get("action_requests"), value.get("review_configs")
    return (
        isinstance(requests, list)
        and isinstance(configs, list)
        and bool(requests)
        and all(_is_request(request) for request in requests)
        and all(isinstance(config, dict) for config in configs)
    )


def _is_request(request: Any) -> bool:
    return (
        isinstance(request, dict)
        and isinstance(request.get("name"), str)
        and isinstance(request.get("args"), dict)
        and isinstance(request.get("description", ""), str)
    )


def describe(pending: Pending) -> Description:
    asked = _calls(pending.value)
    return of_calls(tuple(c.action for c in asked), total(call.args for call in asked), calls.BOILERPLATE)


def form(pending: Pending) -> Form:
    """Of one call its decisions; of several: approve all, reject all, and each by itself."""
    asked = _calls(pending.value)
    if len(asked) == 1:
        return Form(calls.choices(asked[0]))
    each = tuple(made for number, call in enumerate(asked) for made in _fields_of(call, number))
    offered = [Choice(EACH, "Decide each", each)]
    if all("approve" in call.allowed for call in asked):
        offered.insert(0, Choice("approve", f"Approve all {len(asked)}", primary=True))
    else:
        offered[0] = replace(offered[0], primary=True)
    if all("reject" in call.allowed for call in asked):
        offered.append(Choice("reject", f"Reject all {len(asked)}", needs_reason=True, destructive=True))
    return Form(tuple(offered))


def validate(pending: Pending, submission: Submission) -> dict[str, Any]:
    asked = _calls(pending.value)
    if submission.has_raw and _in_shape(submission):
        return {"decisions": _checked(asked, submission)}
    sent = replace(submission, fields=submission.raw) if submission.has_raw else submission
    choice = chosen(form(pending), sent)
    if choice.decision == EACH:
        return {"decisions": _each(asked, choice, sent)}
    return {"decisions": [calls.decided(call, choice, sent) for call in asked]}


def answer(pending: Pending, submission: Submission) -> Resume:
    return Resume("resume", validate(pending, submission))


def edits(pending: Pending, submission: Submission) -> dict[str, Any] | None:
    asked, decisions = _calls(pending.value), validate(pending, submission)["decisions"]
    found = {
        name if len(asked) == 1 else f"{number}.args.{name}": halves
        for number, (call, decision) in enumerate(zip(asked, decisions, strict=True))
        for name, halves in (calls.edits_of(call, decision) or {}).items()
    }
    return found or None


def amount(pending: Pending, submission: Submission) -> float | None:
    """Of the calls that will run."""
    asked, decisions = _calls(pending.value), validate(pending, submission)["decisions"]
    return sent.of_calls(
        made
        for call, decision in zip(asked, decisions, strict=True)
        if (made := calls.run(call, decision)) is not None
    )


def _calls(value: dict[str, Any]) -> list[calls.Call]:
    configs = value["review_configs"]
    return [
        _call(request, _config_of(request["name"], number, configs))
        for number, request in enumerate(value["action_requests"])
    ]


def _call(request: dict[str, Any], config: dict[str, Any]) -> calls.Call:
    named = config.get("allowed_decisions")
    allowed = calls.known(named) if isinstance(named, list) else ()
    schema = config.get("args_schema")  # older versions of the middleware sent the tool's schema
    known = schema if usable(schema) else None
    return calls.Call(
        request["name"],
        request["args"],
        request.get("description"),
        allowed or UNCONFIGURED,
        known,
        known or {},
    )


def _config_of(name: str, number: int, configs: list[dict[str, Any]]) -> dict[str, Any]:
    """By position if the name agrees, else by name: some versions send one config for each tool, not each call."""
    if number < len(configs) and configs[number].get("action_name") == name:
        return configs[number]
    return next((config for config in configs if config.get("action_name") == name), {})


def _fields_of(call: calls.Call, number: int) -> list[Field]:
    """The fields of one of several calls: `0.decision`, `0.args.<argument>`, `0.message`."""
    only = call.allowed[0] if len(call.allowed) == 1 else None
    made = [
        Field(
            f"{number}.decision",
            calls.label(call, number, "decision"),
            "string",
            {"type": "string", "enum": list(call.allowed)},
            value=only,
            required=True,
        )
    ]
    if "edit" in call.allowed:
        made += [
            replace(
                arg,
                name=f"{number}.args.{arg.name}",
                label=calls.label(call, number, arg.name),
                required=False,
            )
            for arg in calls.arg_fields(call)
        ]
    if {"reject", "respond"} & set(call.allowed):
        text = fields.message(f"{number}.message", calls.label(call, number, "message"), required=False)
        made.append(replace(text, help="The reason of a rejection, or the answer in the tool's place."))
    return made


def _each(asked: list[calls.Call], choice: Choice, submission: Submission) -> list[dict[str, Any]]:
    values = filled(choice, submission)
    decisions, problems = [], {}
    for number, call in enumerate(asked):
        prefix = f"{number}."
        own = {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}
        try:
            decisions.append(_one(call, own, submission.reason))
        except AnswerRefused as refused:
            problems |= {f"{prefix}{name or 'decision'}": text for name, text in refused.fields.items()}
    if problems:
        raise AnswerRefused(problems)
    return decisions


def _one(call: calls.Call, values: Mapping[str, Any], reason: str | None) -> dict[str, Any]:
    """The decision about one of several calls; its names are those of `_fields_of` without the number."""
    decision = values.get("decision", call.allowed[0] if len(call.allowed) == 1 else None)
    choice = Form(calls.choices(call)).choice(decision) if isinstance(decision, str) else None
    if choice is None:
        raise AnswerRefused({"decision": f"must be one of {', '.join(call.allowed)}"})
    args = {name.removeprefix("args."): value for name, value in values.items() if name.startswith("args.")}
    message = values.get("message") or reason
    if decision == "edit":
        try:
            return calls.decided(call, choice, Submission("edit", args))
        except AnswerRefused as refused:
            raise AnswerRefused(
                {f"args.{n}" if n else n: text for n, text in refused.fields.items()}
            ) from refused
    shown = {made.name: made.value for made in calls.arg_fields(call)}
    if changed := [name for name, value in args.items() if not same(shown.get(name), value)]:
        raise AnswerRefused({f"args.{name}": f"was changed; choose edit, not {decision}" for name in changed})
    if decision == "respond":
        return calls.decided(call, choice, Submission("respond", {"message": message}))
    try:
        return calls.decided(call, choice, Submission(decision, reason=message))
    except AnswerRefused as refused:
        raise AnswerRefused({"message": refused.fields.get("reason", str(refused))}) from refused


def _in_shape(submission: Submission) -> bool:
    raw = submission.raw
    return submission.decision == RAW or not isinstance(raw, dict) or raw.keys() == {"decisions"}


def _checked(asked: list[calls.Call], submission: Submission) -> list[dict[str, Any]]:
    raw = submission.raw
    decisions = raw.get("decisions") if isinstance(raw, dict) and raw.keys() == {"decisions"} else None
    if not isinstance(decisions, list) or len(decisions) != len(asked):
        raise AnswerRefused(
            {"decisions": f"must be a list of {len(asked)}, one for each call, and nothing beside it"}
        )
    checked, problems = [], {}
    for number, (call, decision) in enumerate(zip(asked, decisions, strict=True)):
        try:
            checked.append(calls.checked(call, decision))
        except AnswerRefused as refused:
            problems |= {
                f"decisions.{number}.{name}".rstrip("."): text for name, text in refused.fields.items()
            }
    if problems:
        raise AnswerRefused(problems)
    kinds = {decision["type"] for decision in checked}
    if submission.decision not in (RAW, EACH) and kinds != {submission.decision}:
        raise AnswerRefused(
            {"decision": f"is `{submission.decision}`, and the answer says {', '.join(sorted(kinds))}"}
        )
    return checked
