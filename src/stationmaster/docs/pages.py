"""Draws a graph and its settings into its page; a test compares each page with what is drawn now."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from langgraph.pregel import Pregel

Graph = Pregel[Any, Any, Any, Any]
LONGEST_DEFAULT = 40
DOT = "\\2e"


def graphs(config: Path) -> dict[str, Graph]:
    """The graphs of a langgraph.json, by name; they are named in dotted form."""
    found: dict[str, Graph] = {}
    for name, spec in json.loads(config.read_text(encoding="utf-8"))["graphs"].items():
        module, _, attribute = (spec["path"] if isinstance(spec, dict) else spec).partition(":")
        found[name] = getattr(import_module(module), attribute)
    return found


def contexts(config: Path) -> dict[str, dict[str, Any]]:
    """The context schema of each graph that has one."""
    found = {name: graph.get_context_jsonschema() for name, graph in graphs(config).items()}
    return {name: schema for name, schema in found.items() if schema}


def blank(name: str) -> str:
    """The page of a new graph: the places for what is drawn, and the word for what a person has to write."""
    return f"""# {name}

To be written: what it does, and what it never does.

## Try it

```json
{{"messages": [{{"role": "user", "content": "an input that needs no key: a test sends it to a real server"}}]}}
```

## How it runs

<!-- drawing -->
<!-- /drawing -->

## Settings (an assistant's context)

<!-- settings -->
<!-- /settings -->
"""


def example(page: str) -> dict[str, Any]:
    """The input under "Try it": one JSON object, which a reader may paste and a test runs."""
    _, found, after = page.partition("\n## Try it\n")
    _, opened, block = after.partition("```json\n")
    text, closed, _ = block.partition("```")
    if not (found and opened and closed):
        raise ValueError(
            "the page has no example: add a heading `## Try it` with an input in a ```json block"
        )
    return json.loads(text)


def filled(page: str, graph: Graph) -> str:
    """The page with its drawing and its settings as they are now; what stands around them is kept."""
    for name, content in (("drawing", drawing(graph)), ("settings", settings_table(graph))):
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, found, rest = page.partition(start)
        _, closed, after = rest.partition(end)
        if not found or not closed:
            raise ValueError(f"the page has no place for its {name}: add the lines {start.strip()} and {end}")
        page = f"{before}{start}{content}\n{end}{after}"
    return page


def drawing(graph: Graph) -> str:
    """The graph as a Mermaid flowchart, in a fenced block."""
    drawn = graph.get_graph().draw_mermaid(with_styles=False).strip()
    # Dots are escaped in ids, which are all that is shown here; Mermaid reads them as they are.
    return f"```mermaid\n{drawn.replace(DOT, '.')}\n```"


def settings_table(graph: Graph) -> str:
    """The context schema as a Markdown table: field, default, what it does."""
    schema = graph.get_context_jsonschema() or {}
    rows = ["| field | default | what it does |", "|---|---|---|"]
    rows += _rows(schema, schema, "")
    return "\n".join(rows)


def _rows(schema: dict[str, Any], root: dict[str, Any], before: str) -> list[str]:
    """A line each; of settings that hold settings a line for each of these."""
    rows: list[str] = []
    for name, field in schema.get("properties", {}).items():
        inner = root.get("$defs", {}).get(str(field.get("$ref", "")).removeprefix("#/$defs/"), {})
        if "properties" in inner:
            rows += _rows(inner, root, f"{before}{name}.")
        else:
            said = field.get("description", "")
            rows.append(f"| `{before}{name}` | {_shown(field.get('default'))} | {said} |")
    return rows


def _shown(default: Any) -> str:
    if default is None:
        return ""
    text = ", ".join(map(str, default)) if isinstance(default, list) else str(default)
    return "(see prompts.py)" if len(text) > LONGEST_DEFAULT else f"`{text}`"
