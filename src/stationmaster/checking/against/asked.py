"""A pending question beside what its node asks now. Its number in the node is told by its id, the rest by the source.

What can't be read (a question that is computed, one in a loop) is taken to be the same.
"""

import ast
from typing import Any

from pydantic import TypeAdapter

from stationmaster.checking.against.waiting import Question
from stationmaster.checking.compiled import Node
from stationmaster.checking.reading.happening import Pause
from stationmaster.checking.reading.resolving import Scope
from stationmaster.checking.reading.standing import Live


def changed(question: Question, node: Node) -> tuple[str, str] | None:
    """The name of the reason and what is to be said; None where the question may be the same."""
    pauses = sorted(node.flow.pauses, key=lambda pause: pause.place)
    if not pauses:
        return (
            ("pause-gone", f"it waits in {node.name}, which asks nothing by now, as far as its source shows")
            if node.is_ours
            else None
        )
    if any(pause.call is None for pause in pauses):
        return None
    looped = any(pause.around.looped for pause in pauses)
    if question.answered is not None and not looped and question.answered >= len(pauses):
        many = f"{len(pauses)} question" + ("" if len(pauses) == 1 else "s")
        said = f"it waits at question {question.answered + 1} of {node.name}, which asks {many} by now"
        return "pause-order", said
    in_line = len(node.functions) == 1 and not any(pause.around.branched for pause in pauses)
    own = _own(question, pauses, in_line=in_line and not looped)
    if own is not None and _fits(question, own) is False and any(_fits(question, each) for each in pauses):
        said = f"its answer would be taken for another question of {node.name}: their order has changed"
        return "pause-order", said
    if question.schema is not None and all(_schema(each) not in (None, question.schema) for each in pauses):
        return "answer-schema", f"{node.name} wants an answer of another form by now"
    return None


def _own(question: Question, pauses: list[Pause], *, in_line: bool) -> Pause | None:
    """The place of the question in this code, where its number tells: one question comes after the other, always."""
    if not in_line or question.answered is None or question.answered >= len(pauses):
        return None
    return pauses[question.answered]


def _fits(question: Question, pause: Pause) -> bool | None:
    """Whether what was asked looks like what this place asks; None where that can't be read."""
    call, scope = pause.call, pause.scope
    if call is None or scope is None or not call.args:
        return None
    given = call.args[0]
    if isinstance(given, ast.Dict):
        return _fits_dict(question.value, given, scope)
    stands = scope.resolve(given)
    if isinstance(stands, Live) and isinstance(stands.thing, str | int | float | bool):
        return bool(question.value == stands.thing)
    return None


def _fits_dict(value: Any, given: ast.Dict, scope: Scope) -> bool | None:
    """By its keys, and by those of its values that are written down."""
    keys = [scope.resolve(key) if key is not None else None for key in given.keys]
    names = [key.thing for key in keys if isinstance(key, Live)]
    if len(names) != len(keys):
        return None
    if not isinstance(value, dict) or set(value) != set(names):
        return False
    for name, part in zip(names, given.values, strict=True):
        if isinstance(part, ast.Constant) and value[name] != part.value:
            return False
    return True


def _schema(pause: Pause) -> Any:
    """The JSON Schema of the answer that a place wants; None where there is none, or where it is computed."""
    given = (
        next((each.value for each in pause.call.keywords if each.arg == "response_schema"), None)
        if pause.call
        else None
    )
    stands = pause.scope.resolve(given) if given is not None and pause.scope is not None else None
    if not isinstance(stands, Live):
        return None
    try:
        return stands.thing if isinstance(stands.thing, dict) else TypeAdapter(stands.thing).json_schema()
    except Exception:  # noqa: BLE001 - whatever a project hands over as a schema
        return None
