"""A posted form as content: each text by the type of its setting, and what is wrong with which. Pure.

What was not touched stays exactly as the version had it; what was emptied is left to the graph's default.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.datastructures import FormData

from stationmaster.assistants.editing import wrong
from stationmaster.assistants.overlay import schema_of
from stationmaster.console.pages.assistants.settings import (
    Setting,
    general_of,
    settings_of,
    typed_over,
)
from stationmaster.console.pages.typed import NotThatType, as_sent, value_of
from stationmaster.reconcile.resources import Assistant, ServedAssistant
from stationmaster.reviews.model import Field

PREFIX = "field:"
LONGEST_TAG = 200


@dataclass(frozen=True)
class Draft:
    """`content` is as far as the texts could be read; `errors` by setting, `problem` for what belongs to none."""

    texts: Mapping[str, str]
    content: Assistant
    settings: tuple[Setting, ...]
    general: tuple[Setting, ...]
    errors: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""

    @property
    def fits(self) -> bool:
        return not self.errors and not self.problem


def drawn(version: ServedAssistant, schemas: Mapping[str, Any]) -> Draft:
    """The form as a version fills it."""
    content = version.content()
    return Draft({}, content, tuple(settings_of(content, schemas)), tuple(general_of(content)))


def read(version: ServedAssistant, schemas: Mapping[str, Any], form: Mapping[str, Any]) -> Draft:
    """What a form that this version's page drew says. Fields that were not sent are as they were."""
    before = version.content()
    texts = _texts(form)
    settings, general = settings_of(before, schemas), general_of(before)
    context, errors = _context(settings, before.context, texts)
    content, more = _general(replace(before, context=context), texts, general)
    errors |= more
    problem, known = "", {each.name for each in (*settings, *general)}
    for place, said in wrong(content, schema_of(schemas)):
        names = (".".join(map(str, place[:depth])) for depth in (3, 2, 1))
        name = next((name for name in names if name in known), None)
        if name:
            errors.setdefault(name, said.removeprefix(f"{name} "))
        else:
            problem = problem or said
    return Draft(
        texts, content, tuple(typed_over(settings, texts, errors)), tuple(typed_over(general, texts, errors)), errors,
        problem,
    )  # fmt: skip


def _texts(form: Mapping[str, Any]) -> dict[str, str]:
    """By setting; of boxes to tick, one line for each that is."""
    sent = form.multi_items() if isinstance(form, FormData) else form.items()
    texts: dict[str, list[str]] = {}
    for name, value in sent:
        if name.startswith(PREFIX) and isinstance(value, str):
            texts.setdefault(name.removeprefix(PREFIX), []).append(as_sent(value))
    return {
        name: found[0] if len(found) == 1 else "\n".join(filter(None, found))
        for name, found in texts.items()
    }  # fmt: skip


def _context(
    settings: list[Setting], before: Mapping[str, Any], texts: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    values, errors = dict(before), dict[str, str]()
    for each in settings:
        text = texts.get(each.name)
        if text is None or text == each.initial:
            continue
        try:
            if not each.path:
                values = dict(_value(each, text)) if text.strip() else {}
            elif text == each.default if each.control == "choices" else not text.strip():
                values = _placed(values, each.path)
            else:
                values = _placed(values, each.path, _value(each, text))
        except NotThatType as error:
            errors[each.name] = str(error)
    return values, errors


def _placed(values: Mapping[str, Any], path: tuple[str, ...], *value: Any) -> dict[str, Any]:
    """The values with one of them set; without a value, with it taken away, and what held nothing else."""
    name, rest = path[0], path[1:]
    if rest:
        inner = _placed(values.get(name) or {}, rest, *value)
        value = (inner,) if inner else ()
    kept = {key: said for key, said in values.items() if key != name or value}
    return {**kept, name: value[0]} if value else kept


def _value(each: Setting, text: str) -> Any:
    if each.control in ("lines", "choices"):
        return [line.strip() for line in text.splitlines() if line.strip()]
    known: dict[str, Any] = {"enum": list(each.enum)} if each.enum else {}
    return value_of(Field(name=each.name, label=each.label, type=each.type, schema=known), text)


def _general(
    content: Assistant, texts: Mapping[str, str], general: list[Setting]
) -> tuple[Assistant, dict[str, str]]:
    errors: dict[str, str] = {}
    initial = {each.name: each.initial for each in general}
    sent = {name: texts[name].strip() for name in initial if texts.get(name, initial[name]) != initial[name]}
    if "description" in sent:
        content = replace(content, description=sent["description"])
        if len(sent["description"]) > 2_000:
            errors["description"] = "is too long: write 2000 characters at most"
    if "tags" in sent:
        tags = tuple(dict.fromkeys(tag.strip() for tag in sent["tags"].split(",") if tag.strip()))
        content = replace(content, tags=tags)
        if any(len(tag) > LONGEST_TAG for tag in tags):
            errors["tags"] = f"a tag is too long: write {LONGEST_TAG} characters at most"
    if "recursion_limit" in sent:
        limit, said = _limit(sent["recursion_limit"])
        content = replace(content, recursion_limit=limit)
        errors |= {"recursion_limit": said} if said else {}
    return content, errors


def _limit(text: str) -> tuple[int | None, str]:
    if not text:
        return None, ""
    try:
        value = value_of(Field(name="recursion_limit", label="", type="integer"), text)
    except NotThatType as error:
        return None, str(error)
    return (value, "") if 1 <= value <= 10_000 else (None, "is out of range: write 1 to 10000")
