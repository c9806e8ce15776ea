"""A graph's context schema as a form: one control a setting, with its type, range, help and default. Pure."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from stationmaster.assistants.overlay import defaults_of, schema_of
from stationmaster.console.pages.assistants.shapes import (
    Shape,
    choices_of,
    hint_of,
    inner_of,
    is_lines,
    shape_of,
)
from stationmaster.console.pages.form import Option, anchor
from stationmaster.console.pages.shown import label
from stationmaster.console.pages.typed import as_sent, text_of
from stationmaster.reconcile.resources import Assistant
from stationmaster.reviews.model import Field

Control = Literal["text", "area", "number", "select", "choices", "lines", "json"]
CONTEXT = "context"
LONG = 80
MOST_ROWS = 14


@dataclass(frozen=True)
class Setting:
    """One control. `text` stands in it, `initial` is what the current version says, `""` where it says nothing and the
    graph's `default` holds; of `choices`, which are ticked, the default's where it says nothing. `path` is where in the
    context it stands. `least` and `most` bound a number."""

    name: str
    label: str
    control: Control
    type: str
    initial: str
    text: str
    default: str = ""
    help: str = ""
    hint: str = ""
    error: str = ""
    options: tuple[Option, ...] = ()
    enum: tuple[Any, ...] = ()
    examples: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    longest: int | None = None
    rows: int = 1
    path: tuple[str, ...] = ()
    left: bool = False
    """The version says nothing of it."""

    @property
    def chosen(self) -> tuple[str, ...]:
        """Of choices: those that are ticked."""
        return tuple(self.text.split("\n")) if self.text else ()

    @property
    def id(self) -> str:
        return anchor("set", self.name)

    @property
    def changed(self) -> bool:
        return self.text != self.initial


def settings_of(content: Assistant, schemas: Mapping[str, Any]) -> list[Setting]:
    """The settings in the schema's order, then what stands in the context and is none; for a graph without a schema
    the context as a whole."""
    schema = schema_of(schemas)
    if schema is None:
        text = _json(dict(content.context)) if content.context else ""
        help_ = "The graph says nothing of its settings: write them as JSON."
        return [_one(CONTEXT, "Settings", Shape("object", {}), text, "", help_)]
    defaults = defaults_of(schemas)
    known = [
        each
        for name, found in schema["properties"].items()
        if isinstance(found, Mapping)
        for each in _settings((name,), shape_of(found, schema), content.context, defaults, schema)
    ]
    return [*known, *_unknown(content.context, schema["properties"])]


def general_of(content: Assistant) -> list[Setting]:
    """What an assistant says beside its settings."""
    limit = "" if content.recursion_limit is None else str(content.recursion_limit)
    return [
        replace(
            _one("description", "Description", Shape("string", {}), as_sent(content.description), "",
                 "What it is for, in a sentence."),
            longest=2_000, control="area", rows=2,
        ),
        replace(
            _one("recursion_limit", "Most steps", Shape("integer", {}), limit, "",
                 "Super-steps of a run, before it is stopped; empty: the graph's own limit."),
            least=1, most=10_000, hint="whole number, 1 to 10000",
        ),
        _one("tags", "Tags", Shape("string", {}), ", ".join(content.tags), "", "Words, with commas between."),
    ]  # fmt: skip


def typed_over(
    settings: Iterable[Setting], texts: Mapping[str, str], errors: Mapping[str, str]
) -> list[Setting]:
    """The same with what a person typed in place, and what is wrong with it."""
    return [
        replace(
            each, text=as_sent(texts.get(each.name, each.text)), error=errors.get(each.name, ""),
            rows=max(each.rows, _rows(texts.get(each.name, ""), each.control)),
        )
        for each in settings
    ]  # fmt: skip


def _settings(
    path: tuple[str, ...], shape: Shape, said: Mapping[str, Any], defaults: Mapping[str, Any], root: Mapping[str, Any]
) -> Iterator[Setting]:  # fmt: skip
    """One, or one for each that is below it: unless what the version says there would not fit, and be lost."""
    name, below = path[-1], inner_of(shape)
    inner = said.get(name, {})
    if not below or not isinstance(inner, Mapping) or not inner.keys() <= below.keys():
        yield _setting(path, shape, said, defaults)
        return
    outer = defaults.get(name)
    for key, found in below.items():
        under = shape_of(found, root)
        preset = {key: under.schema.get("default"), **(outer if isinstance(outer, Mapping) else {})}
        yield _setting((*path, key), under, inner, preset)


def _setting(
    path: tuple[str, ...], shape: Shape, said: Mapping[str, Any], defaults: Mapping[str, Any]
) -> Setting:
    name, schema = path[-1], shape.schema
    default = _text(name, shape, defaults.get(name))
    initial = _text(name, shape, said[name]) if name in said else ""
    made = _one(
        ".".join((CONTEXT, *path)), ": ".join(map(label, path)), shape, initial, default,
        str(schema.get("description") or ""),
    )  # fmt: skip
    made = replace(made, path=path, left=name not in said)
    if (listed := choices_of(shape)) and _among(listed, said.get(name, [])):
        return _ticked(made, listed, said.get(name), defaults.get(name))
    options = _options(shape, default)
    control: Control = "select" if options else made.control
    least, most = schema.get("minimum"), schema.get("maximum")
    longest = schema.get("maxLength")
    return replace(
        made, control=control, options=options, enum=tuple(schema.get("enum") or ()), hint=hint_of(shape),
        examples=tuple(str(each) for each in schema.get("examples") or ()) if control == "text" else (),
        least=least if isinstance(least, int | float) else None, most=most if isinstance(most, int | float) else None,
        longest=longest if isinstance(longest, int) else None,
    )  # fmt: skip


def _among(listed: tuple[str, ...], value: Any) -> bool:
    return isinstance(value, list) and all(each in listed for each in value)


def _ticked(made: Setting, listed: tuple[str, ...], value: Any, default: Any) -> Setting:
    """Boxes to tick; where nothing is said, those of the graph's default are."""
    preset = default if _among(listed, default) else []
    texts = ["\n".join(each for each in listed if each in said) for said in (preset, value or [])]
    initial = texts[0] if value is None else texts[1]
    return replace(
        made, control="choices", options=tuple(Option(each, each) for each in listed), hint="any of these",
        initial=initial, text=initial, default=texts[0],
    )  # fmt: skip


def _one(name: str, label_: str, shape: Shape, initial: str, default: str, help_: str) -> Setting:
    control = _control(shape, initial, default)
    return Setting(
        name=name, label=label_, control=control, type=shape.type, initial=initial, text=initial, default=default,
        help=help_, rows=_rows(initial, control),
    )  # fmt: skip


def _unknown(context: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[Setting]:
    for name in context:
        if name not in known:
            said = "No setting of this graph, so it has no effect: empty it to take it away."
            made = _one(f"{CONTEXT}.{name}", name, Shape("any", {}), _json(context[name]), "", said)
            yield replace(made, path=(name,))


def _control(shape: Shape, *texts: str) -> Control:
    if is_lines(shape):
        return "lines"
    if shape.type in ("number", "integer"):
        return "number"
    if shape.type not in ("string", "boolean"):
        return "json"
    longest = shape.schema.get("maxLength")
    long = any(len(text) > LONG or "\n" in text for text in texts)
    return "area" if long or (isinstance(longest, int) and longest > 200) else "text"


def _text(name: str, shape: Shape, value: Any) -> str:
    if is_lines(shape) and isinstance(value, list) and all(isinstance(each, str) for each in value):
        return as_sent("\n".join(value))
    return text_of(Field(name=name, label=name, type=shape.type, schema=dict(shape.schema), value=value))


def _options(shape: Shape, default: str) -> tuple[Option, ...]:
    listed = shape.schema.get("enum")
    if shape.type == "boolean":
        found = [Option("true", "yes"), Option("false", "no")]
    elif isinstance(listed, list) and listed:
        texts = [each if isinstance(each, str) else json.dumps(each) for each in listed if each is not None]
        found = [Option(as_sent(text), text) for text in texts]
    else:
        return ()
    said = next((each.label for each in found if each.value == default), default)
    return (Option("", f"default: {said}" if said else "not set"), *found)


def _rows(text: str, control: Control) -> int:
    lines = sum(len(line) // 70 + 1 for line in text.split("\n"))
    return max(3 if control in ("area", "json", "lines") else 1, min(lines + 1, MOST_ROWS))


def _json(value: Any) -> str:
    return as_sent(json.dumps(value, indent=2, ensure_ascii=False))
