"""A posted form as a submission: each text by the type of its field, what was wrong with it, and what was typed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import FormData

from stationmaster.console.pages.form import APPROVE, EDIT, Typed
from stationmaster.console.pages.offering import offered
from stationmaster.console.pages.shown import as_json
from stationmaster.console.pages.typed import OMITTED, NotThatType, as_sent, text_of, value_of
from stationmaster.reviews.errors import AnswerRefused, Conflict, ReviewError
from stationmaster.reviews.model import Choice, Review, Submission
from stationmaster.reviews.shapes.same import same

FIELD, KIND = "field:", "as:"


class FirstAnswerChanged(Conflict):
    """A confirmation of an answer that is no longer the first one's."""

    code = "first_answer_changed"


@dataclass(frozen=True)
class Sent:
    """What came, as a submission; with a refusal if the form itself can already tell that it does not fit."""

    submission: Submission
    typed: Typed
    text: str = ""
    """All that was typed, for somebody whose form is gone."""
    refusal: ReviewError | None = field(default=None, compare=False)


def read(review: Review, form: FormData) -> Sent:
    """The submission of a form that `review`'s page drew."""
    decision = _text(form, "decision")
    reason = as_sent(_text(form, "reason")).strip() or None
    texts = {name.removeprefix(FIELD): _text(form, name) for name in form if name.startswith(FIELD)}
    kinds = {name.removeprefix(KIND): _text(form, name) for name in form if name.startswith(KIND)}
    typed = Typed(decision, texts, kinds, reason or "")
    kept = as_json({"decision": decision, **texts, **({"reason": reason} if reason else {})})
    if _text(form, "confirm"):
        confirmed = _confirmed(review, form)
        changed = (
            None if confirmed else FirstAnswerChanged("the first answer has changed meanwhile: look again")
        )
        return Sent(
            confirmed or Submission(decision), typed, kept, changed if review.state == "open" else None
        )
    choice = offered(review).choice(decision)
    drawn = _edited_by(review, decision) or choice
    if choice is None or drawn is None:
        gone = AnswerRefused({"decision": f"{decision or 'nothing'} is no way to answer this"})
        return Sent(Submission(decision), typed, kept, gone)
    values, problems = _values(drawn, texts, kinds)
    if decision == APPROVE and drawn is not choice:
        # What approve draws are edit's fields: nothing of them is sent, so nothing may have been changed.
        changed = [entry.name for entry in drawn.fields if _changed(entry, texts)]
        if changed:
            problems = dict.fromkeys(changed, "was changed: approve with changes, or put it back")
        values = {}
    refusal = AnswerRefused(problems) if problems else None
    return Sent(Submission(decision, fields=values, reason=reason), typed, kept, refusal)


def _edited_by(review: Review, decision: str) -> Choice | None:
    """The choice whose fields the form of `decision` shows, where that is another one."""
    form = offered(review)
    approve = form.choice(APPROVE)
    return form.choice(EDIT) if decision == APPROVE and approve and not approve.fields else None


def _changed(entry: Any, texts: Mapping[str, str]) -> bool:
    """Whether what was sent says something else: 640 and 640.00 are the same amount."""
    if not entry.editable or entry.name not in texts or as_sent(texts[entry.name]) == text_of(entry):
        return False
    if entry.type not in ("number", "integer"):
        return True
    try:
        return not same(entry.value, value_of(entry, texts[entry.name]))
    except NotThatType:
        return True


def _values(
    choice: Choice, texts: Mapping[str, str], kinds: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Typed values by field, and what is wrong with those that have none."""
    values: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for entry in choice.fields:
        if not entry.editable or entry.name not in texts:
            continue
        try:
            value = value_of(entry, texts[entry.name], as_text=kinds.get(entry.name) == "text")
        except NotThatType as error:
            problems[entry.name] = str(error)
            continue
        if value is not OMITTED:
            values[entry.name] = value
    return values, problems


def _confirmed(review: Review, form: FormData) -> Submission | None:
    """The second person's yes to the first one's answer, if that is still the answer that was shown."""
    token = _text(form, "confirm")
    if not token or review.first_at is None or review.first_at.isoformat() != token:
        return None
    first = review.first_answer
    return Submission(first["decision"], raw=first["answer"], has_raw=True, reason=first.get("reason"))


def _text(form: FormData, name: str) -> str:
    value = form.get(name, "")
    return value if isinstance(value, str) else ""
