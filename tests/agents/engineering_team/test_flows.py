"""Whole tasks in this process, by the written rules: built, mended, looked at, delivered; asked about; answered."""

import time
from typing import Any

import pytest

from tests.agents.engineering_team.in_process import (
    CELSIUS,
    QUESTION,
    SIGNATURE,
    VAGUE,
    Team,
    asked,
    deliverables,
    letters,
    made,
    reply,
)
from tests.agents.engineering_team.snippets import SAFE, UNSAFE

SQL = "Write a function with an SQL query for the orders of a customer."
TOKEN = "Write a function that makes a reset token."
RETURNS = "By our policy, goods may be returned some days after a change of mind: write a function that says whether."
DOUBLE_TESTS = "from solution import double\n\n\ndef test_it():\n    assert double(2) == 4\n"


def kept(uri: str, team: Team) -> list[dict[str, Any]]:
    return [row for row in deliverables(uri) if row["thread_id"] == team.thread_id]


async def test_clean_code_is_delivered_after_both_have_looked(workshop: str) -> None:
    team, begun = Team.open(), time.monotonic()
    state = await team.ask(CELSIUS)
    assert asked(state) == ["coder", "quality", "reviewer", "auditor"]
    found = made(state)
    assert (found["outcome"], found["missing"], found["why"], found["handoffs"]) == ("delivered", [], "", 2)
    assert found["build"]["kind"] == "passed"
    (row,) = kept(workshop, team)
    assert (row["status"], row["passed"], row["total"], row["accepted_by"]) == ("delivered", 1, 1, None)
    assert row["files"] == found["files"]
    assert "def to_celsius" in reply(state)
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    ("task", "rule", "worker"),
    [
        (SIGNATURE, "unsafe-comparison", "auditor"),
        (SQL, "sql-injection", "auditor"),
        (TOKEN, "guessable", "auditor"),
    ],
)
async def test_a_finding_sends_it_back_and_what_is_mended_is_delivered(
    workshop: str, task: str, rule: str, worker: str
) -> None:
    team = Team.open()
    state = await team.ask(task)
    assert asked(state) == [
        "coder",
        "quality",
        "reviewer",
        "auditor",
        "coder",
        "quality",
        "reviewer",
        "auditor",
    ]
    first = next(one for one in state["results"] if one["worker"] == worker)
    assert first["summary"] == "1 finding, 1 to be mended"
    assert made(state)["outcome"] == "delivered"
    assert rule not in {one["rule"] for one in made(state)["findings"]}
    assert len(kept(workshop, team)) == 1
    assert [node for node in team.nodes if node != "supervisor"] == [
        "intake", "coder", "quality", "coder", "quality", "deliver", "report",
    ]  # fmt: skip


async def test_a_task_that_needs_two_of_them_is_done(workshop: str) -> None:
    team = Team.open()
    state = await team.ask(RETURNS)
    assert asked(state)[:3] == ["researcher", "coder", "coder"], "the draft does not know the thirtieth day"
    found = made(state)
    assert found["outcome"] == "delivered"
    (looked_up,) = found["research"]
    assert [one["source"] for one in looked_up["sources"]] == ["article:refund-policy"]
    assert "30 days" in looked_up["answer"]
    assert "RETURN_DAYS = 30" in found["files"]["solution.py"]


async def test_a_question_is_looked_up_and_answered(workshop: str) -> None:
    team = Team.open()
    state = await team.ask(QUESTION)
    assert (asked(state), made(state)["outcome"]) == (["researcher"], "answered")
    assert "hmac.compare_digest" in reply(state)
    assert "(note:signatures)" in reply(state)
    assert kept(workshop, team) == []


async def test_a_policy_is_checked_by_looking_it_up(workshop: str) -> None:
    state = await Team.open().ask("Check our policy about refunds.")
    assert (asked(state), made(state)["outcome"]) == (["researcher"], "answered")


async def test_what_nobody_has_written_down_is_said_honestly(workshop: str) -> None:
    state = await Team.open().ask("Which xylophone qwertyuiop?")
    assert made(state)["outcome"] == "incomplete"
    assert "Nothing is written down about this." in reply(state)
    assert made(state)["research"][0]["sources"] == []


@pytest.mark.parametrize("task", [VAGUE, "", "x" * 9_000])
async def test_a_task_that_says_nothing_begins_nothing(workshop: str, task: str) -> None:
    team = Team.open()
    state = await team.ask(task)
    assert (asked(state), made(state)["outcome"]) == ([], "unclear")
    assert "Please say what" in reply(state)
    assert kept(workshop, team) == []


@pytest.mark.parametrize("task", ["Review this code.", "Is it safe?"])
async def test_without_code_there_is_nothing_to_look_at(workshop: str, task: str) -> None:
    state = await Team.open().ask(task)
    assert (made(state)["outcome"], made(state)["why"]) == (
        "unclear",
        "there is no code to look at: send it as `code`",
    )


async def test_odd_characters_and_long_words_are_no_trouble(workshop: str) -> None:
    for task in ("Write Celsius, \x00 and \ud800!", "Write Celsius code. " * 300):
        assert made(await Team.open().ask(task))["outcome"] == "delivered"


async def test_what_everybody_costs_is_counted(workshop: str) -> None:
    usage = (await Team.open().ask("By our house rules, write a function that verifies a signature."))[
        "usage"
    ]
    names = {"supervisor", "researcher", "coder", "quality_lead", "reviewer", "auditor"}
    assert set(usage) == {f"{name}|offline:rules" for name in names}
    assert usage["quality_lead|offline:rules"]["calls"] == 4


async def test_the_callers_code_that_nobody_can_mend_is_incomplete(workshop: str) -> None:
    state = await Team.open().ask("Mend this.", code=UNSAFE["plain"])
    assert (made(state)["outcome"], made(state)["why"]) == ("incomplete", "the coder knows no more")
    assert "unsafe-comparison" in reply(state)


async def test_a_task_that_the_rules_dont_know_ends_honestly(workshop: str) -> None:
    state = await Team.open().ask("Write a function that folds the laundry.")
    assert (asked(state), made(state)["outcome"]) == (["coder"], "incomplete")
    assert made(state)["missing"] == ["nothing could be found or written"]


async def test_the_callers_tests_stay_and_decide(workshop: str) -> None:
    team = Team.open()
    tests = "from solution import to_celsius\n\n\ndef test_mine():\n    assert to_celsius(212) == 100\n"
    state = await team.ask("Write it in Python.", tests=tests)
    assert made(state)["outcome"] == "delivered"
    assert made(state)["files"]["test_solution.py"] == tests
    wrong = tests.replace("100", "99")
    state = await team.ask("Write it in Python.", tests=wrong)
    assert made(state)["outcome"] == "incomplete"
    assert made(state)["files"]["test_solution.py"] == wrong
    assert "the tests don't pass" in made(state)["missing"][0]
    assert len(kept(workshop, team)) == 1


@pytest.mark.parametrize(
    "name", ["plain", "through neutral variables", "nested function", "own helper with neutral names"]
)
async def test_the_auditor_finds_an_unsafe_comparison_in_the_callers_code(workshop: str, name: str) -> None:
    team = Team.open()
    state = await team.ask("Please audit this.", code=UNSAFE[name])
    assert (asked(state), made(state)["outcome"]) == (["quality", "reviewer", "auditor"], "reviewed")
    assert "unsafe-comparison" in {one["rule"] for one in made(state)["findings"]}
    assert "use hmac.compare_digest (unsafe-comparison)" in reply(state)
    assert made(state)["files"] == {"solution.py": UNSAFE[name]}
    assert kept(workshop, team) == []


@pytest.mark.parametrize("name", ["hmac.compare_digest", "renamed", "nested"])
async def test_the_auditor_passes_a_constant_time_comparison(workshop: str, name: str) -> None:
    state = await Team.open().ask("Is this safe?", code=SAFE[name])
    assert made(state)["outcome"] == "reviewed"
    assert [one for one in made(state)["findings"] if one["area"] == "security"] == []


async def test_the_callers_code_is_mended_and_delivered(workshop: str) -> None:
    team = Team.open()
    draft = "def can_be_returned(days):\n    return days < 30\n"
    state = await team.ask("Mend this, it is about returns.", code=draft, tests=None)
    assert made(state)["outcome"] == "delivered"
    assert "RETURN_DAYS" in made(state)["files"]["solution.py"]
    assert len(kept(workshop, team)) == 1


async def test_the_next_task_begins_afresh(workshop: str) -> None:
    team = Team.open()
    await team.ask(SIGNATURE)
    state = await team.ask(CELSIUS)
    assert (state["turns"], asked(state)) == (2, ["coder", "quality", "reviewer", "auditor"])
    assert "verify_signature" not in str(made(state))
    assert [row["task"] for row in kept(workshop, team)] == [SIGNATURE, CELSIUS]
    state = await team.ask(VAGUE)
    assert made(state)["files"] == {}


async def test_a_thread_that_is_at_its_limit_is_closed_politely(workshop: str) -> None:
    team = Team.open(max_turns=1)
    await team.ask(CELSIUS)
    state = await team.ask(CELSIUS)
    assert (made(state)["outcome"], asked(state)) == ("closed", [])
    assert "reached its limit" in reply(state)
    assert not [row for row in letters(workshop) if row["thread_id"] == team.thread_id]


@pytest.mark.parametrize(
    ("name", "value"), [("tests", "x" * 20_001), ("code", "x" * 20_001), ("code", ["x"])]
)
async def test_too_much_is_refused_in_words(workshop: str, name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be text of at most 20000 characters"):
        await Team.open().ask(CELSIUS, **{name: value})
