"""Whole tasks in this process: rounds, what a person may do, how it ends, and what is kept."""

from uuid import uuid4

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import ValidationError

from agents.coder.context import MAX_ADVICE
from agents.coder.rules.library import known
from tests.agents.coder.in_process import (
    BAD,
    DOUBLE_TESTS,
    GOOD,
    WORSE,
    Bench,
    kinds,
    letters,
    solutions,
    writes,
)
from tests.fakes.openai_server import OpenAIServer

ODD = "Fold the laundry."


@pytest.fixture
def model() -> str:
    """A name of its own, for a breaker of its own."""
    return f"openai:{uuid4().hex}"


async def test_a_task_that_works_at_once_is_kept_once(workshop: str) -> None:
    bench = Bench.open(tenant="b")
    state = await bench.ask("Write a function that makes a slug of a title.")
    assert bench.nodes == ["intake", "generate", "verify", "keep", "report"]
    assert (state.get("outcome"), kinds(state)) == ("passed", ["passed"])
    (kept,) = solutions(workshop)
    assert (kept["tenant"], kept["status"], kept["passed"], kept["total"]) == ("b", "passed", 4, 4)
    assert kept["code"] == state["tries"][0]["code"]
    assert "```python\nimport re" in state["messages"][-1].text


async def test_what_failed_is_looked_at_and_mended(workshop: str) -> None:
    bench = Bench.open()
    state = await bench.ask("Roman numerals, please.")
    assert bench.nodes == [
        "intake",
        *["generate", "verify", "critique"],
        *["generate", "verify"],
        "keep",
        "report",
    ]
    assert (state.get("outcome"), kinds(state)) == ("passed", ["failed", "passed"])
    assert "test_solution.py" in state.get("critique", "")
    assert len(solutions(workshop)) == 1


async def test_the_callers_tests_count_and_only_for_this_task(workshop: str) -> None:
    bench = Bench.open()
    tests = "from solution import slugify\n\ndef test_mine():\n    assert slugify('A B') == 'a-b'\n"
    state = await bench.ask("As the tests say.", tests)
    assert (state.get("outcome"), state.get("checks"), state.get("tests")) == ("passed", tests, "")
    state = await bench.ask("And now fizzbuzz.")
    assert (state.get("outcome"), "fizzbuzz" in state.get("checks", "")) == ("passed", True)
    assert len(solutions(workshop)) == 2


async def test_a_model_can_not_soften_the_tests(
    openai_server: OpenAIServer, workshop: str, model: str
) -> None:
    openai_server.responder = writes(BAD, GOOD, tests="def test_nothing():\n    pass\n")
    bench = Bench.open(model=model)
    state = await bench.ask("Double it.", DOUBLE_TESTS)
    assert (state.get("outcome"), kinds(state), state.get("checks")) == (
        "passed",
        ["failed", "passed"],
        DOUBLE_TESTS,
    )


async def test_three_rounds_and_then_a_person_is_asked(
    openai_server: OpenAIServer, workshop: str, model: str
) -> None:
    openai_server.responder = writes(WORSE, BAD, WORSE + "\n# again")
    bench = Bench.open(model=model)
    state = await bench.ask("Double it.")
    assert (len(state["tries"]), await bench.next()) == (3, ("ask",))
    question = (await bench.question()).value
    assert question["title"] == "0 of 1 tests pass after 3 attempts: what now?"
    assert {
        "task",
        "code",
        "tests",
        "log",
        "attempts",
        "on_advise",
        "on_accept",
        "on_stop",
    } <= question.keys()
    assert solutions(workshop) == []


async def test_advice_opens_new_rounds(openai_server: OpenAIServer, workshop: str, model: str) -> None:
    openai_server.responder = writes(WORSE, BAD, WORSE + "\n# again", GOOD)
    bench = Bench.open(model=model)
    await bench.ask("Double it.")
    state = await bench.answer(action="advise", advice="Multiply by two.")
    assert (state.get("outcome"), bench.nodes) == ("passed", ["ask", "generate", "verify", "keep", "report"])
    assert "Multiply by two." in str(openai_server.calls[-1].body)
    assert len(solutions(workshop)) == 1


async def test_a_person_may_give_other_tests(workshop: str) -> None:
    bench = Bench.open()
    await bench.ask(ODD)
    state = await bench.answer(action="advise", advice=GOOD, tests=DOUBLE_TESTS)
    assert (state.get("outcome"), state.get("checks")) == ("passed", DOUBLE_TESTS)


async def test_a_person_may_take_the_best_attempt_as_it_is(workshop: str) -> None:
    bench = Bench.open()
    await bench.ask(ODD)
    state = await bench.answer(action="accept")
    assert (state.get("outcome"), bench.nodes) == ("accepted", ["ask", "keep", "report"])
    (kept,) = solutions(workshop)
    assert (kept["status"], kept["passed"], kept["total"]) == ("accepted", 0, 1)


async def test_what_an_operator_accepts_is_the_askers(workshop: str) -> None:
    saver = InMemorySaver()
    theirs = Bench.open(tenant="b", saver=saver)
    await theirs.ask(ODD)
    operator = Bench.open(tenant="main", saver=saver)
    operator.thread_id = theirs.thread_id
    await operator.answer(action="accept")
    assert [row["tenant"] for row in solutions(workshop)] == ["b"]


async def test_a_person_may_stop_it(workshop: str) -> None:
    bench = Bench.open()
    await bench.ask(ODD)
    state = await bench.answer(action="stop", reason="Not worth it.")
    assert (state.get("outcome"), solutions(workshop)) == ("stopped", [])
    assert "A person stopped this: Not worth it." in state["messages"][-1].text


async def test_without_a_person_it_fails_honestly_with_the_best_attempt_and_the_log(
    openai_server: OpenAIServer, workshop: str, model: str
) -> None:
    tests = f"{DOUBLE_TESTS}\n\ndef test_one():\n    assert double(1) == 2\n"
    openai_server.responder = writes(WORSE, BAD, WORSE + "\n# again", tests=tests)
    bench = Bench.open(model=model, ask_person=False)
    state = await bench.ask("Double it.")
    said = state["messages"][-1].text
    assert (state.get("outcome"), len(state["tries"]), await bench.next()) == ("failed", 3, ())
    assert "The best of 3 attempts passes 1 of 2 tests" in said
    assert "return x + 1" in said
    assert "solution.py:2: return x" not in said
    assert "assert double(2) == 4" in said
    assert solutions(workshop) == letters(workshop) == []


async def test_the_same_code_again_is_not_run_a_third_time(workshop: str) -> None:
    bench = Bench.open(ask_person=False)
    state = await bench.ask(ODD)
    assert (state.get("outcome"), len(state["tries"])) == ("failed", 2)


async def test_advice_without_end_ends(workshop: str) -> None:
    bench = Bench.open()
    state = await bench.ask(ODD)
    for _ in range(MAX_ADVICE):
        assert await bench.next() == ("ask",)
        state = await bench.answer(action="advise", advice="Try harder.")
    assert (state.get("outcome"), await bench.next()) == ("failed", ())


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "advise"},
        {"action": "advise", "advice": ""},
        {"action": "accept", "code": "x"},
        {"action": "run"},
        {},
    ],
)
async def test_an_answer_of_another_form_is_refused_and_the_question_stays(
    workshop: str, answer: dict[str, str]
) -> None:
    bench = Bench.open()
    await bench.ask(ODD)
    with pytest.raises(ValidationError):
        await bench.answer(**answer)
    assert await bench.next() == ("ask",)
    assert (await bench.answer(action="accept")).get("outcome") == "accepted"


async def test_a_repeated_keep_keeps_one_row(workshop: str) -> None:
    bench = Bench.open()
    await bench.ask(ODD)
    before = (await bench.graph.aget_state(bench.config)).config
    await bench.answer(action="accept")
    await bench.graph.ainvoke(None, before, context=bench.context)  # asks again, on a fork
    await bench.answer(action="accept")
    assert len(solutions(workshop)) == 1


async def test_every_task_of_the_rules_is_solved_offline(workshop: str) -> None:
    for task in known():
        state = await Bench.open().ask(f"Please write {task.words.partition('|')[0]}.")
        assert (state.get("outcome"), len(state["tries"])) == ("passed", 2 if task.draft else 1), task.name


async def test_limits_of_the_thread_close_it_politely(workshop: str) -> None:
    bench = Bench.open(max_turns=1)
    await bench.ask("fizzbuzz")
    state = await bench.ask("fizzbuzz")
    assert (state.get("outcome"), bench.nodes) == ("closed", ["intake", "report"])


async def test_nothing_asked_begins_nothing_and_asks_nobody(workshop: str) -> None:
    bench = Bench.open()
    for task in ("", " \n\t "):
        state = await bench.ask(task)
        assert (state.get("outcome"), bench.nodes) == ("unclear", ["intake", "report"])
        assert "Please say what the code has to do" in state["messages"][-1].text
    assert (state["usage"], letters(workshop), solutions(workshop)) == ({}, [], [])


async def test_tests_alone_are_a_task(workshop: str) -> None:
    state = await Bench.open().ask("", DOUBLE_TESTS)
    assert state["tries"]


async def test_tests_that_are_no_text_are_a_bad_request(workshop: str) -> None:
    for tests in (["x"], "x" * 30_000):
        with pytest.raises(ValueError, match="tests must be text of at most 20000 characters"):
            await Bench.open().ask("fizzbuzz", tests)  # type: ignore[arg-type]
