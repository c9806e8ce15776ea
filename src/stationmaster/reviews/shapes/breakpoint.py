"""A static breakpoint: the graph waits before its next node and asks nothing. Go on, go on with a changed state, or
go back with feedback.

Answers: continue -> {}; edit -> {"state_update"}; send_back -> {"as_node", "state_update"}.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Choice, Description, Form, Pending, Resume, Submission
from stationmaster.reviews.shapes import sent, state_change
from stationmaster.reviews.shapes.amounts import amount_of
from stationmaster.reviews.shapes.filling import RAW, check_kinds, chosen, filled
from stationmaster.reviews.shapes.same import changes, same
from stationmaster.reviews.shapes.state_change import UPDATE
from stationmaster.reviews.shapes.text import block, first_line, listed, one_line, short_json

NAME = "breakpoint"
ASKS = "asks"
"""The key of the state in which a graph says what its breakpoint asks. No field of the form."""
CONTINUE, EDIT, SEND_BACK = "continue", "edit", "send_back"
_ALIASES = {"approve": CONTINUE}
_AS_NODE = "A node that has already run: what comes after it runs again, with the state as changed here."


def recognise(pending: Pending) -> bool:
    return pending.kind == "breakpoint"


def describe(pending: Pending) -> Description:
    said = own_words(pending)
    return Description(
        title=first_line(said["title"]) if said else title_of(pending),
        body=_body(said) if said else _first_message(_values(pending)),
        amount_usd=amount_of(_values(pending)),
        evidence=("next", "values"),
    )


def own_words(pending: Pending) -> Mapping[str, Any] | None:
    """What the graph has left in its state, under `asks`, for whoever looks at this breakpoint: {"title", "text"?,
    "details"?: {label: text}, "before"?: [node, ...]}. None where it has not, or left it for another breakpoint."""
    values = _values(pending)
    said = values.get(ASKS) if isinstance(values, Mapping) else None
    if (
        not isinstance(said, Mapping)
        or not isinstance(said.get("title"), str)
        or not first_line(said["title"])
    ):
        return None
    before = said.get("before")
    fits = not isinstance(before, list) or bool(set(_next(pending)) & {str(node) for node in before})
    return said if fits else None


def without_words(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The payload of a breakpoint for whoever has read its title and text."""
    values = payload.get("values")
    if not isinstance(values, Mapping):
        return {**payload}
    return {**payload, "values": {key: value for key, value in values.items() if key != ASKS}}


def title_of(pending: Pending, who: str | None = None, does: Mapping[str, str] | None = None) -> str:
    """`sql_operator waits before execute (runs the statement on the database): continue?`. `does`: of its nodes, what
    each does."""
    told = [f"{node} ({(does or {})[node]})" if (does or {}).get(node) else node for node in _next(pending)]
    where = listed(told) if told else "the next step"
    waits = f"{one_line(who, 60)} waits" if who else "Waits"
    return one_line(f"{waits} before {where}: continue?")


def _body(said: Mapping[str, Any]) -> str | None:
    """Its text, and its details as they are, each below its label."""
    text, details = said.get("text"), said.get("details")
    parts = [text] if isinstance(text, str) and text.strip() else []
    for label, value in details.items() if isinstance(details, Mapping) else ():
        shown = value if isinstance(value, str) else short_json(value)
        name = one_line(str(label), 60)
        if "\n" not in shown and "`" not in shown:
            parts += [f"**{name}:** `{shown}`"] if shown.strip() else []
        else:
            fence = "~~~~" if "```" in shown else "```"
            parts += [f"**{name}:**", f"{fence}\n{shown}\n{fence}"]
    return block("\n\n".join(parts)) if parts else None


def _first_message(values: Any) -> str | None:
    """What the thread began with, if a person wrote it: beside the question, and in no list."""
    messages = values.get("messages") if isinstance(values, Mapping) else None
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, Mapping) and message.get("type") in ("human", "user"):
            content = message.get("content")
            return block(content) if isinstance(content, str) and content.strip() else None
    return None


def form(pending: Pending) -> Form:
    following = _next(pending)
    known = tuple(field for field in state_change.state_fields(_values(pending)) if field.name != ASKS)
    changed = known or (state_change.update_field("State", required=True),)
    back = (
        state_change.node_field(_AS_NODE, pending.nodes),
        state_change.update_field("State, with your feedback", required=True),
    )
    return Form(
        (
            Choice(
                CONTINUE,
                one_line(f"Continue with {listed(following)}" if following else "Continue"),
                primary=True,
            ),
            Choice(EDIT, "Change the state and continue", changed),
            Choice(SEND_BACK, "Send back with feedback", back),
        )
    )


def validate(pending: Pending, submission: Submission) -> dict[str, Any]:
    sent = replace(submission, decision=_ALIASES.get(submission.decision, submission.decision))
    if sent.has_raw:
        return _raw(pending, sent)
    choice = chosen(form(pending), sent)
    values = filled(choice, sent)
    if choice.decision == CONTINUE:
        return {}
    if choice.decision == EDIT:
        return {UPDATE: _update(pending, _changed(pending, values))}
    return {
        "as_node": state_change.checked_node(values.get("as_node"), pending.nodes),
        UPDATE: state_change.checked_update(values.get(UPDATE)),
    }


def answer(pending: Pending, submission: Submission) -> Resume:
    made = validate(pending, submission)
    if "as_node" in made:
        return Resume("update_state", as_node=made["as_node"], state_update=made[UPDATE])
    return Resume("continue", state_update=made.get(UPDATE))


def edits(pending: Pending, submission: Submission) -> dict[str, Any] | None:
    update, values = validate(pending, submission).get(UPDATE, {}), _values(pending)
    before = {key: values[key] for key in update if key in values} if isinstance(values, dict) else {}
    return changes(before, update)


def amount(pending: Pending, submission: Submission) -> float | None:
    """Of the state as it will be."""
    values, update = _values(pending), validate(pending, submission).get(UPDATE, {})
    return sent.of_change(values, {**values, **update} if isinstance(values, dict) else update)


def _raw(pending: Pending, submission: Submission) -> dict[str, Any]:
    """{} continues; {"state_update"} edits; {"as_node", "state_update"} sends back. An edit may be the bare keys."""
    raw = submission.raw if submission.raw is not None else {}
    if submission.decision == EDIT and isinstance(raw, dict) and raw.keys() != {UPDATE}:
        raw = {UPDATE: raw}
    shapes = {CONTINUE: set(), EDIT: {UPDATE}, SEND_BACK: {"as_node", UPDATE}}
    meant = next(
        (name for name, keys in shapes.items() if isinstance(raw, dict) and raw.keys() == keys), None
    )
    if meant is None or submission.decision not in (RAW, meant):
        raise AnswerRefused(
            {"": f"must be {{}}, {{{UPDATE}}} or {{as_node, {UPDATE}}}, as the decision says"}
        )
    if meant == CONTINUE:
        return {}
    if meant == EDIT:
        return {UPDATE: _update(pending, raw[UPDATE])}
    return {
        "as_node": state_change.checked_node(raw["as_node"], pending.nodes),
        UPDATE: state_change.checked_update(raw[UPDATE]),
    }


def _changed(pending: Pending, sent: dict[str, Any]) -> dict[str, Any]:
    """Of the fields that were sent, those that differ: only these are written."""
    values = _values(pending)
    if not isinstance(values, dict) or not state_change.state_fields(values):
        return sent.get(UPDATE, {})
    return {key: value for key, value in sent.items() if not same(values.get(key), value)}


def _update(pending: Pending, update: Any) -> dict[str, Any]:
    checked = state_change.checked_update(update)
    values = _values(pending)
    if problems := check_kinds(values if isinstance(values, dict) else {}, checked):
        raise AnswerRefused(problems)
    return checked


def _next(pending: Pending) -> list[str]:
    following = pending.value.get("next") if isinstance(pending.value, Mapping) else None
    named = (
        [node for node in following if isinstance(node, str)] if isinstance(following, list | tuple) else []
    )
    return named or ([pending.node] if pending.node else [])


def _values(pending: Pending) -> Any:
    return pending.value.get("values") if isinstance(pending.value, Mapping) else None
