"""What an edit may not say, found before anything is written: values that no server keeps, and secrets anywhere."""

from dataclasses import replace
from typing import Any, cast

import pytest

from stationmaster.assistants.editing import wrong
from stationmaster.assistants.errors import NotKeepable
from stationmaster.assistants.writing import write
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import Assistant, ServedAssistant, Signature

SCHEMA = {
    "properties": {
        "most": {"type": ["number", "null"]},
        "prompt": {"type": "string"},
        "roles": {"type": "object"},
    }
}
FINE = Assistant("desk", "support", "What it does", {"most": 2.5, "prompt": "Be kind."}, None, ("a",))
KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 10**400, 2**63, -(2**63) - 1])
@pytest.mark.parametrize("schema", [SCHEMA, None])
def test_a_number_that_no_server_keeps_is_told_at_its_setting(
    value: float, schema: dict[str, Any] | None
) -> None:
    for context, place in ({"most": value}, ("most",)), ({"roles": {"a": [1, value]}}, ("roles", "a", 1)):
        ((where, said),) = wrong(replace(FINE, context=context), schema)
        assert where == ("context", *place) and "write" in said


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "x\udfffy"])
def test_a_text_that_can_not_be_kept_is_told_wherever_it_stands(text: str) -> None:
    for content, place in (
        (replace(FINE, description=text), ("description",)),
        (replace(FINE, tags=("a", text)), ("tags", 1)),
        (replace(FINE, context={"prompt": text}), ("context", "prompt")),
        (replace(FINE, context={"roles": {text: 1}}), ("context", "roles")),
    ):
        ((where, said),) = wrong(content, SCHEMA)
        assert where == place and "can't be kept" in said
        said.encode()


def test_the_largest_numbers_and_every_real_character_are_fine() -> None:
    context = {
        "most": 2**63 - 1,
        "roles": {"a": -(2**63), "b": 1e308, "c": True},
        "prompt": "\U0001f600 \x01 ü",
    }
    assert wrong(replace(FINE, context=context), SCHEMA) == []


def test_a_secret_is_told_wherever_it_stands_and_not_repeated() -> None:
    for content, place in (
        (replace(FINE, description=f"key {KEY}"), ("description",)),
        (replace(FINE, tags=("a", KEY)), ("tags", 1)),
        (replace(FINE, context={"roles": {"a": ["x", KEY]}}), ("context", "roles", "a", 1)),
        (replace(FINE, context={"roles": {"password": "hunter2"}}), ("context", "roles", "password")),
    ):
        ((where, said),) = wrong(content, SCHEMA)
        assert where == place and "looks as if it held" in said
        assert KEY not in said and "hunter2" not in said


async def test_what_would_be_kept_otherwise_is_not_written_at_all() -> None:
    """Nothing that speaks to a server is there: it is refused before it would be asked."""
    before = ServedAssistant.__new__(ServedAssistant)
    for content in (replace(FINE, context={"most": float("inf")}), replace(FINE, description="\0")):
        with pytest.raises(NotKeepable, match="nothing was written"):
            await write(cast(Gateway, None), before, content, Signature("ana", "edit", "because"))
