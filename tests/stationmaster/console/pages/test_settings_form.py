"""A graph's context schema as a form, and the form as content again: pure, for every shape that a schema may have."""

from typing import Any, Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import FormData

from stationmaster.assistants.editing import propose_edit
from stationmaster.console.pages.assistants import drafting
from stationmaster.console.pages.assistants.saving import reason_of
from stationmaster.console.pages.assistants.settings import Setting, settings_of
from stationmaster.console.pages.assistants.words import change_of, name_of_field, text_of
from stationmaster.console.yaml_files import file_name
from stationmaster.reconcile.errors import Conflict
from stationmaster.reconcile.files.format import AssistantFile
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.reading_back import assistant_from
from stationmaster.reconcile.resources import Assistant, ServedAssistant
from tests.stationmaster.console.pages.questions import EVIL


class Limits(BaseModel):
    steps: int = 3


class Roles(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    read: str | None = None
    loud: bool = False
    most: int = Field(default=3, ge=1, le=9, description="At most.")


class Context(BaseModel):
    """One field of each kind."""

    model: str | None = Field(default=None, examples=["openai:x", "offline:rules"])
    prompt: str = Field(default="Be kind.\nBe short.", min_length=1, description="Who it is.")
    tone: Literal["friendly", "brief"] = "friendly"
    level: Literal[1, 2, 3] = 2
    share: float = Field(default=0.5, gt=0, lt=1)
    turns: int = Field(default=5, ge=1, le=9)
    strict: bool = False
    tools: list[Literal["search", "mail"]] = Field(default_factory=lambda: ["search"])
    may: list[Literal["pay", "mail"]] = ["pay"]
    roles: Roles = Roles(loud=True)
    words: list[str] | None = None
    limits: Limits = Field(default_factory=Limits)
    price_usd: float = 2.5


SCHEMAS: dict[str, Any] = {"context_schema": Context.model_json_schema()}


def version(context: dict[str, Any], **more: Any) -> ServedAssistant:
    metadata = {"managed_by": "stationmaster", "name": "desk", **more}
    row = {
        "assistant_id": "a", "graph_id": "desk", "name": "desk", "version": 3, "metadata": metadata, "description": "",
        "config": {"tags": []}, "context": context, "updated_at": "2026-11-30T10:00:00+00:00",
    }  # fmt: skip
    return assistant_from(row)


def by_name(context: dict[str, Any], schemas: dict[str, Any] = SCHEMAS) -> dict[str, Setting]:
    found = settings_of(Assistant("desk", "desk", context=context), schemas)
    return {each.name.removeprefix("context."): each for each in found}


def sent(context: dict[str, Any], **texts: str) -> drafting.Draft:
    """A form that was drawn, with some of its texts changed."""
    drawn = drafting.drawn(version(context), SCHEMAS)
    form = {f"field:{each.name}": each.text for each in (*drawn.settings, *drawn.general)}
    return drafting.read(
        version(context), SCHEMAS, form | {f"field:context.{k}": v for k, v in texts.items()}
    )


def test_controls_hints_and_defaults():
    drawn = by_name({"turns": 7})
    controls = {name: each.control for name, each in drawn.items()}
    assert controls == {
        "model": "text", "prompt": "area", "tone": "select", "level": "select", "share": "number", "turns": "number",
        "strict": "select", "tools": "choices", "may": "choices", "words": "lines", "limits": "json",
        "price_usd": "number", "roles.read": "text", "roles.loud": "select", "roles.most": "number",
    }  # fmt: skip
    assert (drawn["turns"].text, drawn["turns"].hint) == ("7", "whole number, 1 to 9")
    assert drawn["share"].hint == "number, more than 0, less than 1" and drawn["price_usd"].default == "2.50"
    assert drawn["model"].examples == ("openai:x", "offline:rules") and drawn["prompt"].help == "Who it is."
    assert [option.label for option in drawn["strict"].options] == ["default: no", "yes", "no"]
    assert [option.label for option in drawn["level"].options] == ["default: 2", "1", "2", "3"]
    assert [option.value for option in drawn["tools"].options] == ["search", "mail"]
    assert (drawn["may"].chosen, drawn["may"].left) == (("pay",), True), "the default's are ticked"
    most = drawn["roles.most"]
    assert (most.label, most.default, most.hint, most.help) == (
        "Roles: Most", "3", "whole number, 1 to 9", "At most."
    )  # fmt: skip
    assert drawn["roles.loud"].options[0].label == "default: yes", "the graph's, not the class's"
    assert all(not each.text for name, each in drawn.items() if name not in ("turns", "may"))


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("model", "offline:rules", "offline:rules"), ("prompt", "a\r\nb", "a\nb"), ("tone", "brief", "brief"),
        ("level", "3", 3), ("share", "0.25", 0.25), ("turns", "9", 9), ("strict", "true", True),
        ("tools", "mail\n\n search ", ["mail", "search"]), ("may", "mail", ["mail"]), ("may", "", []),
        ("words", "5", ["5"]),
        ("limits", '{"steps": 4}', {"steps": 4}), ("price_usd", "3", 3),
    ],
)  # fmt: skip
def test_each_kind_keeps_its_type(name: str, text: str, value: Any):
    draft = sent({}, **{name: text})
    assert draft.fits and draft.content.context == {name: value}
    assert type(draft.content.context[name]) is type(value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("share", "1", "out of range: write less than 1"), ("turns", "0", "write at least 1"),
        ("turns", "2.5", "no whole number"), ("level", "7", "choose one of the list"), ("strict", "maybe", "no JSON"),
        ("tools", "fly", "none of the values: write one of search, mail"), ("limits", "{", "is no JSON"),
        ("limits", "[]", "must be a JSON object"), ("prompt", "x sk-abcdefghijklmnopqrstuvwxyz", "looks as if it held"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_at_its_setting(name: str, text: str, said: str):
    draft = sent({}, **{name: text})
    assert list(draft.errors) == [f"context.{name}"] and said in draft.errors[f"context.{name}"]
    (shown,) = (each for each in draft.settings if each.name == f"context.{name}")
    assert shown.text == text and shown.error


@pytest.mark.parametrize(
    ("before", "texts", "after"),
    [
        ({}, {"roles.most": "4"}, {"roles": {"most": 4}}),
        ({"roles": {"read": "x"}}, {"roles.loud": "false"}, {"roles": {"read": "x", "loud": False}}),
        ({"roles": {"read": "x", "most": 2}}, {"roles.read": ""}, {"roles": {"most": 2}}),
        ({"roles": {"read": "x"}}, {"roles.read": " "}, {}),
        ({"roles": {}}, {}, {"roles": {}}),
        ({"may": ["mail", "mail"]}, {}, {"may": ["mail", "mail"]}),
        ({"may": ["mail"]}, {"may": "pay"}, {}),
        ({"may": ["pay"]}, {"tone": "brief"}, {"may": ["pay"], "tone": "brief"}),
    ],
)
def test_what_is_below_a_setting_and_boxes(
    before: dict[str, Any], texts: dict[str, str], after: dict[str, Any]
):
    """One of several is changed by itself; emptied, it is the default's; ticked as by default, it is left to it."""
    draft = sent(before, **texts)
    assert draft.fits and draft.content.context == after


def test_what_is_wrong_below_a_setting_is_said_there():
    assert "write at least 1" in sent({}, **{"roles.most": "0"}).errors["context.roles.most"]
    secret = sent({}, **{"roles.read": "sk-abcdefghijklmnopqrstuvwxyz"})
    assert "looks as if it held" in secret.errors["context.roles.read"]


def test_what_would_be_lost_in_controls_of_its_own_stays_json():
    drawn = by_name({"roles": {"read": "x", "sing": 1}, "may": ["fly"]})
    assert (drawn["roles"].control, drawn["may"].control) == ("json", "lines")
    assert '"sing": 1' in drawn["roles"].text and drawn["may"].text == "fly"
    assert "is no setting" in sent({"roles": {"sing": 1}}, tone="brief").errors["context.roles"]


def test_boxes_as_a_browser_sends_them():
    """An empty entry comes always: nothing ticked is something else than nothing asked."""
    name = "field:context.may"
    for entries, context in (
        ([""], {"may": []}), (["", "pay", "mail"], {"may": ["pay", "mail"]}), (["", "pay"], {}),
        (["pay\nmail"], {"may": ["pay", "mail"]}), ([], {}),
    ):  # fmt: skip
        form = FormData([(name, entry) for entry in entries])
        assert drafting.read(version({}), SCHEMAS, form).content.context == context


VALUES = st.fixed_dictionaries(
    {},
    optional={
        "model": st.none() | st.text(max_size=20), "prompt": st.text(min_size=1),
        "tone": st.sampled_from(["friendly", "brief"]),
        "level": st.sampled_from([1, 2, 3]), "share": st.floats(0.01, 0.99), "turns": st.integers(1, 9),
        "strict": st.booleans(), "words": st.none() | st.lists(st.text(max_size=9)), "price_usd": st.integers(0, 9),
        "may": st.lists(st.sampled_from(["pay", "mail", "fly"])), "roles": st.dictionaries(
            st.sampled_from(["read", "most", "loud", "sing"]), st.none() | st.integers(1, 9) | st.text(max_size=4)
        ),
        "limits": st.dictionaries(st.just("steps"), st.integers()), "unknown": st.recursive(
            st.none() | st.booleans() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3), max_leaves=5
        ),
    },
)  # fmt: skip


@given(VALUES)
def test_what_is_not_touched_is_not_changed(context: dict[str, Any]):
    """Whatever stands there: a form that comes back as it was drawn says exactly the same."""
    draft = sent(context)
    assert draft.content == version(context).content()
    assert {name: type(value) for name, value in draft.content.context.items()} == {
        name: type(value) for name, value in context.items()
    }


def test_emptied_is_the_default_and_what_is_no_setting_can_be_taken_away():
    draft = sent({"tone": "brief", "odd": [1]}, tone="")
    assert draft.content.context == {"odd": [1]} and "context.odd" in draft.errors
    draft = sent({"tone": "brief", "odd": [1]}, odd="")
    assert draft.content.context == {"tone": "brief"} and draft.fits


def test_a_graph_without_a_schema_has_one_field():
    for schemas in ({}, {"context_schema": None}, {"context_schema": {"type": "object"}}):
        (only,) = by_name({"a": 1}, schemas).values()
        assert only.control == "json" and only.name == "context"
        drawn = drafting.read(version({"a": 1}), schemas, {"field:context": '{"b": [2]}'})
        assert drawn.fits and drawn.content.context == {"b": [2]}
        assert (
            "is no JSON"
            in drafting.read(version({"a": 1}), schemas, {"field:context": "{"}).errors["context"]
        )


def test_what_stands_beside_the_settings():
    form = {
        "field:description": " For days \n of rain ",
        "field:tags": "a, b,a,,",
        "field:recursion_limit": "40",
    }
    content = drafting.read(version({}), SCHEMAS, form).content
    assert (content.description, content.tags, content.recursion_limit) == (
        "For days \n of rain",
        ("a", "b"),
        40,
    )
    bad = {"field:description": "x" * 2_001, "field:tags": "x" * 201, "field:recursion_limit": "many"}
    assert set(drafting.read(version({}), SCHEMAS, bad).errors) == {"description", "tags", "recursion_limit"}


@pytest.mark.parametrize(
    "name", ["Somebody's try", "../../etc/passwd", EVIL, "", "ß", "a" * 100, "x\ny", "-._"]
)
def test_a_foreign_name_becomes_one_that_a_file_may_have(name: str):
    made = file_name(name)
    assert AssistantFile(name=made, graph="x").name == made and "/" not in made


def test_reasons_are_one_line_without_what_a_terminal_obeys():
    assert reason_of(FormData({"reason": " a\x1b[31m\n b\u202e  c "})) == "a [31m b c"
    assert reason_of(FormData({})) == "" and len(reason_of(FormData({"reason": "x" * 5_000}))) == 1_000


def test_values_and_changes_in_words():
    assert text_of("context.price_usd", 3) == "3.00" and text_of("live", True) == "yes"
    assert text_of("context.models", {"draft": "a:b", "strict": False}) == "Draft: a:b\nStrict: no"
    assert text_of("context.may", []) == "none"
    assert text_of("tags", ["a", "b"]) == "a, b" and text_of("context.x", None) == "nothing"
    assert (name_of_field("context.price_usd"), name_of_field("metadata.team")) == (
        "Price (USD)",
        "Label team",
    )
    odd = change_of(version({}, change={"author": 5, "reason": None, "at": "yesterday"}))
    assert odd.author == "5" and odd.reason == "" and odd.at is not None and odd.at.year == 2026


@pytest.mark.parametrize("setting", ["description", "tags", "context.prompt"])
def test_a_secret_is_told_at_its_field(setting: str) -> None:
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
    draft = drafting.read(version({}), SCHEMAS, FormData({f"field:{setting}": key}))
    assert "looks as if it held" in draft.errors[setting] and not draft.problem


async def test_who_edited_an_older_version_is_told_what_holds_beside_a_form_too() -> None:
    """The API says the same, and has nothing below it."""
    found = version({})
    with pytest.raises(Conflict, match="you edited version 1: nothing was written") as refused:
        await propose_edit(cast(Gateway, None), None, found, found.content(), expected=1)
    assert "below" not in str(refused.value)
