"""The question about findings that are left; older threads that wait at it; forged state; tenants."""

import asyncio
from typing import Any, cast
from uuid import uuid4

import psycopg
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import StateGraph
from pydantic import ValidationError
from typing_extensions import TypedDict

from agents.engineering_team import graph as team_graph
from agents.engineering_team import tools
from agents.engineering_team.context import Context
from agents.engineering_team.ledger import digest
from agents.engineering_team.state import Input, State
from agents.shared.database import DatabaseUnavailable
from tests.agents.engineering_team.in_process import (
    CELSIUS,
    SIGNATURE,
    Team,
    asked,
    deliverables,
    hurry,
    letters,
    made,
    reply,
)

UNSAFE = (
    'def is_signed(secret, body, header):\n    """Whether it fits."""\n    import hashlib\n    import hmac\n'
    "    return hmac.new(secret, body, hashlib.sha256).hexdigest() == header\n"
)
TESTS = "from solution import is_signed\n\n\ndef test_it():\n    assert not is_signed(b'k', b'b', 'x')\n"
GOOD = UNSAFE.replace("return ", "return hmac.compare_digest(").replace(" == header", ", header)")
ADDED_SINCE = frozenset(
    {
        "remaining_steps",
        "advised",
        "advised_at",
        "notices",
        "why",
        "deliverable",
        "failures",
        "degraded",
        "reviewed",
        "advice",
    }
)


def kept(uri: str, team: Team) -> list[dict[str, Any]]:
    return [row for row in deliverables(uri) if row["thread_id"] == team.thread_id]


async def waiting(**more: Any) -> Team:
    """A thread that waits: what was written passes its tests, and the rules don't know how to mend it."""
    team = Team.open(**more)
    await team.ask("Hm.")
    await forged(
        team, files={"solution.py": UNSAFE, "test_solution.py": TESTS}, task="Mend it.", as_node="coder"
    )
    await team.run(None)
    return team


async def forged(team: Team, *, as_node: str, **values: Any) -> None:
    """What whoever may call the API can do to a thread's state."""
    await team.graph.aupdate_state(team.config, values, as_node=as_node)


async def test_findings_that_are_left_are_a_persons_to_decide(workshop: str) -> None:
    team = await waiting()
    question = await team.question()
    assert question.value["kind"] == "open_findings"
    assert (
        question.value["title"] == "Tests pass, and of review and audit 1 finding left to mend: deliver it?"
    )
    assert [one["rule"] for one in question.value["findings"]] == ["unsafe-comparison"]
    assert kept(workshop, team) == []


async def test_what_a_person_accepts_is_kept_with_its_findings_and_by_whom(workshop: str) -> None:
    team = await waiting()
    state = await team.answer(action="accept")
    assert made(state)["outcome"] == "accepted"
    (row,) = kept(workshop, team)
    assert (row["status"], row["accepted_by"]) == ("accepted", "ann-of-main")
    assert [one["rule"] for one in row["findings"]] == ["unsafe-comparison"]
    assert "unsafe-comparison" in reply(state)


async def test_what_a_person_stops_is_not_delivered(workshop: str) -> None:
    team = await waiting()
    state = await team.answer(action="stop", reason="Not like this.")
    assert (made(state)["outcome"], made(state)["why"]) == ("stopped", "Not like this.")
    assert reply(state).startswith("A person stopped this. Why: Not like this.")
    assert kept(workshop, team) == []


async def test_advice_goes_to_the_coder_and_what_comes_of_it_is_looked_at_again(workshop: str) -> None:
    team = await waiting()
    before = len((await team.values())["handoffs"])
    state = await team.answer(action="send_back", advice=f"Use this:\n```python\n{GOOD}```")
    assert asked(state)[before:] == ["coder", "quality", "reviewer", "auditor"]
    assert made(state)["outcome"] == "delivered"
    assert kept(workshop, team)[0]["accepted_by"] is None


async def test_advice_that_changes_nothing_is_asked_again_and_then_it_ends(workshop: str) -> None:
    team = await waiting()
    await team.answer(action="send_back", advice="Please think harder.")
    state = await team.answer(action="send_back", advice="Please think harder.")
    assert made(state)["outcome"] == "incomplete"
    assert kept(workshop, team) == []


async def test_an_answer_that_fits_nothing_is_refused_and_the_question_stays(workshop: str) -> None:
    team = await waiting()
    question = await team.question()
    for answer in (
        {"action": "accept", "outcome": "delivered"}, {"action": "approve"}, {"action": "send_back"},
        {"action": "send_back", "advice": "  "}, {"action": "send_back", "advice": "x" * 2_001}, {},
    ):  # fmt: skip
        with pytest.raises(ValidationError):
            await team.answer(**answer)
        assert (await team.question()).id == question.id
    assert kept(workshop, team) == []


async def test_without_a_person_it_ends_as_incomplete(workshop: str) -> None:
    team = await waiting(ask_person=False)
    state = await team.values()
    assert made(state)["outcome"] == "incomplete"
    assert any("unsafe-comparison" in line for line in made(state)["missing"])
    assert kept(workshop, team) == []


async def older(state: Any) -> dict[str, Any]:
    """What an older release left behind."""
    files = {"solution.py": UNSAFE, "test_solution.py": TESTS}
    finding = {
        "area": "security", "rule": "unsafe-comparison", "line": 5, "severity": "high", "message": "m", "by": "check",
    }  # fmt: skip
    check = {"of": digest(files), "summary": "s"}
    return {
        "task": "Mend it.", "turns": 1, "given": {}, "files": files,
        "build": {"of": digest(files), "kind": "passed", "summary": "ok", "passed": 1, "total": 1, "log": ""},
        "review": {**check, "findings": []}, "audit": {**check, "findings": [finding]},
        "handoffs": [{"number": 1, "by": "supervisor", "to": "coder", "reason": "r", "brief": "b", "seen": "s"}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"action": "accept"}, "accepted"),
        ({"action": "stop"}, "stopped"),
        ({"action": "send_back", "advice": f"```python\n{GOOD}```"}, "delivered"),
    ],
)
async def test_an_older_threads_question_is_answered_by_todays_graph(
    workshop: str, answer: dict[str, Any], outcome: str
) -> None:
    held = {name: hint for name, hint in State.__annotations__.items() if name not in ADDED_SINCE}
    older_state: Any = TypedDict("OlderState", held)  # type: ignore[misc]
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(
        older_state, context_schema=Context, input_schema=Input
    )
    builder.add_node("supervisor", older, input_schema=older_state)
    builder.add_node(
        "sign_off",
        team_graph.builder.nodes["sign_off"].runnable,
        input_schema=older_state,
        destinations=("supervisor",),
    )
    builder.set_entry_point("supervisor")
    builder.add_edge("supervisor", "sign_off")
    saver = InMemorySaver()
    team = Team.open(saver=saver)
    await builder.compile(checkpointer=saver).ainvoke({"messages": ["Mend it."]}, team.config)
    assert not {"advised", "advised_at", "why", "reviewed"} & (await team.values()).keys()
    assert made(await team.answer(**answer))["outcome"] == outcome


async def test_an_answer_holds_when_what_it_accepts_is_kept_at_the_third_try(
    workshop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    team, keep, tries = await waiting(), tools.keep, 0

    async def away(*args: Any, **more: Any) -> Any:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise DatabaseUnavailable("gone")
        return await keep(*args, **more)

    monkeypatch.setattr(tools, "keep", away)
    assert made(await team.answer(action="accept"))["outcome"] == "accepted"
    assert (tries, len(kept(workshop, team))) == (3, 1)


async def test_a_new_task_takes_the_place_of_a_question(workshop: str) -> None:
    team = await waiting()
    state = await team.ask(CELSIUS)
    assert made(state)["outcome"] == "delivered"
    assert "is_signed" not in str(made(state))
    assert [row["task"] for row in kept(workshop, team)] == [CELSIUS]


async def test_tenants_have_their_own_rules_and_deliverables(workshop: str) -> None:
    word = f"zebrastripe{uuid4().hex[:6]}"
    with psycopg.connect(workshop) as conn:
        conn.execute(
            "insert into workshop.notes (tenant, note_id, title, body) values ('acme', %s, %s, 'Acme only.')",
            (f"note-{word}", word),
        )
    of_acme, of_bolt = Team.open(tenant="acme"), Team.open(tenant="bolt")
    state = await of_acme.ask(f"What is our rule of {word}?")
    assert "Acme only." in reply(state)
    state = await of_bolt.ask(f"What is our rule of {word}?")
    assert "Acme only." not in reply(state)
    await of_acme.ask(CELSIUS)
    assert [row["tenant"] for row in kept(workshop, of_acme)] == ["acme"]


async def test_a_thread_stays_its_tenants_whoever_answers(workshop: str) -> None:
    team = await waiting(tenant="acme")
    team.tenant = "main"  # the inbox's key
    assert made(await team.answer(action="accept"))["outcome"] == "accepted"
    (row,) = kept(workshop, team)
    assert (row["tenant"], row["accepted_by"]) == ("acme", "ann-of-main")


async def test_another_tenants_key_begins_nothing_on_a_thread(workshop: str) -> None:
    team = Team.open(tenant="acme")
    await team.ask(CELSIUS)
    team.tenant = "bolt"
    state = await team.ask(CELSIUS)
    assert (made(state)["outcome"], asked(state)) == ("unavailable", [])
    assert len(kept(workshop, team)) == 1
    assert [row for row in letters(workshop) if row["thread_id"] == team.thread_id]


async def test_many_threads_at_once_keep_one_each(workshop: str) -> None:
    teams = [Team.open() for _ in range(3)]
    await asyncio.gather(*(team.ask(CELSIUS) for team in teams))
    assert [len(kept(workshop, team)) for team in teams] == [1] * 3


async def test_a_state_of_a_whole_task_is_small_and_holds_no_transcript(workshop: str) -> None:
    team = Team.open()
    state = await team.ask(SIGNATURE)
    assert len(state["messages"]) == 2, "the task and the reply"
    assert len(str(cast("Any", state))) < 25_000
