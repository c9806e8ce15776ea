"""The shape of Agent Inbox: a HumanInterrupt, or a list of them, answered with a list of as many responses."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Choice, Description, Field, Form, Pending, Resume, Submission
from stationmaster.reviews.shapes import calls, fields, sent
from stationmaster.reviews.shapes import inbox_request as one
from stationmaster.reviews.shapes.amounts import total
from stationmaster.reviews.shapes.filling import RAW, chosen, filled
from stationmaster.reviews.shapes.same import same
from stationmaster.reviews.shapes.text import listed
from stationmaster.reviews.shapes.wording import of_calls

NAME = "agent_inbox"
EACH = "each"
"""The decision of whoever decides about each of several requests."""


def recognise(pending: Pending) -> bool:
    """Every item of a list has to be a request: a response is owed to each."""
    if pending.kind != "interrupt" or pending.response_schema is not None:
        return False
    asked = _requests(pending.value)
    return bool(asked) and all(map(one.is_request, asked))


def describe(pending: Pending) -> Description:
    asked = _requests(pending.value)
    amount = total({"args": one.args_of(request)} for request in asked)
    return of_calls(tuple(map(one.action, asked)), amount, calls.BOILERPLATE)


def form(pending: Pending) -> Form:
    """Of one request its decisions; of several: approve all, ignore all, and each by itself."""
    asked = _requests(pending.value)
    if len(asked) == 1:
        return Form(one.choices(asked[0]))
    offered = [
        Choice(
            EACH,
            "Decide each",
            tuple(made for n, request in enumerate(asked) for made in _fields(request, n)),
        )
    ]
    if all("approve" in one.allowed(request) for request in asked):
        offered.insert(0, Choice("approve", f"Approve all {len(asked)}", primary=True))
    else:
        offered[0] = replace(offered[0], primary=True)
    if all("ignore" in one.allowed(request) for request in asked):
        offered.append(Choice("ignore", f"Ignore all {len(asked)}", destructive=True))
    return Form(tuple(offered))


def validate(pending: Pending, submission: Submission) -> list[dict[str, Any]]:
    asked = _requests(pending.value)
    if submission.has_raw and _in_shape(submission):
        return _checked(asked, submission, [choice.decision for choice in form(pending).choices])
    sent = replace(submission, fields=submission.raw) if submission.has_raw else submission
    choice = chosen(form(pending), sent)
    if choice.decision == EACH:
        return _each(asked, choice, sent)
    return [one.decided(request, choice, sent) for request in asked]


def answer(pending: Pending, submission: Submission) -> Resume:
    return Resume("resume", validate(pending, submission))


def edits(pending: Pending, submission: Submission) -> dict[str, Any] | None:
    asked, responses = _requests(pending.value), validate(pending, submission)
    found = {
        name if len(asked) == 1 else f"{number}.args.{name}": halves
        for number, (request, response) in enumerate(zip(asked, responses, strict=True))
        for name, halves in (one.edits_of(request, response) or {}).items()
    }
    return found or None


def amount(pending: Pending, submission: Submission) -> float | None:
    """Of the requests that are accepted or edited; None where one is answered in words."""
    asked, responses = _requests(pending.value), validate(pending, submission)
    if any(response["type"] == one.TYPES["respond"] for response in responses):
        return None
    return sent.of_calls(
        one.run(request, response) for request, response in zip(asked, responses, strict=True)
    )


def _requests(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _fields(request: one.Request, number: int) -> list[Field]:
    """The fields of one of several requests: `0.decision`, `0.args.<argument>`, `0.message`."""
    names = one.allowed(request)
    only = names[0] if len(names) == 1 else None
    schema = {"type": "string", "enum": list(names)}
    made = [
        Field(
            f"{number}.decision",
            _label(request, number, "decision"),
            "string",
            schema,
            value=only,
            required=True,
        )
    ]
    if "edit" in names:
        made += [
            replace(arg, name=f"{number}.args.{arg.name}", label=_label(request, number, arg.name))
            for arg in one.arg_fields(request)
        ]
    if "respond" in names:
        made.append(
            fields.message(f"{number}.message", _label(request, number, "answer"), required=only == "respond")
        )
    return made


def _label(request: one.Request, number: int, part: str) -> str:
    return calls.numbered(one.name_of(request), number, part)


def _each(asked: list[one.Request], choice: Choice, submission: Submission) -> list[dict[str, Any]]:
    values = filled(choice, submission)
    responses, problems = [], {}
    for number, request in enumerate(asked):
        prefix = f"{number}."
        own = {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}
        try:
            responses.append(_one(request, own))
        except AnswerRefused as refused:
            problems |= {f"{prefix}{name or 'decision'}": text for name, text in refused.fields.items()}
    if problems:
        raise AnswerRefused(problems)
    return responses


def _one(request: one.Request, values: Mapping[str, Any]) -> dict[str, Any]:
    """The response to one of several; its names are those of `_fields` without the number."""
    names = one.allowed(request)
    decision = values.get("decision", names[0] if len(names) == 1 else None)
    choice = Form(one.choices(request)).choice(decision) if isinstance(decision, str) else None
    if choice is None:
        raise AnswerRefused({"decision": f"must be one of {listed(names)}"})
    args = {name.removeprefix("args."): value for name, value in values.items() if name.startswith("args.")}
    if decision == "edit":
        try:
            return one.decided(request, choice, Submission("edit", args))
        except AnswerRefused as refused:
            told = {f"args.{name}" if name else name: text for name, text in refused.fields.items()}
            raise AnswerRefused(told) from refused
    shown = {made.name: made.value for made in one.arg_fields(request)}
    if changed := [name for name, value in args.items() if not same(shown.get(name), value)]:
        raise AnswerRefused({f"args.{name}": f"was changed; choose edit, not {decision}" for name in changed})
    if decision == "respond":
        return one.decided(request, choice, Submission("respond", {"message": values.get("message")}))
    return one.decided(request, choice, Submission(choice.decision))


def _in_shape(submission: Submission) -> bool:
    raw, wanted = submission.raw, one.TYPES.get(submission.decision)
    return (
        submission.decision == RAW
        or not isinstance(raw, dict)
        or (raw.get("type") == wanted and "args" in raw)
    )


def _checked(asked: list[one.Request], submission: Submission, offered: list[str]) -> list[dict[str, Any]]:
    """Responses that were sent whole: a list of as many as were asked; of one request also without the list."""
    raw = submission.raw
    if len(asked) == 1:
        response = one.checked(asked[0], raw[0] if isinstance(raw, list) and len(raw) == 1 else raw)
        if not one.says(submission, response):
            said = f"is `{submission.decision}`, and the answer says {response['type']}"
            raise AnswerRefused({"decision": said})
        return [response]
    if submission.decision not in (RAW, *offered):
        raise AnswerRefused({"decision": f"is not offered here; choose {listed(offered)}"})
    if not isinstance(raw, list) or len(raw) != len(asked):
        raise AnswerRefused(
            {"": f"must be a list of {len(asked)} responses {{type, args}}, one for each request"}
        )
    responses, problems = [], {}
    for number, (request, response) in enumerate(zip(asked, raw, strict=True)):
        try:
            responses.append(one.checked(request, response))
        except AnswerRefused as refused:
            problems |= {f"{number}.{name}".rstrip("."): text for name, text in refused.fields.items()}
    if not problems and submission.decision != EACH:
        other = [str(number) for number, made in enumerate(responses) if not one.says(submission, made)]
        problems = dict.fromkeys(other, f"says something else than `{submission.decision}`")
    if problems:
        raise AnswerRefused(problems)
    return responses
