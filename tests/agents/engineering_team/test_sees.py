"""What each of them is shown: read off the requests that reached the provider. Nobody sees more than they need."""

import json
from uuid import uuid4

import pytest

from tests.agents.engineering_team.in_process import (
    CELSIUS,
    SIGNATURE,
    Team,
    facts,
    goes,
    made,
    scripted,
    who,
)
from tests.fakes.openai_answers import Call, Say
from tests.fakes.openai_server import OpenAIServer

EARLIER = "earlier-message-with-a-secret-4711"
TOLD_RESEARCHER, TOLD_CODER = "brief-of-the-researcher-0815", "brief-of-the-coder-0816"
FOUND, THOUGHT = "answer-of-the-research-0817", "a-thought-of-the-researcher-0818"
WROTE = "the-coder-says-0819"
LED_REVIEWER, LED_AUDITOR = "brief-of-the-reviewer-0820", "brief-of-the-auditor-0821"
REVIEWED = "opinion-of-the-reviewer-0822"
TOOLS = {
    "supervise": {"Decision"},
    "research": {"search_notes", "search_articles", "ResearchReport"},
    "code": {"write_file", "run_tests"},
    "lead": {"Check"},
    "review": {"read_diff", "check_style", "Report"},
    "audit": {"read_file", "scan", "Report"},
}


def research(call: Call) -> Say:
    if len(call.body["messages"]) == 2:
        return Say(THOUGHT, tool_calls=(("search_notes", {"query": "signatures"}),))
    return Say(
        tool_calls=(("ResearchReport", {"answer": FOUND, "sources": ["note:signatures", "note:invented"]}),)
    )


def lead(call: Call) -> Say:
    first = facts(call)["missing"][0]
    brief = {"reviewer": LED_REVIEWER, "auditor": LED_AUDITOR}[first]
    return Say(tool_calls=(("Check", {"route": first, "brief": brief, "reason": "r"}),))


def review(_: Call) -> Say:
    found = {"line": 1, "severity": "low", "message": REVIEWED}
    return Say(tool_calls=(("Report", {"summary": "s", "findings": [found]}),))


def code(call: Call) -> Say:
    if any(one["role"] == "tool" for one in call.body["messages"]):
        return Say(WROTE)
    solution = 'def to_celsius(f):\n    """Degrees."""\n    return f\n'
    tests = "from solution import to_celsius\n\n\ndef test_it():\n    assert to_celsius(1) == 1\n"
    files = {"solution.py": solution, "test_solution.py": tests}
    return Say(
        tool_calls=tuple(("write_file", {"path": name, "content": text}) for name, text in files.items())
    )


def supervise(call: Call) -> Say:
    told = facts(call)
    if not told.get("handoffs"):
        return goes("researcher", TOLD_RESEARCHER)
    if len(told["handoffs"]) == 1:
        return goes("coder", TOLD_CODER)
    return goes("finish") if told.get("checked") else goes("quality", "look")


_once: dict[str, list[Call]] = {}


@pytest.fixture
async def calls(openai_server: OpenAIServer, workshop: str) -> dict[str, list[Call]]:
    """A whole task, by whom each request was; done once for all tests, which only read."""
    if _once:
        return _once
    openai_server.responder = scripted(
        supervise=supervise, research=research, lead=lead, review=review, code=code
    )
    team = Team.open(model=f"openai:{uuid4().hex}")
    await team.run({"messages": [("user", EARLIER), ("ai", "Noted."), ("user", CELSIUS)]})
    state = await team.values()
    assert made(state)["outcome"] == "delivered"
    (looked_up,) = made(state)["research"]
    assert [one["source"] for one in looked_up["sources"]] == ["note:signatures"], (
        "one that no tool returned is none"
    )
    for call in openai_server.calls:
        _once.setdefault(who(call), []).append(call)
    return _once


def all_of(calls: list[Call]) -> str:
    return json.dumps([call.body for call in calls])


async def test_each_has_its_own_prompt_and_tools(calls: dict[str, list[Call]]) -> None:
    assert set(calls) == set(TOOLS)
    prompts = set()
    for name, made_calls in calls.items():
        for call in made_calls:
            assert {tool["function"]["name"] for tool in call.body.get("tools", [])} <= TOOLS[name]
        prompts.add(made_calls[0].body["messages"][0]["content"])
    assert len(prompts) == len(TOOLS)


async def test_nobody_sees_the_conversation_or_a_key(calls: dict[str, list[Call]]) -> None:
    everything = "".join(map(all_of, calls.values()))
    assert EARLIER not in everything
    assert "test-key-that-is-never-real" not in everything
    assert "postgresql://" not in everything


async def test_the_supervisor_sees_what_came_of_it_and_no_transcript_or_code(
    calls: dict[str, list[Call]],
) -> None:
    shown = all_of(calls["supervise"])
    assert CELSIUS in shown
    assert FOUND in shown
    for hidden in (THOUGHT, WROTE, "def to_celsius", LED_REVIEWER, "Comparing signatures"):
        assert hidden not in shown, hidden


async def test_the_researcher_sees_its_question_alone(calls: dict[str, list[Call]]) -> None:
    first = calls["research"][0]
    assert facts(first) == {"question": TOLD_RESEARCHER}
    assert len(first.body["messages"]) == 2
    for hidden in (CELSIUS, TOLD_CODER, WROTE, "def to_celsius"):
        assert hidden not in all_of(calls["research"]), hidden


async def test_the_coder_sees_the_answer_and_not_the_research(calls: dict[str, list[Call]]) -> None:
    told = facts(calls["code"][0])
    assert told == {"task": CELSIUS, "brief": TOLD_CODER, "notes": [{"answer": FOUND}]}
    for hidden in (TOLD_RESEARCHER, THOUGHT, "note:signatures", LED_REVIEWER, REVIEWED):
        assert hidden not in all_of(calls["code"]), hidden


async def test_the_lead_sees_no_code_and_no_task(calls: dict[str, list[Call]]) -> None:
    for hidden in ("def to_celsius", CELSIUS, TOLD_CODER, FOUND, WROTE, REVIEWED):
        assert hidden not in all_of(calls["lead"]), hidden
    assert facts(calls["lead"][0])["missing"] == ["reviewer", "auditor"]


async def test_the_reviewer_sees_the_task_and_the_change(calls: dict[str, list[Call]]) -> None:
    told = facts(calls["review"][0])
    assert told == {"task": CELSIUS, "brief": LED_REVIEWER, "tests": "all 1 tests passed"}
    for hidden in (TOLD_CODER, WROTE, FOUND, LED_AUDITOR):
        assert hidden not in all_of(calls["review"]), hidden


async def test_the_auditor_sees_the_code_and_not_what_it_is_for(calls: dict[str, list[Call]]) -> None:
    assert facts(calls["audit"][0]) == {"brief": LED_AUDITOR, "files": ["solution.py", "test_solution.py"]}
    shown = all_of(calls["audit"])
    assert "def to_celsius" in shown, "by its tool"
    for hidden in (CELSIUS, TOLD_CODER, WROTE, FOUND, LED_REVIEWER, REVIEWED):
        assert hidden not in shown, hidden


async def test_a_reviewer_sees_the_mend_alone_the_second_time(
    openai_server: OpenAIServer, workshop: str
) -> None:
    openai_server.responder = scripted()
    await Team.open(model=f"openai:{uuid4().hex}").ask(SIGNATURE)
    diffs = [
        one["content"]
        for call in openai_server.calls
        if who(call) == "review"
        for one in call.body["messages"]
        if one["role"] == "tool" and "+++" in one["content"]
    ]
    assert "+++ test_solution.py" in diffs[0]
    assert "test_solution.py" not in diffs[1]
    assert "-    return header == expected" in diffs[1]
