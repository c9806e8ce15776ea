"""A question with a response schema: the answer is whatever fits it, drawn as one form for each way to answer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Choice, Description, Field, Form, Pending, Resume, Submission
from stationmaster.reviews.shapes import fields, sent
from stationmaster.reviews.shapes.amounts import KEYS, changed_parts
from stationmaster.reviews.shapes.checking import require
from stationmaster.reviews.shapes.filling import RAW, chosen, filled, reason_of
from stationmaster.reviews.shapes.same import changes, same
from stationmaster.reviews.shapes.schemas import Schema, usable
from stationmaster.reviews.shapes.sendable import require_sendable
from stationmaster.reviews.shapes.text import humanised, listed, one_line
from stationmaster.reviews.shapes.ways import NULL, Way, ways
from stationmaster.reviews.shapes.wording import described

NAME = "typed"
REASONS = ("reason", "message", "comment", "feedback", "why")
"""The part of a negative answer that the given reason goes into, if the form did not fill it."""

ALSO_KNOWN_AS = {"reply": "draft", "message": "draft", "text": "draft"}
"""A part of the answer -> the key of the payload with what it would replace, where the names differ."""

_LABELS = {RAW: "Answer", NULL: "Answer nothing (null)"}


def recognise(pending: Pending) -> bool:
    return pending.kind == "interrupt" and usable(pending.response_schema)


def describe(pending: Pending) -> Description:
    return described(pending.value)


def form(pending: Pending) -> Form:
    root = _root(pending)
    found = ways(root)
    first = next(
        (way for way in found if way.affirmative), next((way for way in found if not way.negative), None)
    )
    return Form(tuple(_choice(way, pending.value, root, primary=way is first) for way in found))


def validate(pending: Pending, submission: Submission) -> Any:
    root = _root(pending)
    if submission.has_raw:
        made = _raw(pending, submission, root)
    else:
        choice = chosen(form(pending), submission)
        way = next(way for way in ways(root) if way.decision == choice.decision)
        made = _filled(way, choice, submission, _proposed(way, pending.value))
    require_sendable(made)
    way = _way_of(made, root)
    if way is None:
        raise AnswerRefused(_no_way(made, ways(root)))
    require(made, way.schema, root, RAW if way.properties is None else "")
    if way.fixed:
        require(made, root, root)
    _require_content(way, made)
    return made


def answer(pending: Pending, submission: Submission) -> Resume:
    return Resume("resume", validate(pending, submission))


def edits(pending: Pending, submission: Submission) -> dict[str, Any] | None:
    """What differs from the payload; in an edit also what the payload did not have."""
    made = validate(pending, submission)
    way = _way_of(made, _root(pending))
    if way is None or not isinstance(made, dict):
        return None
    own = {name: value for name, value in made.items() if name not in way.fixed}
    if not way.alone:  # an optional part of a decision that is null says nothing
        own = {name: value for name, value in own.items() if value is not None}
    if way.edits:
        before = _proposed(way, pending.value)
        return changes({name: before[name] for name in own if name in before}, own)
    # The payload's words beside a rejection (its `reason`, say) are about something else; its amounts are not.
    about = (
        {name: pending.value[name] for name in KEYS if name in pending.value} if _is_object(pending) else {}
    )
    return changed_parts({**about, **_proposed(way, pending.value)}, own)


def amount(pending: Pending, submission: Submission) -> float | None:
    """Of what a person filled in: what the decision itself says is no amount."""
    made = validate(pending, submission)
    way = _way_of(made, _root(pending))
    if way is None or not isinstance(made, dict):
        return sent.of_reply(pending.value, made)
    own = {name: value for name, value in made.items() if name not in way.fixed or name in KEYS}
    return sent.of_reply(pending.value, own, negative=way.negative)


def _is_object(pending: Pending) -> bool:
    return isinstance(pending.value, dict)


def _require_content(way: Way, made: Any) -> None:
    """An edit changes something, and a rejection's reason says something; a schema rarely asks for either."""
    if not isinstance(made, dict) or not way.fixed:
        return
    if way.edits and all(made.get(name) is None for name in way.parts):
        raise AnswerRefused({"": "nothing was changed: choose another decision, or change something"})
    blank = [
        name
        for name in REASONS
        if name in way.parts and isinstance(made.get(name), str) and not made[name].strip()
    ]
    if way.negative and blank:
        raise AnswerRefused(dict.fromkeys(blank, "must not be empty"))


def _no_way(made: Any, found: Sequence[Way]) -> dict[str, str]:
    """What to say of an answer that takes none of several ways."""
    names = {name for way in found for name in way.fixed}
    if not isinstance(made, dict):
        return {RAW: f"must be an object with {listed(sorted(names))}"}
    return {
        name: f"must be one of {listed(way.fixed[name] for way in found if name in way.fixed)}"
        for name in names
    }


def _root(pending: Pending) -> Schema:
    return pending.response_schema or {}


def _choice(way: Way, payload: Any, root: Schema, *, primary: bool) -> Choice:
    drawn = _fields(way, payload, root)
    asks_why = way.negative and not any(name in way.parts for name in REASONS) and way.decision != "ignore"
    label = _LABELS.get(way.decision) or humanised(way.decision)
    return Choice(way.decision, label, drawn, asks_why, primary and not way.negative, way.negative)


def _fields(way: Way, payload: Any, root: Schema) -> tuple[Field, ...]:
    if way.properties is None:
        if way.decision == NULL:
            return ()
        return (replace(fields.from_schema(RAW, way.schema, root, required=True), label="Answer"),)
    proposed, required = _proposed(way, payload), way.schema.get("required") or ()
    return tuple(
        fields.from_schema(
            name, schema, root, value=proposed.get(name, fields.MISSING), required=name in required
        )
        for name, schema in way.parts.items()
    )


def _proposed(way: Way, payload: Any) -> dict[str, Any]:
    """What the payload already says about the parts of the answer. Not for a rejection: its `reason` is another one."""
    if not isinstance(payload, dict) or way.negative:
        return {}
    names = {name: name if name in payload else ALSO_KNOWN_AS.get(name, name) for name in way.parts}
    return {name: payload[key] for name, key in names.items() if key in payload}


def _filled(way: Way, choice: Choice, submission: Submission, proposed: dict[str, Any]) -> Any:
    sent = {name: value for name, value in submission.fields.items() if name not in way.fixed}
    if wrong := [
        name for name, value in way.fixed.items() if not same(value, submission.fields.get(name, value))
    ]:
        raise AnswerRefused(dict.fromkeys(wrong, f"says something else than the decision, {way.decision}"))
    sent |= _given_reason(way, sent, submission)
    if choice.needs_reason:
        reason_of(submission, required="say why")
    values = filled(choice, replace(submission, fields=sent))
    if way.properties is None:
        return None if way.decision == NULL else values.get(RAW, choice.fields[0].value)
    return {**way.fixed, **_parts(way, choice, values, proposed)}


def _parts(
    way: Way, choice: Choice, values: Mapping[str, Any], proposed: Mapping[str, Any]
) -> dict[str, Any]:
    """The parts that are sent. In an edit an optional one that was left as it is is left out: it says "changed"."""
    made: dict[str, Any] = {}
    for part in choice.fields:
        if part.name not in values:
            if part.value is not None and (part.required or not part.editable):
                made[part.name] = part.value
            continue
        value = values[part.name]
        untouched = same(part.value, value) and not part.required
        empty = value is None and not part.schema.get("nullable") and part.type != "any"
        if not (untouched and (empty or way.edits or (value is None and part.name not in proposed))):
            made[part.name] = value
    return made


def _given_reason(way: Way, sent: Mapping[str, Any], submission: Submission) -> dict[str, Any]:
    """The reason as a part of the answer, if it has one and the form did not fill it."""
    name = next((name for name in REASONS if name in way.parts), None)
    return (
        {name: submission.reason} if way.negative and name and name not in sent and submission.reason else {}
    )


def _raw(pending: Pending, submission: Submission, root: Schema) -> Any:
    """The answer whole; beside a decision it may leave out what the decision says already."""
    raw = submission.raw
    named = next((way for way in ways(root) if way.decision == submission.decision), None)
    if named is None and submission.decision != RAW:
        chosen(form(pending), submission)
    if named and named.fixed and isinstance(raw, dict):
        raw = {**named.fixed, **raw}
    way = _way_of(raw, root)
    if named and not named.alone and way != named:
        raise AnswerRefused(
            {"decision": f"is `{one_line(submission.decision, 60)}`, and the answer says otherwise"}
        )
    if way and isinstance(raw, dict):
        closed = {part.name: part.value for part in _fields(way, pending.value, root) if not part.editable}
        changed = [name for name, value in closed.items() if name in raw and not same(value, raw[name])]
        if changed:
            raise AnswerRefused(dict.fromkeys(changed, "can't be edited"))
    return raw


def _way_of(value: Any, root: Schema) -> Way | None:
    """The way that an answer takes, so that what is wrong with it can be said of that one alone."""
    found = ways(root)
    if value is None:
        return next((way for way in found if way.decision == NULL), found[0] if found[0].alone else None)
    if isinstance(value, dict):
        for way in found:
            if way.fixed and all(same(fixed, value.get(name)) for name, fixed in way.fixed.items()):
                return way
    return found[0] if found[0].alone else None
