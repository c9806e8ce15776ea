"""Projects of all kinds: graphs made by factories, broken imports, JavaScript, code without source, huge graphs."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from stationmaster.checking.audit import Report
from stationmaster.checking.finding import Finding
from stationmaster.server.stock import Project, read_project
from tests.stationmaster.checking.auditing import report_on

HEAD = """
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any
import httpx
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from langgraph_sdk.runtime import ServerRuntime
from typing_extensions import TypedDict

class State(TypedDict, total=False):
    done: bool

def pays(state):
    httpx.post("https://example.com/payments")
    return {"done": interrupt("pay?")}

def line(node=pays):
    builder = StateGraph(State)
    builder.add_node("gate", node)
    builder.add_edge(START, "gate")
    builder.add_edge("gate", END)
    return builder
"""


def report(
    directory: Path, code: str, *names: str, name: str = "made_here", days: float = 30, **config: Any
) -> Report:
    """The report on a project of one module."""
    (directory / f"{name}.py").write_text(HEAD + code)
    graphs = {each: f"./{name}.py:{each}" for each in names}
    (directory / "langgraph.json").write_text(json.dumps({"graphs": graphs, **config}, indent=2))
    return report_on(read_project(directory), days)


def of_rule(found: Report, rule: str) -> list[Finding]:
    return [each for each in found.findings if each.rule == rule]


FACTORIES = """
uncompiled = line()
compiled = line().compile()
renamed = line().compile().with_config(recursion_limit=7)

def plain():
    return line().compile()

def configured(config: RunnableConfig):
    assert config["configurable"] == {}
    return line()

async def awaited(runtime: ServerRuntime):
    assert runtime.access_context == "assistants.read"
    return line().compile()

async def both(config, runtime: "ServerRuntime"):
    return line().compile()

@asynccontextmanager
async def entered(config):
    yield line().compile()

@contextmanager
def entered_plainly():
    yield line().compile()

class Made:
    def __call__(self):
        return line().compile()

made = Made()
partly = partial(line, pays)
"""


@pytest.mark.parametrize(
    "name",
    [
        "uncompiled", "compiled", "renamed", "plain", "configured", "awaited", "both", "entered",
        "entered_plainly", "made", "partly",
    ],
)  # fmt: skip
def test_a_graph_is_found_however_it_is_made(tmp_path: Path, name: str) -> None:
    found = report(tmp_path, FACTORIES, name)
    assert [each.rule for each in found.findings] == ["effect-before-pause"]
    assert found.findings[0].place.line == HEAD[: HEAD.index("httpx.post")].count("\n") + 1


BROKEN = """
def fails():
    raise ValueError("no database")

def leaves():
    raise SystemExit(3)

nothing = 3
unset = None
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fails", "ValueError: no database"),
        ("leaves", "SystemExit: 3"),
        ("nothing", "it is of type int, and neither a graph nor a function that makes one"),
        ("unset", "it is None, and neither a graph nor a function that makes one"),
        ("absent", "./made_here.py:absent: there is no 'absent' in it; it has no graph"),
    ],
)
def test_a_graph_that_can_not_be_made(tmp_path: Path, name: str, said: str) -> None:
    (found,) = report(tmp_path, BROKEN, name).findings
    assert (found.rule, found.graph, found.said) == ("not-loaded", name, said)
    if name in ("fails", "leaves"):
        assert (
            (tmp_path / "made_here.py")
            .read_text()
            .splitlines()[found.place.line - 1]
            .strip()
            .startswith("raise")
        )
    else:
        assert found.place.file == tmp_path / "langgraph.json"


@pytest.mark.parametrize("spec", ["nocolon", ":graph", "made_here.py:", 5, None, {"path": ""}, {}])
def test_a_name_that_names_no_graph(tmp_path: Path, spec: Any) -> None:
    (tmp_path / "langgraph.json").write_text(json.dumps({"graphs": {"odd": spec}}))
    (found,) = report_on(read_project(tmp_path), 30).findings
    assert (found.rule, found.said) == ("not-loaded", 'odd names no graph: write "package.module:graph"')


@pytest.mark.parametrize(
    ("code", "said", "line"),
    [
        ("import nowhere.at_all\n", "ModuleNotFoundError: No module named 'nowhere'", "import nowhere"),
        ("def (:\n", "SyntaxError: invalid syntax", "def (:"),
        ("raise KeyError('DATABASE')\n", "KeyError: 'DATABASE'", "raise KeyError"),
    ],
)
def test_a_module_that_can_not_be_imported(tmp_path: Path, code: str, said: str, line: str) -> None:
    (found,) = report(tmp_path, code, "graph").findings
    assert found.said.startswith(said)
    assert (tmp_path / "made_here.py").read_text().splitlines()[found.place.line - 1].startswith(line)


def test_one_broken_graph_hides_no_other(tmp_path: Path) -> None:
    found = report(tmp_path, FACTORIES + BROKEN, "fails", "plain")
    assert [(each.graph, each.rule) for each in found.findings] == [
        ("fails", "not-loaded"), ("plain", "effect-before-pause"),
    ]  # fmt: skip


def test_what_is_none_of_ours_is_said(tmp_path: Path) -> None:
    project = Project(
        tmp_path, {"graphs": {"web": "./src/agent.ts:graph", "other": {"path": "./agent.mjs:graph"}}}
    )
    found = report_on(project)
    assert found.findings == []
    assert found.notes == [
        "web was not looked at: it is JavaScript, which this does not read",
        "other was not looked at: it is JavaScript, which this does not read",
    ]


STRANGE = """
space = {}
exec("def generated(state):\\n    return {'done': True}\\ndef chosen(state):\\n    return 'gate'", space)

class Node:
    def __call__(self, state):
        httpx.post("https://example.com/payments")
        return {"done": interrupt("pay?")}

    async def method(self, state):
        httpx.post("https://example.com/payments")
        return {"done": interrupt("pay?")}

    @staticmethod
    def fixed(state):
        httpx.post("https://example.com/payments")
        return {"done": interrupt("pay?")}

def shaped(state, config, *, extra=None):
    httpx.post("https://example.com/payments")
    return {"done": interrupt("pay?")}

def itself(state, depth=0):
    return itself(state, depth + 1) if depth < 3 else {"done": other(state)}

def other(state):
    return itself(state)

pair = lambda state: {"done": True}, lambda state: {"done": (httpx.post("https://example.com"), interrupt("pay?"))}

def routed():
    builder = StateGraph(State)
    builder.add_node("gate", space["generated"])
    builder.add_conditional_edges(START, space["chosen"])
    builder.add_edge("gate", END)
    return builder

generated = line(space["generated"])
generated_router = routed()
instance = line(Node())
method = line(Node().method)
fixed = line(Node.fixed)
part = line(partial(shaped, extra=1))
first_lambda = line(pair[0])
second_lambda = line(pair[1])
recursive = line(itself)
"""


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("generated", ["straight-line"]),
        ("generated_router", []),
        ("instance", ["effect-before-pause"]),
        ("method", ["effect-before-pause"]),
        ("fixed", ["effect-before-pause"]),
        ("part", ["effect-before-pause"]),
        ("first_lambda", ["straight-line"]),
        ("second_lambda", ["effect-before-pause"]),
        ("recursive", ["straight-line"]),
    ],
)
def test_strange_nodes(tmp_path: Path, name: str, rules: list[str]) -> None:
    assert [each.rule for each in report(tmp_path, STRANGE, name).findings] == rules


SUBGRAPHS = """
inner = line()
for _ in range(5):
    inner = line(inner.compile())
deep = inner.compile()
"""


def test_what_is_wrong_in_a_subgraph_is_found_there(tmp_path: Path) -> None:
    found = report(tmp_path, SUBGRAPHS, "deep")
    assert [each.graph for each in of_rule(found, "effect-before-pause")] == ["deep" + "/gate" * 5]


HUGE = """
def work(number):
    def node(state):
        return {f"key": number} if number % 2 else {"other": number}
    return node

class Wide(TypedDict, total=False):
    key: int
    other: int

def huge():
    builder = StateGraph(Wide)
    for number in range(200):
        builder.add_node(f"node_{number}", work(number))
    builder.add_edge(START, "node_0")
    for number in range(199):
        builder.add_edge(f"node_{number}", f"node_{number + 1}")
        builder.add_edge(f"node_{number}", f"node_{(number * 7 + 3) % 200}")
    return builder
"""


def test_a_graph_of_200_nodes(tmp_path: Path) -> None:
    began = time.monotonic()
    found = report(tmp_path, HUGE, "huge")
    assert time.monotonic() - began < 20
    assert {each.rule for each in found.findings} == {"no-reducer", "no-ceiling"}


def test_no_retention(tmp_path: Path) -> None:
    well = report(tmp_path, FACTORIES, "plain", days=30)
    assert of_rule(well, "no-retention") == []
    kept = report(tmp_path, FACTORIES, "plain", days=0, checkpointer={"ttl": {"default_ttl": 60}})
    assert of_rule(kept, "no-retention") == []
    (found,) = of_rule(report(tmp_path, FACTORIES, "plain", days=0), "no-retention")
    assert (found.place.file.name, found.place.line) == ("langgraph.json", 1)
    (tmp_path / ".env").write_text("A=1\nSTATIONMASTER_RETENTION_DAYS=0\n")
    (found,) = of_rule(report(tmp_path, FACTORIES, "plain", days=0), "no-retention")
    assert (found.place.file.name, found.place.line) == (".env", 2)
    (tmp_path / ".env").write_text(
        "# check: allow no-retention: the auditors want every thread\nSTATIONMASTER_RETENTION_DAYS=0\n"
    )
    excused = report(tmp_path, FACTORIES, "plain", days=0)
    assert of_rule(excused, "no-retention") == []
    assert [each.excused for each in excused.excused] == ["the auditors want every thread"]


LONG = """
def long(state):
    total = TERMS
    return {"done": bool(total)}

graph = line(long)
""".replace("TERMS", " + ".join(["len(state)"] * 2_000))


def test_code_that_is_nested_deeper_than_it_can_be_walked(tmp_path: Path) -> None:
    """The command walks it (its process may go deeper); here a rule that fails is told, and the others go on."""
    found = report(tmp_path, LONG, "graph")
    assert all("this is a bug of the check" in note for note in found.notes)
    assert "not-loaded" not in {each.rule for each in found.findings}
