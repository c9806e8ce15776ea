"""`ask` over real HTTP: answers of every kind, and what it makes of a provider that fails."""

import time
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel, Field

from agents.shared.models import Answer, ModelDown, ask
from agents.shared.offline import Reply, Request
from agents.shared.resilience import Retries
from tests.agents.conftest import TEST_KEY
from tests.fakes.openai_answers import Action, Cut, Hang, Raw, Say, Status
from tests.fakes.openai_server import OpenAIServer

QUICK = Retries(first_wait_s=0.01, jitter=0.0)
ASKED = [("system", "Be brief."), ("human", "Where is my order?")]
GOOD = Say("It is on its way.")


class Verdict(BaseModel):
    """What the question is about."""

    topic: str
    urgency: int = Field(ge=1, le=3)


class Boom(Exception):
    """A bug, as a test plants it."""


@pytest.fixture
def model() -> str:
    """A name of its own for each test: breakers outlive a test."""
    return f"openai:{uuid4().hex}"


def no_rules(_: Request) -> Reply:
    raise Boom


async def put(
    *models: str, schema: type[BaseModel] | None = None, timeout_s: float = 5.0, retries: Retries = QUICK
) -> Answer:
    return await ask(
        ASKED, node="test", models=models, rules=no_rules, schema=schema, timeout_s=timeout_s, retries=retries
    )


async def test_a_text(openai_server: OpenAIServer, model: str) -> None:
    openai_server.script(GOOD)
    answer = await put(model)
    assert (answer.message.text, answer.problem, answer.degraded) == (GOOD.text, None, ())
    [call] = openai_server.calls
    assert call.headers["authorization"] == f"Bearer {TEST_KEY}"
    assert call.body["model"] == model.removeprefix("openai:")
    assert call.body["temperature"] == 0.0
    assert [message["role"] for message in call.body["messages"]] == ["system", "user"]
    assert answer.usage == {
        f"test|{model}": {"calls": 1, "input_tokens": 11, "output_tokens": 7, "usd": 0.0, "unpriced": True}
    }


async def test_a_schema_becomes_a_forced_tool(openai_server: OpenAIServer, model: str) -> None:
    openai_server.script(Say(tool_calls=(("Verdict", {"topic": "delivery", "urgency": 2}),)))
    answer = await put(model, schema=Verdict)
    assert answer.parsed == Verdict(topic="delivery", urgency=2)
    assert answer.problem is None
    [call] = openai_server.calls
    assert call.body["tool_choice"] == {"type": "function", "function": {"name": "Verdict"}}
    assert call.body["tools"][0]["function"]["description"] == Verdict.__doc__


async def test_usage_is_estimated_when_none_is_reported(openai_server: OpenAIServer, model: str) -> None:
    openai_server.script(Say("four", usage=None))
    answer = await put(model)
    [row] = answer.usage.values()
    assert (row["input_tokens"], row["output_tokens"]) == (8, 1)
    assert answer.message.response_metadata["usage_estimated"] is True


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(Status(500), id="500"),
        pytest.param(Status(503), id="503"),
        pytest.param(Status(429), id="429"),
        pytest.param(Cut(), id="cut"),
        pytest.param(Cut(politely=True), id="half a body"),
        pytest.param(Raw(b"<html>busy</html>", "text/html"), id="html"),
        pytest.param(Raw(b"{not json"), id="not json"),
        pytest.param(Raw(b"[]"), id="a list"),
        pytest.param(Raw(b"{}"), id="nothing in it"),
        pytest.param(Raw(b'{"choices": null}'), id="null choices"),
        pytest.param(Raw(b'{"choices": []}'), id="no choices"),
        pytest.param(Raw(b'{"choices": [{"index": 0}]}'), id="no message"),
    ],
)
async def test_what_may_pass_is_tried_three_times(
    openai_server: OpenAIServer, model: str, failure: Action
) -> None:
    openai_server.script(failure, failure, GOOD)
    assert (await put(model)).message.text == GOOD.text
    assert len(openai_server.calls) == 3


@pytest.mark.parametrize("failure", [Status(500), Cut(), Raw(b"{}")])
async def test_after_three_tries_the_fallback_answers(
    openai_server: OpenAIServer, model: str, failure: Action
) -> None:
    openai_server.script(failure, failure, failure, GOOD)
    answer = await put(model, f"{model}-fallback")
    assert answer.model == f"{model}-fallback"
    [note] = answer.degraded
    assert note.startswith(f"model {model} down: ")
    assert note.endswith(f"; used {model}-fallback")
    assert len(openai_server.calls) == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_refused_request_is_not_repeated(
    openai_server: OpenAIServer, model: str, status: int
) -> None:
    openai_server.script(Status(status), GOOD)
    answer = await put(model, f"{model}-fallback")
    assert [call.body["model"] for call in openai_server.calls] == [
        model.removeprefix("openai:"),
        f"{model}-fallback".removeprefix("openai:"),
    ]
    assert f"status {status}" in answer.degraded[0]


async def test_an_empty_account_is_not_asked_again(openai_server: OpenAIServer, model: str) -> None:
    openai_server.script(Status(429, error_code="insufficient_quota"))
    with pytest.raises(ModelDown, match="status 429"):
        await put(model)
    assert len(openai_server.calls) == 1


async def test_retry_after_is_waited_for(openai_server: OpenAIServer, model: str) -> None:
    openai_server.script(Status(429, headers={"Retry-After": "1"}), GOOD)
    started = time.monotonic()
    await put(model)
    assert 1.0 <= time.monotonic() - started < 3.0
    assert len(openai_server.calls) == 2


async def test_a_hang_ends_at_the_timeout(openai_server: OpenAIServer, model: str) -> None:
    openai_server.script(Hang(), Hang(), Hang())
    started = time.monotonic()
    with pytest.raises(ModelDown, match=f"model {model} down: timeout"):
        await put(model, timeout_s=0.2)
    assert time.monotonic() - started < 2.0
    assert len(openai_server.calls) == 3


@pytest.mark.parametrize(
    ("action", "schema", "problem"),
    [
        pytest.param(Say(refusal="I can't help"), None, "refused: I can't help", id="refusal"),
        pytest.param(Say(refusal="I can't help"), Verdict, "refused: I can't help", id="refusal of a schema"),
        pytest.param(Say("x", finish_reason="content_filter"), None, "content filter", id="filtered"),
        pytest.param(Say(), None, "empty", id="empty"),
        pytest.param(Say(" \n"), None, "empty", id="blank"),
        pytest.param(Say(), Verdict, "empty", id="empty for a schema"),
        pytest.param(Say("Dear", finish_reason="length"), None, "cut off", id="too long"),
        pytest.param(Say("It is urgent"), Verdict, "in text instead of calling Verdict", id="text"),
        pytest.param(
            Say(tool_calls=(("Other", {}),)), Verdict, "called Other instead of Verdict", id="other tool"
        ),
        pytest.param(Say(tool_calls=(("Verdict", '{"topic": '),)), Verdict, "not JSON", id="broken json"),
        pytest.param(
            Say(tool_calls=(("Verdict", {"topic": "x"}),)), Verdict, "urgency: ", id="field missing"
        ),
        pytest.param(
            Say(tool_calls=(("Verdict", {"topic": "x", "urgency": 9}),)),
            Verdict,
            "urgency: ",
            id="out of range",
        ),
    ],
)
async def test_a_useless_answer_is_a_problem_and_never_repeated(
    openai_server: OpenAIServer, model: str, action: Action, schema: type[BaseModel] | None, problem: str
) -> None:
    openai_server.script(action)
    answer = await put(model, f"{model}-fallback", schema=schema)
    assert answer.problem is not None and problem in answer.problem
    assert answer.parsed is None
    assert answer.model == model
    assert len(openai_server.calls) == 1
    assert answer.usage[f"test|{model}"]["calls"] == 1


async def test_all_down_says_why_of_each(openai_server: OpenAIServer, model: str) -> None:
    openai_server.script(Status(401), Status(500), Status(500), Status(500))
    with pytest.raises(ModelDown) as caught:
        await put(model, f"{model}-b", "openai", "nobody:x")
    assert [reason.partition(" down: ")[2][:10] for reason in caught.value.reasons] == [
        "status 401",
        "status 500",
        "model 'ope",
        "model 'nob",
    ]


async def test_the_breaker_spares_a_failing_provider(openai_server: OpenAIServer, model: str) -> None:
    openai_server.script(*[Status(500)] * 5)
    for reason in ("status 500", "failed repeatedly", "failed repeatedly"):
        with pytest.raises(ModelDown, match=reason):
            await put(model)
    assert len(openai_server.calls) == 5


async def test_nobody_listens(
    openai_server: OpenAIServer, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(ModelDown, match="connection failed"):
        await put(model)
    assert openai_server.calls == []


async def test_offline_answers_when_the_provider_is_down(openai_server: OpenAIServer, model: str) -> None:
    openai_server.script(*[Status(500)] * 3)
    answer = await ask(
        ASKED,
        node="test",
        models=[model, "offline:rules"],
        rules=lambda request: Reply(request.last_human.upper()),
        retries=QUICK,
    )
    assert answer.message.text == "WHERE IS MY ORDER?"
    assert answer.message.response_metadata["offline"] is True
    assert len(answer.degraded) == 1


async def test_a_bug_in_the_rules_is_no_outage() -> None:
    with pytest.raises(Boom):
        await put("offline:rules")


async def test_the_same_model_twice_is_asked_once(openai_server: OpenAIServer, model: str) -> None:
    openai_server.script(Status(400))
    with pytest.raises(ModelDown):
        await put(model, model)
    assert len(openai_server.calls) == 1


async def test_a_message_that_is_none_is_a_bug_not_an_outage(openai_server: OpenAIServer, model: str) -> None:
    with pytest.raises(ValueError, match="Unexpected message type"):
        await ask([("nobody", "x"), AIMessage("y")], node="test", models=[model], rules=no_rules)
    assert openai_server.calls == []
