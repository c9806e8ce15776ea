"""The batch: a result a row, and no message sent twice, whatever happens to the script."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from examples.batch import read_results
from tests.agents.support.client import GRAPH, wants_refund
from tests.examples.conftest import Run
from tests.fakes.agent_server import AgentServer
from tests.fakes.shop import Ledger, lock_waiters, locked

PERSON = "I want to talk to a person."


def write_messages(path: Path, texts: list[str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines)
        writer.writerows([["id", "utterance"], *([number, text] for number, text in enumerate(texts))])
    return path


def read(path: Path) -> dict[int, dict[str, Any]]:
    results = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len({result["row"] for result in results}) == len(results)
    return {result["row"]: result for result in results}


async def test_a_result_per_row(
    run: Run, support: AgentServer, tmp_path: Path, order_of: Callable[..., str], ledger: Ledger
) -> None:
    small, large = order_of(48.5), order_of()
    texts = [PERSON, wants_refund(small), wants_refund(large), "How can I pay?", ""]
    messages = write_messages(tmp_path / "messages-1.csv", texts)
    arguments = (
        messages,
        tmp_path / "out.jsonl",
        "--url",
        support.url,
        "--graph",
        GRAPH,
        "--concurrency",
        "3",
    )
    batch = await run("batch.py", *arguments)
    await batch.until("5 rows, 0 done before, 5 to do")
    await batch.until("waits")
    assert await batch.end() == 0
    results = read(tmp_path / "out.jsonl")
    assert [results[row]["status"] for row in range(1, 5)] == ["done", "done", "waits", "done"]
    assert results[1]["outcome"] == "human"
    assert "48.50" in results[2]["reply"]
    assert results[3]["question"]["title"] == f"Refund $640.00 for order {large}?"
    assert ledger.refunded_usd(results[2]["thread_id"]) == [48.5]

    again = await run("batch.py", *arguments)
    await again.until("5 rows, 5 done before, 0 to do\nnothing to do")
    assert await again.end() == 0


@pytest.mark.slow
async def test_a_batch_that_is_killed_goes_on_where_it_was(
    run: Run,
    support: AgentServer,
    client: LangGraphClient,
    tmp_path: Path,
    served_shop: str,
    order_of: Callable[..., str],
    ledger: Ledger,
) -> None:
    """Killed while rows are at work on the server, with half a line written: each row is one run and one refund."""
    texts = [wants_refund(order_of(30 + number)) for number in range(6)]
    messages = write_messages(tmp_path / "messages-2.csv", texts)
    out = tmp_path / "out.jsonl"
    arguments = (messages, out, "--url", support.url, "--graph", GRAPH, "--concurrency", "4")
    with locked(served_shop, "lock table shop.refunds in exclusive mode"):
        first = await run("batch.py", *arguments)
        await lock_waiters(served_shop, like="%shop.refunds%", at_least=4)
        first.process.kill()
        await first.process.wait()
    with out.open("a", encoding="utf-8") as torn:
        torn.write('{"row": 1, "thread')
    second = await run("batch.py", *arguments)
    await second.until("6 done")
    assert await second.end() == 0
    results = read(out)
    assert sorted(results) == [1, 2, 3, 4, 5, 6]
    for row, result in results.items():
        assert len(await client.runs.list(result["thread_id"])) == 1
        assert ledger.refunded_usd(result["thread_id"]) == [29 + row]


def test_a_row_that_nothing_is_known_of_is_asked_for_again(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    lines = [{"row": 1, "status": "done"}, {"row": 2, "status": "unknown"}]
    out.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"row": 3, "st')
    assert read_results(out) == {1}
    assert out.read_text().count("\n") == 2
    assert not out.read_text().endswith("st")


@pytest.mark.parametrize(
    ("content", "message"),
    [("a,b\n1,2\n", "has no column utterance (it has: a, b)"), (None, "No such file")],
)
async def test_a_file_that_cannot_be_read(
    run: Run, tmp_path: Path, content: str | None, message: str
) -> None:
    path = tmp_path / "messages.csv"
    if content:
        path.write_text(content)
    batch = await run("batch.py", path, tmp_path / "out.jsonl")
    await batch.until(message)
    assert await batch.end() == 2
    assert "Traceback" not in batch.shown
