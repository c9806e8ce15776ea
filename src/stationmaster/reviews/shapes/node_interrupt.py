"""The deprecated NodeInterrupt: no value satisfies it. The state is changed and the node runs again, or it is skipped.

Answers: edit -> {"state_update"}; skip -> {"state_update", "skip": true}, which may be empty.
"""

from typing import Any

from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Choice, Description, Form, Pending, Resume, Submission
from stationmaster.reviews.shapes import sent, state_change
from stationmaster.reviews.shapes.filling import RAW, chosen, filled
from stationmaster.reviews.shapes.same import changes
from stationmaster.reviews.shapes.state_change import UPDATE
from stationmaster.reviews.shapes.text import one_line
from stationmaster.reviews.shapes.wording import described

NAME = "node_interrupt"
EDIT, SKIP = "edit", "skip"
_AGAIN = f"What the node looks at, so that it goes on this time. {state_change.ADDS}"
_INSTEAD = f"What the node would have written, if anything. {state_change.ADDS}"


def recognise(pending: Pending) -> bool:
    return pending.kind == "node_interrupt"


def describe(pending: Pending) -> Description:
    said = described(pending.value)
    title = one_line(f"{_node(pending)} stopped: {said.title}")
    return Description(title, said.body, said.amount_usd, evidence=said.evidence)


def form(pending: Pending) -> Form:
    name = one_line(_node(pending), 60)
    offered = [
        Choice(
            EDIT,
            f"Change the state and run {name} again",
            (state_change.update_field("State", required=True, text=_AGAIN),),
            primary=True,
        )
    ]
    if pending.node:
        instead = state_change.update_field("State", required=False, text=_INSTEAD)
        offered.append(Choice(SKIP, f"Skip {name} and go on", (instead,), destructive=True))
    return Form(tuple(offered))


def validate(pending: Pending, submission: Submission) -> dict[str, Any]:
    if submission.has_raw:
        return _raw(pending, submission)
    choice = chosen(form(pending), submission)
    values = filled(choice, submission)
    update = state_change.checked_update(values.get(UPDATE, {}), empty=choice.decision == SKIP)
    return {UPDATE: update, "skip": True} if choice.decision == SKIP else {UPDATE: update}


def answer(pending: Pending, submission: Submission) -> Resume:
    made = validate(pending, submission)
    as_node = pending.node if made.get("skip") else None
    return Resume("update_state", as_node=as_node, state_update=made[UPDATE])


def edits(pending: Pending, submission: Submission) -> dict[str, Any] | None:
    return changes({}, validate(pending, submission)[UPDATE])


def amount(pending: Pending, submission: Submission) -> float | None:
    """Of the state that is written; the rest of it nobody shows."""
    return sent.of_reply(pending.value, validate(pending, submission)[UPDATE])


def _raw(pending: Pending, submission: Submission) -> dict[str, Any]:
    """The answer whole, or beside a decision the bare keys of the state."""
    raw = submission.raw
    skips = submission.decision == SKIP
    if submission.decision in (EDIT, SKIP) and isinstance(raw, dict) and not raw.keys() & {UPDATE, "skip"}:
        raw = {UPDATE: raw, **({"skip": True} if skips else {})}
    if not isinstance(raw, dict) or UPDATE not in raw or raw.keys() - {UPDATE, "skip"}:
        raise AnswerRefused({"": f"must be {{{UPDATE}}}, or {{{UPDATE}, skip: true}} to skip the node"})
    skip = raw.get("skip", False)
    if not isinstance(skip, bool) or (skip and not pending.node):
        raise AnswerRefused({"skip": "must be true or false, and only a node that is known can be skipped"})
    if submission.decision != RAW and skip is not skips:
        raise AnswerRefused({"decision": f"is `{submission.decision}`, and the answer says otherwise"})
    update = state_change.checked_update(raw[UPDATE], empty=skip)
    return {UPDATE: update, "skip": True} if skip else {UPDATE: update}


def _node(pending: Pending) -> str:
    return pending.node or "A node"
