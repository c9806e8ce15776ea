"""The comparison with a deployment over HTTP: many threads, and all that does not answer as a deployment."""

import asyncio
import time
from typing import Any
from uuid import uuid4

import pytest
from langgraph.types import Interrupt

from stationmaster.checking.against import comparing
from stationmaster.checking.against.comparing import compare
from stationmaster.errors import StationmasterError
from tests.stationmaster.checking.deployments import answering, garbage, holding, other_json, slow, status
from tests.stationmaster.checking.paused import whole_of

MANY = 3_400


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (status(401), "refused with 401 (no): set STATIONMASTER_API_KEY to a key that it accepts"),
        (status(500), "answered 500 (no): see its log, then do it again"),
        (status(404), "does not have it (no)"),
        (garbage, "is no Agent Server's"),
        (other_json, "is no Agent Server's"),
        (slow, "does not answer (ReadTimeout)"),
    ],
)
async def test_what_does_not_answer_as_a_deployment(
    answers: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "PATIENCE_S", (0.5, 0.5, 0.5, 0.5))
    whole = await asyncio.to_thread(whole_of, "old")
    with answering(answers) as url, pytest.raises(StationmasterError) as error:
        await compare(whole, url, None)
    assert said in str(error.value)
    assert url in str(error.value)


async def test_thousands_of_threads_are_a_handful_of_requests() -> None:
    whole, asked = await asyncio.to_thread(whole_of, "with_risk"), list[str]()
    rows = [row_of(number) for number in range(MANY)]
    with answering(holding(rows, ["begin", "ask", "end"], asked)) as url:
        began = time.monotonic()
        found = await compare(whole, url, None)
    assert time.monotonic() - began < 20
    assert found.threads == MANY
    assert len({each.thread_id for each in found.breaks}) == MANY
    assert {each.reason.name for each in found.breaks} == {"required-key"}
    assert (
        len(asked) == 14 + 3 + 2
    )  # pages of those that wait, other statuses, the assistants and their graph


async def test_a_graph_that_this_code_has_not() -> None:
    whole, asked = await asyncio.to_thread(whole_of, "old"), list[str]()
    rows = [{**row_of(1), "metadata": {"graph_id": "other"}}, {**row_of(2), "metadata": None}]
    with answering(holding(rows, ["ask"], asked)) as url:
        found = await compare(whole, url, None)
    assert [each.reason.name for each in found.breaks] == ["graph-gone", "graph-gone"]


async def test_a_thread_that_is_deleted_meanwhile() -> None:
    whole = await asyncio.to_thread(whole_of, "old")
    row = row_of(1)
    row["interrupts"] = {"a task": [{"id": "of no node that is known", "value": "?"}]}
    there = holding([row], ["ask"], [])

    def answers(path: str, body: Any) -> tuple[int, bytes]:
        return (404, b'{"detail": "gone"}') if "/state" in path else there(path, body)

    with answering(answers) as url:
        found = await compare(whole, url, None)
    assert (found.threads, found.breaks) == (0, [])


def row_of(number: int) -> dict[str, Any]:
    task = str(uuid4())
    question = {
        "id": Interrupt.from_ns(None, f"ask:{task}").id,
        "value": {"kind": "first", "title": "Is it right?"},
    }
    return {
        "thread_id": f"thread {number}", "status": "interrupted", "metadata": {"graph_id": "g"},
        "values": {"notes": ["begun"]}, "interrupts": {task: [question]},
    }  # fmt: skip
