"""One tool call that waits for a decision, as LangChain's middleware asks: what may be answered, and the answer."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Action, Choice, Field, Submission
from stationmaster.reviews.shapes import fields
from stationmaster.reviews.shapes.checking import check
from stationmaster.reviews.shapes.filling import RAW, check_kinds, filled, reason_of, with_message
from stationmaster.reviews.shapes.same import changes, same
from stationmaster.reviews.shapes.schemas import Schema, resolved
from stationmaster.reviews.shapes.sendable import require_sendable
from stationmaster.reviews.shapes.text import humanised, listed, one_line

BOILERPLATE = "Tool execution requires approval"
"""What the middleware says of a call that was given no description; it only repeats the call."""

DECISIONS = ("approve", "edit", "reject", "respond")
WITHOUT_CHANGE = "nothing was changed: approve it as it is, or change something"
_PARTS = {"approve": (), "edit": ("edited_action",), "reject": ("message",), "respond": ("message",)}


@dataclass(frozen=True)
class Call:
    """`args_schema` is the tool's own, with its definitions in `root`; None where it is not known."""

    name: str
    args: dict[str, Any]
    description: str | None
    allowed: tuple[str, ...]
    args_schema: Schema | None = None
    root: Schema = field(default_factory=dict)

    @property
    def action(self) -> Action:
        return Action(self.name, self.args, self.description)


def known(decisions: Iterable[Any]) -> tuple[str, ...]:
    """The decisions among these, in the order in which they are drawn."""
    named = {decision for decision in decisions if isinstance(decision, str)}
    return tuple(decision for decision in DECISIONS if decision in named)


def choices(call: Call) -> tuple[Choice, ...]:
    """One choice for each decision that the graph allows."""
    name = one_line(call.name, 60)
    offered = {
        "approve": Choice("approve", f"Approve {name}", primary=True),
        "edit": Choice("edit", f"Run {name} with changes", arg_fields(call)),
        "reject": Choice("reject", f"Reject {name}", needs_reason=True, destructive=True),
        "respond": Choice("respond", "Answer instead of running it", (answer_field(call),)),
    }
    made = tuple(offered[decision] for decision in call.allowed)
    first = made[0]
    return made if first.primary or first.destructive else (replace(first, primary=True), *made[1:])


def answer_field(call: Call) -> Field:
    hint = f"The agent reads it as the result of {one_line(call.name, 60)}."
    return fields.message("message", "Answer", text=hint)


def arg_fields(call: Call) -> tuple[Field, ...]:
    """One field for each argument, of the tool's schema or else of the type that the argument has."""
    schema = resolved(call.args_schema, call.root) if call.args_schema else {}
    declared = schema.get("properties")
    properties = declared if isinstance(declared, dict) else {}
    required = schema.get("required") or ()
    made = [
        _arg_field(call, name, properties.get(name), name in required) for name in {**call.args, **properties}
    ]
    return tuple(made) or (fields.from_value("args", {}, label="Arguments"),)


def _arg_field(call: Call, name: str, schema: Any, required: bool) -> Field:
    value = call.args.get(name, fields.MISSING)
    if schema is None:
        return fields.from_value(name, value, required=False)
    made = fields.from_schema(name, schema, call.root, value=value, required=required)
    # An argument that does not fit its schema is shown as the model gave it: it is what has to be corrected.
    return made if value is fields.MISSING else replace(made, value=value)


def decided(call: Call, choice: Choice, submission: Submission) -> dict[str, Any]:
    """The decision in the middleware's shape, from the fields of a choice."""
    values = filled(choice, with_message(choice, submission))
    match choice.decision:
        case "edit":
            return {
                "type": "edit",
                "edited_action": {"name": call.name, "args": edited(call, choice, values)},
            }
        case "reject":
            return {"type": "reject", "message": reason_of(submission, required="say why it is rejected")}
        case "respond":
            message = values.get("message")
            if not isinstance(message, str) or not message.strip():
                raise AnswerRefused({"message": "must be a text that is not empty"})
            return {"type": "respond", "message": message}
        case _:
            return {"type": "approve"}


def edited(call: Call, choice: Choice, values: dict[str, Any]) -> dict[str, Any]:
    """The arguments with the changes; an optional one that was missing and left alone stays missing."""
    if not call.args and "args" in values and [made.name for made in choice.fields] == ["args"]:
        return checked_args(call, values["args"])
    shown = {made.name: made for made in choice.fields}
    new = {
        name: value
        for name, value in values.items()
        if name in call.args or shown[name].required or not same(shown[name].value, value)
    }
    return checked_args(call, {**call.args, **new})


def checked_args(call: Call, args: Any) -> dict[str, Any]:
    """The edited arguments, if they fit the tool's schema, or the types that they had."""
    if not isinstance(args, dict):
        raise AnswerRefused({"args": "must be an object"})
    require_sendable(args)
    problems = check(args, call.args_schema, call.root) if call.args_schema else check_kinds(call.args, args)
    if problems:
        raise AnswerRefused(problems)
    if same(call.args, args) and "approve" in call.allowed:
        raise AnswerRefused({"": WITHOUT_CHANGE})
    return args


def in_shape(raw: Any, decision: str) -> bool:
    """Whether a raw answer is a whole decision, rather than the fields of one that was named beside it."""
    return (
        decision == RAW
        or (isinstance(raw, dict) and raw.get("type") == decision)
        or not isinstance(raw, dict)
    )


def checked(call: Call, raw: Any) -> dict[str, Any]:
    """A decision that was sent whole: one that is allowed, with the parts that it has, for this same tool."""
    kind = raw.get("type") if isinstance(raw, dict) else None
    if kind not in call.allowed:
        raise AnswerRefused({"type": f"must be one of {listed(call.allowed)} for {one_line(call.name, 60)}"})
    require_sendable(raw)
    if extra := raw.keys() - {"type", *_PARTS[kind]}:
        raise AnswerRefused(dict.fromkeys(sorted(extra), f"is not a part of {kind}"))
    if kind == "edit":
        action = raw.get("edited_action")
        if not isinstance(action, dict) or action.keys() != {"name", "args"}:
            raise AnswerRefused({"edited_action": "must hold name and args, and nothing else"})
        if action["name"] != call.name:
            raise AnswerRefused(
                {"edited_action.name": f"must be {call.name}: an edit can't call another tool"}
            )
        checked_args(call, action["args"])
    elif "message" in raw or kind == "respond":
        text = raw.get("message")
        if not isinstance(text, str) or (kind == "respond" and not text.strip()):
            raise AnswerRefused(
                {"message": "must be a text" + (" that is not empty" if kind == "respond" else "")}
            )
    return raw


def edits_of(call: Call, decision: dict[str, Any]) -> dict[str, Any] | None:
    """What a decision changes in the arguments."""
    return changes(call.args, decision["edited_action"]["args"]) if decision["type"] == "edit" else None


def run(call: Call, decision: dict[str, Any]) -> tuple[Any, Any] | None:
    """(arguments proposed, arguments sent) of a call that will run; None of one that won't."""
    match decision["type"]:
        case "approve":
            return call.args, call.args
        case "edit":
            return call.args, decision["edited_action"]["args"]
        case _:
            return None


def label(call: Call, number: int, part: str) -> str:
    """A label for one of several calls: which call, and what of it."""
    return numbered(call.name, number, part)


def numbered(name: str, number: int, part: str) -> str:
    """The same by name: `2. pay: amount USD`."""
    said = humanised(part)
    first, rest = said.split(" ", 1)[0], said.partition(" ")[2]
    words = " ".join(word for word in (first if first.isupper() else first.lower(), rest) if word)
    return f"{number + 1}. {one_line(name, 40)}: {words}"
