"""The shape of Agent Inbox: a HumanInterrupt, or a list of them, answered with a list of one response."""

from dataclasses import replace
from typing import Any

from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Action, Choice, Description, Form, Pending, Resume, Submission
from stationmaster.reviews.shapes import calls, fields
from stationmaster.reviews.shapes.amounts import amount_of
from stationmaster.reviews.shapes.filling import RAW, check_kinds, chosen, filled, with_message
from stationmaster.reviews.shapes.same import changes, same
from stationmaster.reviews.shapes.sendable import require_sendable
from stationmaster.reviews.shapes.text import listed, one_line
from stationmaster.reviews.shapes.wording import of_calls

NAME = "agent_inbox"
_TYPES = {"approve": "accept", "edit": "edit", "respond": "response", "ignore": "ignore"}
"""Our decision -> the type of the response, in the order in which they are drawn."""

_FLAGS = {
    "approve": "allow_accept",
    "edit": "allow_edit",
    "respond": "allow_respond",
    "ignore": "allow_ignore",
}


def recognise(pending: Pending) -> bool:
    if pending.kind != "interrupt" or pending.response_schema is not None:
        return False
    request = _request(pending.value)
    if not isinstance(request, dict):
        return False
    action, config = request.get("action_request"), request.get("config")
    return (
        isinstance(action, dict)
        and isinstance(action.get("action"), str)
        and "args" in action
        and isinstance(config, dict)
        and any(config.get(flag) is True for flag in _FLAGS.values())
    )


def describe(pending: Pending) -> Description:
    request = _request(pending.value)
    action, said = request["action_request"], request.get("description")
    shown = Action(action["action"], action["args"], said if isinstance(said, str) else None)
    return of_calls((shown,), amount_of({"args": action["args"]}), calls.BOILERPLATE)


def form(pending: Pending) -> Form:
    request = _request(pending.value)
    config, args = request["config"], request["action_request"]["args"]
    name = one_line(request["action_request"]["action"], 60)
    offered = {
        "approve": Choice("approve", f"Approve {name}", primary=True),
        "edit": Choice("edit", f"Run {name} with changes", _arg_fields(args)),
        "respond": Choice("respond", "Answer", (fields.message("message", "Answer"),)),
        "ignore": Choice("ignore", "Ignore", destructive=True),
    }
    made = [offered[decision] for decision, flag in _FLAGS.items() if config.get(flag) is True]
    if not made[0].destructive:
        made[0] = replace(made[0], primary=True)
    return Form(tuple(made))


def _arg_fields(args: Any) -> tuple[fields.Field, ...]:
    if isinstance(args, dict) and args:
        return tuple(fields.from_value(name, value, required=False) for name, value in args.items())
    return (fields.from_value("args", args, label="Arguments", required=False),)


def validate(pending: Pending, submission: Submission) -> list[dict[str, Any]]:
    request = _request(pending.value)
    if submission.has_raw and _in_shape(submission):
        return [_checked(request, form(pending), submission)]
    sent = replace(submission, fields=submission.raw) if submission.has_raw else submission
    choice = chosen(form(pending), sent)
    values = filled(choice, with_message(choice, sent))
    args: Any = None
    if choice.decision == "edit":
        proposed = request["action_request"]["args"]
        new = (
            {**proposed, **values}
            if isinstance(proposed, dict) and proposed
            else values.get("args", proposed)
        )
        args = _edited(request, form(pending), new)
    elif choice.decision == "respond":
        args = values.get("message")
        if not isinstance(args, str) or not args.strip():
            raise AnswerRefused({"message": "must be a text that is not empty"})
    return [{"type": _TYPES[choice.decision], "args": args}]


def answer(pending: Pending, submission: Submission) -> Resume:
    return Resume("resume", validate(pending, submission))


def edits(pending: Pending, submission: Submission) -> dict[str, Any] | None:
    (response,) = validate(pending, submission)
    if response["type"] != "edit":
        return None
    before, after = _request(pending.value)["action_request"]["args"], response["args"]["args"]
    if isinstance(before, dict) and isinstance(after, dict):
        return changes(before, after)
    return changes({"args": before}, {"args": after})


def _request(value: Any) -> Any:
    """The HumanInterrupt: the value itself, or the first of a list, which is the one that is answered."""
    return value[0] if isinstance(value, list) and value else value


def _edited(request: dict[str, Any], offered: Form, args: Any) -> dict[str, Any]:
    """The edited call: the same action, with arguments of the types that they had."""
    action = request["action_request"]
    require_sendable(args)
    both = isinstance(action["args"], dict) and isinstance(args, dict)
    before, after = (action["args"], args) if both else ({"args": action["args"]}, {"args": args})
    if problems := check_kinds(before, after):
        raise AnswerRefused(problems)
    if same(before, after) and offered.choice("approve"):
        raise AnswerRefused({"": calls.WITHOUT_CHANGE})
    return {"action": action["action"], "args": args}


def _in_shape(submission: Submission) -> bool:
    raw = submission.raw
    wanted = _TYPES.get(submission.decision)
    return (
        submission.decision == RAW
        or not isinstance(raw, dict)
        or (raw.get("type") == wanted and "args" in raw)
    )


def _checked(request: dict[str, Any], offered: Form, submission: Submission) -> dict[str, Any]:
    """A response that was sent whole, alone or in its list of one."""
    raw = submission.raw
    response: Any = raw[0] if isinstance(raw, list) and len(raw) == 1 else raw
    allowed = [_TYPES[choice.decision] for choice in offered.choices]
    kind = response.get("type") if isinstance(response, dict) else None
    if kind not in allowed:
        raise AnswerRefused(
            {"type": f"must be one of {listed(allowed)}, in a list of one response {{type, args}}"}
        )
    if submission.decision != RAW and kind != _TYPES.get(submission.decision):
        raise AnswerRefused({"decision": f"is `{submission.decision}`, and the answer says {kind}"})
    if extra := response.keys() - {"type", "args"}:
        raise AnswerRefused(dict.fromkeys(sorted(extra), "is not a part of a response"))
    require_sendable(response)
    args = response.get("args")
    if kind == "edit":
        action = request["action_request"]["action"]
        if not isinstance(args, dict) or args.keys() != {"action", "args"} or args["action"] != action:
            raise AnswerRefused({"args": f"must be {{action, args}} with the action {one_line(action, 60)}"})
        return {"type": kind, "args": _edited(request, offered, args["args"])}
    if kind == "response" and (not isinstance(args, str) or not args.strip()):
        raise AnswerRefused({"args": "must be a text that is not empty"})
    return {"type": kind, "args": args}
