"""A supervisor that a model plays, well and badly: ping-pong, repetition, ceilings, early ends. All end in words."""

from random import Random
from typing import Any
from uuid import uuid4

import pytest

from agents.engineering_team.checks.finding import blocking
from tests.agents.engineering_team.in_process import (
    CELSIUS,
    QUESTION,
    SIGNATURE,
    VAGUE,
    Team,
    asked,
    facts,
    goes,
    hurry,
    in_turn,
    made,
    reply,
    scripted,
    who,
)
from tests.fakes.openai_answers import Action, Call, Say
from tests.fakes.openai_server import OpenAIServer


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


@pytest.fixture
def model() -> str:
    """A name of its own, for a breaker of its own."""
    return f"openai:{uuid4().hex}"


def decisions(server: OpenAIServer) -> list[dict[str, Any]]:
    """What the supervisor was shown, each time."""
    return [facts(call) for call in server.calls if who(call) == "supervise"]


async def test_an_ambiguous_task_does_not_ping_pong(
    openai_server: OpenAIServer, workshop: str, model: str
) -> None:
    """Two workers, each of which says that the other one is needed, and a supervisor that believes them."""
    turn = 0

    def undecided(_: Call) -> Action:
        nonlocal turn
        turn += 1
        return goes("coder" if turn % 2 else "researcher", f"Perhaps you can make it better, try {turn}.")

    openai_server.responder = scripted(
        supervise=undecided,
        code=Say("I need to know first what is wanted."),
        research=Say(
            tool_calls=(("ResearchReport", {"answer": "Somebody has to write it first.", "sources": []}),)
        ),
    )
    state = await Team.open(model=model).ask(VAGUE)
    assert (made(state)["outcome"], asked(state)) == ("incomplete", ["coder", "researcher"])
    assert made(state)["why"] == "the last 2 hand-offs brought nothing new"
    assert "Why: the last 2 hand-offs brought nothing new." in reply(state)
    assert len(decisions(openai_server)) == 2, "nobody is asked once it is over"


@pytest.mark.slow
async def test_unprotected_it_would_go_on_to_the_recursion_limit(
    openai_server: OpenAIServer, workshop: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The failure that the ceilings are there for."""
    monkeypatch.setattr("agents.engineering_team.steering.due", lambda *_: None)
    monkeypatch.setattr("agents.engineering_team.steering.repeated", lambda *_: None)
    openai_server.responder = scripted(
        supervise=goes("coder", "Make it better."), code=Say("What is wanted?")
    )
    with pytest.raises(Exception, match="Recursion limit of 80"):
        await Team.open(model=model).ask(VAGUE)


async def test_the_same_hand_off_again_is_told_and_then_ends_it(
    openai_server: OpenAIServer, workshop: str, model: str
) -> None:
    openai_server.responder = scripted(supervise=goes("researcher", "How do we compare signatures?"))
    state = await Team.open(model=model).ask(QUESTION)
    assert asked(state) == ["researcher"]
    first, second, third = decisions(openai_server)
    assert "notices" not in first
    assert "notices" not in second
    assert third["notices"] == ["researcher was asked this in hand-off 1, and nothing has changed since"]
    assert made(state)["why"].startswith("it goes round in circles: researcher was asked this")
    assert "hmac.compare_digest" in reply(state), "what was found is told all the same"


async def test_a_supervisor_that_listens_goes_on(
    openai_server: OpenAIServer, workshop: str, model: str
) -> None:
    openai_server.responder = scripted(
        supervise=in_turn(
            goes("quality", "Look."),
            goes("coder", CELSIUS),
            goes("coder", CELSIUS + "!"),
            goes("quality"),
            goes("finish"),
        )
    )
    state = await Team.open(model=model).ask(CELSIUS)
    assert decisions(openai_server)[1]["notices"] == ["quality can't look at code before there is any"]
    assert made(state)["outcome"] == "delivered"


async def test_the_ceiling_of_hand_offs_ends_it_politely(
    openai_server: OpenAIServer, workshop: str, model: str
) -> None:
    turn = 0

    def curious(_: Call) -> Action:
        nonlocal turn
        turn += 1
        return goes(
            "researcher", f"{['signatures', 'tokens', 'secrets', 'webhooks', 'sql'][turn % 5]} {turn}"
        )

    openai_server.responder = scripted(supervise=curious)
    state = await Team.open(model=model, max_handoffs=4).ask(SIGNATURE)
    assert asked(state) == ["researcher"] * 4
    assert [one["number"] for one in state["handoffs"]] == [1, 2, 3, 4]
    assert (made(state)["outcome"], made(state)["why"]) == (
        "incomplete",
        "the ceiling of 4 hand-offs is reached",
    )
    assert reply(state).startswith("This is not finished. Why: the ceiling of 4 hand-offs is reached.")
    assert [shown["handoffs_left"] for shown in decisions(openai_server)] == [4, 3, 2, 1]
    assert len(made(state)["done"]) == 4


async def test_at_the_ceiling_what_is_written_and_unseen_is_not_delivered(workshop: str) -> None:
    state = await Team.open(max_handoffs=1).ask(CELSIUS)
    assert made(state)["outcome"] == "incomplete"
    assert made(state)["done"] == ["the code is written", "1 of 1 tests pass"]
    assert made(state)["missing"] == ["reviewer and auditor have not both looked at it"]
    assert "def to_celsius" in reply(state)


async def test_an_early_end_goes_to_quality_first(
    openai_server: OpenAIServer, workshop: str, model: str
) -> None:
    openai_server.responder = scripted(supervise=in_turn(goes("coder", CELSIUS), goes("finish")))
    state = await Team.open(model=model).ask(CELSIUS)
    assert [(one["by"], one["to"]) for one in state["handoffs"]] == [
        ("supervisor", "coder"), ("rule", "quality"), ("lead", "reviewer"), ("lead", "auditor"),
    ]  # fmt: skip
    assert made(state)["outcome"] == "delivered"


async def test_a_lead_who_wants_one_of_them_only_gets_both(
    openai_server: OpenAIServer, workshop: str, model: str
) -> None:
    openai_server.responder = scripted(
        lead=Say(tool_calls=(("Check", {"route": "auditor", "brief": "Look.", "reason": "first"}),))
    )
    state = await Team.open(model=model).ask(CELSIUS)
    assert [(one["by"], one["to"]) for one in state["handoffs"][-2:]] == [
        ("lead", "auditor"),
        ("rule", "reviewer"),
    ]
    openai_server.responder = scripted(lead=Say(tool_calls=(("Check", {"route": "done"}),)))
    state = await Team.open(model=model).ask(CELSIUS)
    assert [(one["by"], one["to"]) for one in state["handoffs"][-2:]] == [
        ("rule", "reviewer"),
        ("rule", "auditor"),
    ]


UNSAFE = """def verify_signature(secret, body, header):
    \"\"\"Whether it fits.\"\"\"
    import hashlib, hmac
    expected = "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
    {}
    return header == expected
"""


def stubborn() -> Any:
    """A coder that writes something else each time, and never what it is asked."""
    count = 0

    def code(call: Call) -> Action:
        nonlocal count
        if any(one["role"] == "tool" for one in call.body["messages"]):
            return Say("Done.")
        count += 1
        return Say(
            tool_calls=(("write_file", {"path": "solution.py", "content": UNSAFE.format(f"assert {count}")}),)
        )

    return code


TESTS = (
    "import hashlib\nimport hmac\n\nfrom solution import verify_signature\n\n\ndef test_it():\n"
    "    good = 'sha256=' + hmac.new(b'k', b'b', hashlib.sha256).hexdigest()\n"
    "    assert verify_signature(b'k', b'b', good)\n"
)


async def test_findings_that_are_never_mended_end_after_so_many_fixes(
    openai_server: OpenAIServer, workshop: str, model: str
) -> None:
    openai_server.responder = scripted(code=stubborn())
    state = await Team.open(model=model, ask_person=False, max_fixes=1).ask(SIGNATURE, tests=TESTS)
    assert [one for one in asked(state) if one == "coder"] == ["coder"] * 2
    found = made(state)
    assert (found["outcome"], found["why"]) == (
        "incomplete", "the work went back to the coder 1 times, which is the limit",
    )  # fmt: skip
    assert [one["rule"] for one in blocking(found["findings"])] == ["unsafe-comparison"]
    assert any("unsafe-comparison" in line for line in found["missing"])


async def test_the_cost_ends_it_in_the_middle(openai_server: OpenAIServer, workshop: str, model: str) -> None:
    dear = Say(tool_calls=goes("researcher", "signatures").tool_calls, usage=(250_000, 1))
    openai_server.responder = scripted(supervise=dear)
    team = Team.open(model=model)
    state = await team.ask(SIGNATURE)
    assert (asked(state), made(state)["outcome"]) == (["researcher"], "incomplete")
    assert made(state)["why"].startswith("limit reached: 250")
    state = await team.ask(CELSIUS)
    assert (asked(state), made(state)["outcome"]) == ([], "closed")


async def test_a_run_with_few_steps_ends_in_words(workshop: str) -> None:
    team = Team.open(ask_person=False)
    state: Any = {}
    for steps in (6, 9, 12):
        config: Any = {**team.config, "recursion_limit": steps}
        state = await team.graph.ainvoke({"messages": [("user", SIGNATURE)]}, config, context=team.context)
        assert made(state)["outcome"] in ("incomplete", "unclear", "delivered"), steps
    assert made(state)["why"] == "the run has no steps left"


NO_DECISION: dict[str, Action] = {
    "words": Say("I think the coder."),
    "unknown": Say(tool_calls=(("Decision", {"route": "president"}),)),
    "broken": Say(tool_calls=(("Decision", "{not json"),)),
    "another tool": Say(tool_calls=(("Other", {}),)),
    "refusal": Say(refusal="I would rather not."),
    "too long": Say(tool_calls=(("Decision", {"route": "coder", "brief": "x" * 3_000}),)),
}


@pytest.mark.parametrize(
    "name",
    [
        name if name in ("unknown", "broken") else pytest.param(name, marks=pytest.mark.slow)
        for name in NO_DECISION
    ],
)
async def test_a_decision_that_is_none_is_left_to_the_rules(
    openai_server: OpenAIServer, workshop: str, model: str, name: str
) -> None:
    openai_server.responder = scripted(supervise=NO_DECISION[name])
    state = await Team.open(model=model).ask(CELSIUS)
    assert made(state)["outcome"] == "delivered"
    assert state["degraded"][0].startswith("supervisor: ")
    assert state["degraded"][0].endswith("; the written rules decided")


SEEDS = [1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 25))]


@pytest.mark.parametrize("seed", SEEDS)
async def test_whatever_is_decided_and_answered_it_ends_in_words_or_with_a_question(
    openai_server: OpenAIServer, workshop: str, model: str, seed: int
) -> None:
    dice = Random(seed)

    def decided(_: Call) -> Action:
        route = dice.choice(["researcher", "coder", "quality", "finish", "coder", "quality"])
        return goes(route, dice.choice(["Look.", "Look again.", "signatures", "", f"{dice.random()}"]))

    def written(call: Call) -> Action:
        if any(one["role"] == "tool" for one in call.body["messages"]) and dice.random() < 0.7:
            return Say("Done.")
        good = UNSAFE.format("pass").replace("header == expected", "hmac.compare_digest(header, expected)")
        code = dice.choice([good, UNSAFE.format(f"assert {dice.random()}"), "def broken(:", "x = 1\n"])
        return Say(tool_calls=(("write_file", {"path": "solution.py", "content": code}),))

    def looked(_: Call) -> Action:
        found = {"line": 3, "severity": dice.choice(["low", "high"]), "message": f"{dice.random()}"}
        return Say(tool_calls=(("Report", {"summary": "s", "findings": [found] * dice.randint(0, 2)}),))

    openai_server.responder = scripted(supervise=decided, code=written, review=looked, audit=looked)
    team = Team.open(model=model)
    state = await team.ask(SIGNATURE, tests=TESTS)
    for _ in range(3):
        if state.get("deliverable"):
            break
        state = await team.answer(action="send_back", advice=f"Otherwise, {dice.random()}.")
    found = made(state)
    assert found["outcome"] in ("delivered", "incomplete", "unclear", "answered")
    assert found["handoffs"] <= 3 * team.context.max_handoffs
    if found["outcome"] == "delivered":
        assert found["build"]["kind"] == "passed"
        assert not blocking(found["findings"])
        assert "compare_digest" in found["files"]["solution.py"]
    else:
        assert found["why"] or found["outcome"] == "answered"
