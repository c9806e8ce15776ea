"""The JSON Schemas of the files, for editors: `make docs` writes them beside the files, and a test compares.

The graphs' own context schemas are in it, so that an editor completes and checks settings too.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stationmaster.reconcile.files.format import TEXT_FILE, AssistantFile, CronFile

DRAFT = "https://json-schema.org/draft/2020-12/schema"
ASSISTANTS = Path("assistants") / "schema.json"
CRONS = Path("crons") / "schema.json"
_TEXT = {
    "type": "object", "properties": {TEXT_FILE: {"type": "string"}}, "required": [TEXT_FILE],
    "additionalProperties": False, "description": "A text that stands in a file beside this one.",
}  # fmt: skip


def texts(contexts: Mapping[str, Mapping[str, Any]]) -> dict[Path, str]:
    """What both schema files hold. `contexts`: the context schema of each graph."""
    return {ASSISTANTS: _text(assistants(contexts)), CRONS: _text(crons())}


def assistants(contexts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Draft 2020-12; the graph that a file names decides what its context may hold."""
    found = AssistantFile.model_json_schema()
    found["properties"]["graph"] |= {"examples": sorted(contexts)}
    definitions = {"TextFile": _TEXT, **found.pop("$defs", {})}
    choices = []
    for graph, schema in sorted(contexts.items()):
        inner = _prefixed(dict(schema), graph)
        definitions |= {f"{graph}.{name}": each for name, each in inner.pop("$defs", {}).items()}
        definitions[f"{graph}.context"] = _or_text(inner)
        choices.append(
            {
                "if": {"properties": {"graph": {"const": graph}}, "required": ["graph"]},
                "then": {"properties": {"context": {"$ref": f"#/$defs/{graph}.context"}}},
            }
        )
    return {
        "$schema": DRAFT, **found, "title": "Stationmaster assistant", "allOf": choices, "$defs": definitions,
    }  # fmt: skip


def crons() -> dict[str, Any]:
    """Draft 2020-12."""
    return {"$schema": DRAFT, **CronFile.model_json_schema(), "title": "Stationmaster cron"}


def _or_text(schema: dict[str, Any]) -> dict[str, Any]:
    """Each setting as the graph wants it, or in a text file. A required one may come with each run."""
    settings = {
        name: {
            **({"description": setting["description"]} if "description" in setting else {}),
            "anyOf": [setting, {"$ref": "#/$defs/TextFile"}],
        }
        for name, setting in schema.get("properties", {}).items()
    }
    schema.pop("required", None)
    return {**schema, "properties": settings} if settings else schema


def _prefixed(schema: Any, graph: str) -> Any:
    """References into the graph's own definitions, which lie at the root of our schema."""
    if isinstance(schema, dict):
        return {
            key: f"#/$defs/{graph}.{value.removeprefix('#/$defs/')}"
            if key == "$ref" and isinstance(value, str) and value.startswith("#/$defs/")
            else _prefixed(value, graph)
            for key, value in schema.items()
        }
    return [_prefixed(item, graph) for item in schema] if isinstance(schema, list) else schema


def _text(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
