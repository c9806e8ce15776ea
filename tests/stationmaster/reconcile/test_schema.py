"""What an editor says by the JSON Schemas is what the files' reader says."""

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from stationmaster.docs.pages import contexts
from stationmaster.reconcile.files import schema
from tests.fakes.agent_server import ROOT

BROKEN = Path(__file__).with_name("broken")
# What no JSON Schema can say, or an editor says by itself.
READERS_ALONE = {
    "secret", "secret_in_a_comment", "reserved_label", "label_without_value", "text_file_missing", "text_file_outside",
    "text_file_absolute", "unknown_assistant", "no_schedule", "minute_61", "never_fires", "unknown_zone",
    "city_as_zone", "date", "number_as_key", "not_a_number", "tag", "tab", "key_twice", "unclosed", "colon_in_text",
    "two_documents",
    "unknown_alias", "random", "nul", "nul_in_a_key", "half_a_pair", "number_too_long",
}  # fmt: skip
CONTEXTS = contexts(ROOT / "langgraph.json")
SCHEMAS: dict[str, Any] = {"assistants": schema.assistants(CONTEXTS), "crons": schema.crons()}
CASES = sorted(path for path in BROKEN.rglob("*.yaml") if path.stem not in READERS_ALONE)


def wrong(kind: str, text: str) -> list[str]:
    value: Any = YAML(typ="safe").load(text)
    return [error.message for error in Draft202012Validator(SCHEMAS[kind]).iter_errors(value)]


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_editor_sees_the_mistake(path: Path) -> None:
    assert wrong(path.parent.name, path.read_text()) != []


def test_an_editor_sees_mistakes_in_the_settings_of_the_graph() -> None:
    head = "name: a\ngraph: support\ncontext:\n  "
    for right in ("tone: formal", "temperature: 0.5", "system_prompt: {text_file: a.md}", "model: null",
                  "models: {draft: openai:x}", "enabled_tools: [refund]"):  # fmt: skip
        assert wrong("assistants", head + right) == []
    for setting in ("tone: loud", "temperature: 3", "tones: formal", "system_prompt: {file: a.md}",
                    "models: {reply: openai:x}", "enabled_tools: [pay]", "flags: {acknowledge: 3}"):  # fmt: skip
        assert wrong("assistants", head + setting) != []
    assert wrong("assistants", "name: a\ngraph: another\ncontext: {tones: 1}") == [], "the server knows it"


def test_a_schema_that_refers_to_its_own_definitions_keeps_them() -> None:
    inner = {
        "$defs": {"Tool": {"enum": ["search", "mail"]}}, "required": ["tool"],
        "properties": {"tool": {"$ref": "#/$defs/Tool", "description": "Which."}},
    }  # fmt: skip
    made = schema.assistants({"one": inner, "two": inner})
    check = Draft202012Validator(made)
    Draft202012Validator.check_schema(made)
    for graph in ("one", "two"):
        assert check.is_valid({"name": "a", "graph": graph, "context": {"tool": "mail"}})
        assert not check.is_valid({"name": "a", "graph": graph, "context": {"tool": "shell"}})
        assert check.is_valid({"name": "a", "graph": graph, "context": {}}), "it may come with each run"
