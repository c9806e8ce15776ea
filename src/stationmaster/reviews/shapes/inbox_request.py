"""One request of Agent Inbox (a HumanInterrupt): what its configuration offers, and its response {type, args}."""

from dataclasses import replace
from typing import Any

from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Action, Choice, Field, Submission
from stationmaster.reviews.shapes import calls, fields
from stationmaster.reviews.shapes.filling import RAW, check_kinds, filled, with_message
from stationmaster.reviews.shapes.same import changes, same
from stationmaster.reviews.shapes.sendable import require_sendable
from stationmaster.reviews.shapes.text import listed, one_line

Request = dict[str, Any]
TYPES = {"approve": "accept", "edit": "edit", "respond": "response", "ignore": "ignore"}
"""Our decision -> the type of the response, in the order in which they are drawn."""
FLAGS = {
    "approve": "allow_accept",
    "edit": "allow_edit",
    "respond": "allow_respond",
    "ignore": "allow_ignore",
}


def is_request(value: Any) -> bool:
    """Whether it is a HumanInterrupt that can be answered in some way."""
    if not isinstance(value, dict):
        return False
    action, config = value.get("action_request"), value.get("config")
    return (
        isinstance(action, dict)
        and isinstance(action.get("action"), str)
        and "args" in action
        and isinstance(config, dict)
        and any(config.get(flag) is True for flag in FLAGS.values())
    )


def name_of(request: Request) -> str:
    return request["action_request"]["action"]


def args_of(request: Request) -> Any:
    return request["action_request"]["args"]


def action(request: Request) -> Action:
    said = request.get("description")
    return Action(name_of(request), args_of(request), said if isinstance(said, str) else None)


def allowed(request: Request) -> tuple[str, ...]:
    """The decisions that its configuration allows, in the order in which they are drawn."""
    return tuple(decision for decision, flag in FLAGS.items() if request["config"].get(flag) is True)


def choices(request: Request) -> tuple[Choice, ...]:
    """One choice for each decision that is allowed; the first is primary, unless it is destructive."""
    name = one_line(name_of(request), 60)
    offered = {
        "approve": Choice("approve", f"Approve {name}"),
        "edit": Choice("edit", f"Run {name} with changes", arg_fields(request)),
        "respond": Choice("respond", "Answer", (fields.message("message", "Answer"),)),
        "ignore": Choice("ignore", "Ignore", destructive=True),
    }
    first, *rest = (offered[decision] for decision in allowed(request))
    return (first if first.destructive else replace(first, primary=True), *rest)


def arg_fields(request: Request) -> tuple[Field, ...]:
    """One field for each argument; one for all of them where they are no object."""
    args = args_of(request)
    if isinstance(args, dict) and args:
        return tuple(fields.from_value(name, value, required=False) for name, value in args.items())
    return (fields.from_value("args", args, label="Arguments", required=False),)


def decided(request: Request, choice: Choice, submission: Submission) -> dict[str, Any]:
    """The response, from the fields of a choice."""
    values = filled(choice, with_message(choice, submission))
    args: Any = None
    if choice.decision == "edit":
        proposed = args_of(request)
        whole = values.get("args", proposed)
        args = _edited(request, {**proposed, **values} if isinstance(proposed, dict) and proposed else whole)
    elif choice.decision == "respond":
        args = values.get("message")
        if not isinstance(args, str) or not args.strip():
            raise AnswerRefused({"message": "must be a text that is not empty"})
    return {"type": TYPES[choice.decision], "args": args}


def checked(request: Request, response: Any) -> dict[str, Any]:
    """A response that was sent whole: of a type that is allowed, for this same action."""
    types = [TYPES[decision] for decision in allowed(request)]
    kind = response.get("type") if isinstance(response, dict) else None
    if kind not in types:
        raise AnswerRefused({"type": f"must be one of {listed(types)}, in a response {{type, args}}"})
    if extra := response.keys() - {"type", "args"}:
        raise AnswerRefused(dict.fromkeys(sorted(extra), "is not a part of a response"))
    require_sendable(response)
    args = response.get("args")
    if kind == "edit":
        name = name_of(request)
        if not isinstance(args, dict) or args.keys() != {"action", "args"} or args["action"] != name:
            raise AnswerRefused({"args": f"must be {{action, args}} with the action {one_line(name, 60)}"})
        return {"type": kind, "args": _edited(request, args["args"])}
    if kind == "response" and (not isinstance(args, str) or not args.strip()):
        raise AnswerRefused({"args": "must be a text that is not empty"})
    return {"type": kind, "args": args}


def says(submission: Submission, response: Any) -> bool:
    """Whether a whole response is what the decision beside it says."""
    return submission.decision == RAW or response["type"] == TYPES.get(submission.decision)


def edits_of(request: Request, response: dict[str, Any]) -> dict[str, Any] | None:
    """What a response changes in the arguments."""
    if response["type"] != "edit":
        return None
    before, after = args_of(request), response["args"]["args"]
    if isinstance(before, dict) and isinstance(after, dict):
        return changes(before, after)
    return changes({"args": before}, {"args": after})


def run(request: Request, response: dict[str, Any]) -> tuple[Any, Any]:
    """(the call proposed, the call sent). What an acceptance brings along, a graph may read as well."""
    proposed = {"args": args_of(request)}
    match response["type"]:
        case "edit":
            return proposed, {"args": response["args"]["args"]}
        case "accept":
            brought = response["args"]
            whole = isinstance(brought, dict) and brought.keys() == {"action", "args"}
            return proposed, {**proposed, "brought": {"args": brought["args"]} if whole else brought}
        case _:
            return {}, response["args"]


def _edited(request: Request, args: Any) -> dict[str, Any]:
    """The edited call: the same action, with arguments of the types that they had."""
    proposed = args_of(request)
    require_sendable(args)
    both = isinstance(proposed, dict) and isinstance(args, dict)
    before, after = (proposed, args) if both else ({"args": proposed}, {"args": args})
    if problems := check_kinds(before, after):
        raise AnswerRefused(problems)
    if same(before, after) and "approve" in allowed(request):
        raise AnswerRefused({"": calls.WITHOUT_CHANGE})
    return {"action": name_of(request), "args": args}
