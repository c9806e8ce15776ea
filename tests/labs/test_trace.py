"""Lab 12: a supervisor hands a task from one worker to the next, and somebody asks next day where the time went.

The log tells what each worker said about itself. As spans the run is one tree: who handed to whom, in which step,
which keys each wrote, what each model call took. A hosted tracer (LangSmith) shows all inputs and outputs besides,
since everything is sent there; here they are left out unless somebody asks for them.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from stationmaster.docs.pages import example, graphs
from tests.fakes.agent_server import CONFIG, ROOT, clean_environment
from tests.fakes.collector import Span, drawn
from tests.fakes.graphs.supervisor import graph
from tests.fakes.langsmith import LangSmith
from tests.stationmaster.tracing.tracing import traced

WRITING = "WRITE_FIGURES"
PAGE = ROOT / "docs" / "tracing.md"
TASK = {"task": "a lamp for Ada"}
RUN = UUID("0192f0c1-6d2e-7a3b-9c4d-5e6f708192a3")
TOLD = (
    "prompts", "answers", "state of each node", "tool arguments", "tokens", "cost", "model", "node and super-step",
    "keys that a node wrote", "hand-offs", "thread", "assistant's version", "tenant", "links from run to run",
)  # fmt: skip


def on_the_page(name: str, text: str) -> None:
    """The part of docs/tracing.md of that name is this text; WRITE_FIGURES=1 makes it so."""
    page = PAGE.read_text(encoding="utf-8")
    before, opened, rest = page.partition(f"<!-- {name} -->\n")
    told, closed, after = rest.partition(f"<!-- /{name} -->")
    assert opened and closed, f"docs/tracing.md has no place for {name}"
    if os.environ.get(WRITING):
        PAGE.write_text(before + opened + text + closed + after, encoding="utf-8")
    else:
        assert told == text, "docs/tracing.md shows something else; WRITE_FIGURES=1 writes it"


def shown(span: Span) -> str:
    """What stands behind a span's name on the page."""
    said = span.attributes
    parts = [f"step {said['langgraph.step']}"] if "langgraph.step" in said else []
    if keys := said.get("langgraph.updated_keys"):
        parts.append(f"wrote {', '.join(keys)}")
    if goto := said.get("langgraph.goto"):
        parts.append(f"handed to {', '.join(goto)}")
    if "gen_ai.usage.input_tokens" in said:
        parts.append(f"{said['gen_ai.usage.input_tokens']} + {said['gen_ai.usage.output_tokens']} tokens")
    return f"  ({'; '.join(parts)})" if parts else ""


async def traced_run(*, content: bool) -> list[Span]:
    with traced(content=content) as tracing:
        tracing.handler.price = {"fake:clerk-1": {"usd_in": 3.0, "usd_out": 15.0}}.get
        known = {"run_id": str(RUN), "assistant_id": "a-1", "assistant_version": 7, "tenant": "main"}
        await graph.ainvoke(TASK, tracing.config(RUN, **known))
        return tracing.spans()


async def test_the_run_is_one_tree_with_its_hand_offs() -> None:
    spans = await traced_run(content=False)
    handed = [span for span in spans if span.attributes.get("langgraph.goto")]
    by_supervisor = [span for span in handed if span.name == "supervisor"]
    assert len(by_supervisor) == 3 and len({span.trace for span in spans}) == 1
    ids = {span.id for span in spans}
    assert [span.name for span in spans if span.parent not in ids] == ["invoke_agent supervisor"]
    assert all(span.attributes["langgraph.thread_id"] for span in spans)
    tree = "\n".join(drawn(spans, shown))
    sys.stdout.write(f"{tree}\n")
    on_the_page("tree", f"```text\n{tree}\n```\n")


async def test_so_is_a_run_of_the_engineering_team(agents_on_seeded_database: str) -> None:
    """The real one: a supervisor above a supervisor, and work that goes back to who did it."""
    name = "engineering_team"
    asked = example((ROOT / "docs" / "agents" / f"{name}.md").read_text(encoding="utf-8"))
    team = graphs(CONFIG)[name].copy(update={"checkpointer": InMemorySaver()})
    with traced() as tracing:
        await team.ainvoke(asked, tracing.config(), context={})
        spans = tracing.spans()
    handed = Counter(span.name for span in spans if span.attributes.get("langgraph.goto"))
    assert handed["supervisor"] >= 3 and handed["lead"] >= 2
    ids = {span.id for span in spans}
    assert [span.name for span in spans if span.parent not in ids] == [f"invoke_agent {name}"]


def of_spans(spans: Sequence[Span]) -> set[str]:
    """What of TOLD is in spans."""
    said = {name for span in spans for name in span.attributes}
    looked_for = {
        "prompts": "gen_ai.input.messages", "answers": "gen_ai.output.messages", "state of each node": "input.value",
        "tool arguments": "gen_ai.tool.call.arguments", "tokens": "gen_ai.usage.input_tokens",
        "cost": "stationmaster.usd", "model": "gen_ai.request.model", "node and super-step": "langgraph.step",
        "keys that a node wrote": "langgraph.updated_keys", "hand-offs": "langgraph.goto",
        "thread": "langgraph.thread_id", "assistant's version": "langgraph.assistant_version",
        "tenant": "stationmaster.tenant",
    }  # fmt: skip
    return {what for what, name in looked_for.items() if name in said} | {"links from run to run"}


def of_langsmith(runs: dict[str, dict[str, Any]]) -> set[str]:
    """What of TOLD was posted to LangSmith; cost it reckons itself, from tokens and its own prices."""
    text = {
        kind: json.dumps([run for run in runs.values() if run["run_type"] == kind])
        for kind in ("llm", "chain", "tool")
    }
    looked_for = {
        "prompts": ("llm", "Who is next?"), "answers": ("llm", '"text": "buyer"'),
        "state of each node": ("chain", "$12"),
        "tool arguments": ("tool", "a lamp"), "tokens": ("llm", "input_tokens"), "cost": ("llm", "input_tokens"),
        "model": ("llm", "clerk-1"), "node and super-step": ("chain", "langgraph_step"),
        "keys that a node wrote": ("chain", '"update": {"notes"'), "hand-offs": ("chain", '"goto": "buyer"'),
        "thread": ("chain", "thread_id"), "assistant's version": ("chain", "assistant_version"),
        "tenant": ("chain", '"tenant"'),
    }  # fmt: skip
    return {what for what, (kind, words) in looked_for.items() if words in text[kind]}


PROGRAM = """
import asyncio, json, sys

connected = []
sys.addaudithook(lambda event, given: connected.append(given[1]) if event == "socket.connect" else None)
from langchain_core.tracers.langchain import wait_for_all_tracers
from stationmaster.settings import load_settings
from stationmaster.tracing import starting
from tests.fakes.graphs.supervisor import graph

starting.start(load_settings())
known = {"thread_id": "t", "assistant_version": 7, "tenant": "main"}
out = asyncio.run(graph.ainvoke(json.loads(sys.argv[1]), {"metadata": known}))
wait_for_all_tracers()
print(json.dumps({"connected": len(connected), "report": out["report"]}))
"""


def run_alone(directory: Path, **environment: str) -> tuple[dict[str, Any], str]:
    """A run in a process of its own: what it says of itself, and what it wrote to its log."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(TASK)], cwd=directory, capture_output=True, text=True, check=True,
        timeout=120, env=clean_environment({"PYTHONPATH": str(ROOT), **environment}),
    )  # fmt: skip
    return json.loads(done.stdout), done.stderr


async def test_what_a_hosted_tracer_adds(tmp_path: Path) -> None:
    with LangSmith.running() as langsmith:
        run_alone(
            tmp_path, LANGSMITH_TRACING="true", LANGSMITH_ENDPOINT=langsmith.url, LANGSMITH_API_KEY="secret-of-ours",
            LANGSMITH_PROJECT="lab",
        )  # fmt: skip
    assert len(langsmith.runs) == 25 and langsmith.keys == {"secret-of-ours"}
    assert {run["session_name"] for run in langsmith.runs.values()} == {"lab"}
    assert "secret-of-ours" not in json.dumps(langsmith.runs)
    columns = [of_spans(await traced_run(content=on)) for on in (False, True)] + [
        of_langsmith(langsmith.runs)
    ]
    rows = [
        f"| {what} | {' | '.join('yes' if what in column else '' for column in columns)} |" for what in TOLD
    ]
    head = ["| | spans | with `STATIONMASTER_TRACE_CONTENT` | LangSmith |", "|---|---|---|---|"]
    on_the_page("told", "\n".join([*head, *rows, ""]))


def test_without_the_variables_nothing_is_sent_and_no_connection_made(tmp_path: Path) -> None:
    said, log = run_alone(
        tmp_path, LANGSMITH_TRACING="", LANGSMITH_ENDPOINT="http://127.0.0.1:9", LANGSMITH_API_KEY="k"
    )
    assert said["connected"] == 0 and "lamp" in said["report"] and not log


@pytest.mark.slow
def test_a_langsmith_that_is_away_costs_one_line_and_not_a_part_of_the_key(tmp_path: Path) -> None:
    said, log = run_alone(
        tmp_path,
        LANGSMITH_TRACING="true",
        LANGSMITH_ENDPOINT="http://127.0.0.1:9",
        LANGSMITH_API_KEY="k-ey-of-ours",
    )
    assert "lamp" in said["report"]
    assert re.fullmatch(r"LangSmith takes no traces: .*\n", log)
