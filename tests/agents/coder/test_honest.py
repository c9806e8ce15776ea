"""What is shown, kept and said is what happened: other tests, another answer on the past, no tenant, no thread."""

from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from agents.coder import graph as coder_graph
from agents.coder import verdict
from agents.shared import database, thread_tenants
from agents.shared.callers import Caller
from tests.agents.coder.in_process import BAD, GOOD, WORSE, Bench, hurry, kinds, letters, solutions, writes
from tests.fakes.openai_server import OpenAIServer

OTHER_TESTS = "from solution import double\n\n\n" + "\n\n".join(
    f"def test_{n}():\n    assert double({n}) == {2 * n}\n" for n in (3, 4)
)
MANY_TESTS = "from solution import double\n\n\n" + "\n\n".join(
    f"def test_{n}():\n    assert double({n}) == {n + 1}\n" for n in range(3)
)


async def test_an_attempt_on_tests_that_a_person_replaced_is_not_the_best(
    openai_server: OpenAIServer, workshop: str
) -> None:
    """x + 1 passes three of the wrong tests, and 2 * x one of them; by the right ones it is the other way round."""
    openai_server.responder = writes(BAD, WORSE, WORSE + "#", tests="")
    bench = Bench.open(model="openai:honest-1")
    await bench.ask("Double it.", MANY_TESTS + "\n\ndef test_no():\n    assert double(1) == 9\n")
    first = (await bench.question()).value
    assert first["title"].startswith("3 of 4")
    openai_server.responder = writes(WORSE, tests="")
    await bench.answer(action="advise", advice="The tests were wrong", tests=OTHER_TESTS)
    shown = (await bench.question()).value
    assert (shown["tests"], shown["code"]) == (OTHER_TESTS, WORSE)
    assert shown["title"].startswith("0 of 2")
    await bench.answer(action="accept")
    (kept,) = solutions(workshop)
    assert (kept["tests"], kept["code"], kept["passed"], kept["total"]) == (OTHER_TESTS, WORSE, 0, 2)


async def test_the_same_code_for_other_tests_is_no_repetition(
    openai_server: OpenAIServer, workshop: str
) -> None:
    openai_server.responder = writes(BAD, WORSE, GOOD, tests="")
    bench = Bench.open(model="openai:honest-2", max_rounds=1)
    await bench.ask("Double it.", MANY_TESTS + "\n\ndef test_no():\n    assert double(1) == 9\n")
    openai_server.responder = writes(BAD, GOOD, tests="")
    bench.context.max_rounds = 3
    state = await bench.answer(action="advise", advice="The tests were wrong", tests=OTHER_TESTS)
    assert (state.get("outcome"), kinds(state)) == ("passed", ["failed", "failed", "passed"])


def test_attempts_of_a_release_that_did_not_mark_them_count() -> None:
    old: Any = {"code": GOOD, "kind": "failed", "summary": "", "passed": 1, "total": 2, "log": ""}
    assert verdict.best({"tries": [old], "checks": "x"}) == old  # type: ignore[typeddict-item]


async def test_another_answer_on_the_past_shows_what_was_kept(
    openai_server: OpenAIServer, workshop: str
) -> None:
    openai_server.responder = writes(BAD)
    bench = Bench.open(model="openai:honest-3", max_rounds=1)
    await bench.ask("Double it.")
    before = await bench.graph.aget_state(bench.config)
    await bench.answer(action="accept")
    openai_server.responder = writes(GOOD)
    await bench.graph.aupdate_state(before.config, {}, as_node="verify")
    values = await bench.run(
        None
    )  # written as `verify`: there are rounds left by the defaults, and one passes
    (kept,) = solutions(workshop)
    assert kept["code"] == BAD
    said = values["messages"][-1].text
    assert "kept already" in said
    assert BAD.strip() in said
    assert "Done in" not in said


async def test_whose_a_task_is_has_to_be_known_before_anything_is_spent_on_it(
    openai_server: OpenAIServer, workshop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the answer's key would make the thread its own."""
    hurry(monkeypatch)

    async def away(*_: Any) -> str:
        raise database.DatabaseUnavailable("gone")

    monkeypatch.setattr("agents.shared.running.tenant_of", away)
    bench = Bench.open(tenant="b", model="openai:honest-4")
    state = await bench.ask("Double it.")
    assert (state.get("outcome"), openai_server.calls, state["tries"]) == ("unavailable", [], [])
    monkeypatch.undo()
    database.configure(workshop)
    assert await thread_tenants.tenant_of(Caller("ann", "b"), bench.thread_id) == "b"


async def test_a_third_tenants_key_spends_nothing_on_a_thread(
    openai_server: OpenAIServer, workshop: str
) -> None:
    bench = Bench.open(tenant="b", model="openai:honest-5")
    await thread_tenants.tenant_of(Caller("cy", "c"), bench.thread_id)
    state = await bench.ask("Double it.")
    assert (state.get("outcome"), openai_server.calls) == ("unavailable", [])
    assert [letter["node"] for letter in letters(workshop)] == ["intake"]


async def test_without_a_thread_nothing_is_begun(workshop: str) -> None:
    """Its key would be that of all others without one."""
    alone = coder_graph.builder.compile()
    with pytest.raises(ValueError, match="needs a thread"):
        await alone.ainvoke({"messages": [HumanMessage("fizzbuzz")]}, context=Bench.open().context)
    assert not solutions(workshop)
