"""Every graph has the same furniture, and a page whose drawing and settings are those of the code."""

import json

import pytest

from stationmaster.docs.pages import blank, example, filled, graphs
from tests.fakes.agent_server import ROOT

NAMES = sorted(json.loads((ROOT / "langgraph.json").read_text())["graphs"])
FURNITURE = ("__init__", "state", "context", "prompts", "tools", "nodes", "graph")


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_the_graph_as_it_is(name: str) -> None:
    page = (ROOT / "docs" / "agents" / f"{name}.md").read_text()
    graph = graphs(ROOT / "langgraph.json")[name]
    assert page == filled(page, graph), "run: .venv/bin/python -m stationmaster.docs"


@pytest.mark.parametrize("name", NAMES)
def test_the_folder_has_the_furniture_of_its_siblings(name: str) -> None:
    folder = ROOT / "src" / "agents" / name
    assert [file for file in FURNITURE if not (folder / f"{file}.py").exists()] == []
    assert (folder / "rules" / "__init__.py").exists()


def test_every_folder_of_an_agent_is_declared() -> None:
    folders = {path.name for path in (ROOT / "src" / "agents").iterdir() if (path / "graph.py").exists()}
    assert folders == set(NAMES)


def test_every_setting_of_an_assistant_is_described() -> None:
    for name, graph in graphs(ROOT / "langgraph.json").items():
        fields = (graph.get_context_jsonschema() or {})["properties"]
        assert [field for field, schema in fields.items() if not schema.get("description")] == [], name


def test_a_new_graph_gets_a_page_with_places() -> None:
    page = filled(blank("new"), graphs(ROOT / "langgraph.json")[NAMES[0]])
    assert page.startswith("# new\n")
    assert list(example(page)) == ["messages"]
    assert "graph TD;" in page
    assert "| `model` |" in page


def test_a_page_without_places_is_told() -> None:
    graph = graphs(ROOT / "langgraph.json")[NAMES[0]]
    with pytest.raises(ValueError, match="no place for its drawing"):
        filled("# nothing here", graph)


def test_a_page_without_an_example_is_told() -> None:
    with pytest.raises(ValueError, match="no example: add a heading"):
        example("# new\n\n```json\n{}\n```\n")
