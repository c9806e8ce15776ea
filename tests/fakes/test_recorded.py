"""Recordings: what is written, that it answers again, and what is said when it can't."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fakes.openai_answers import Raw, Say, Status
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.recorded import Recorder, Replay, forward, normalise

KEY = "a-key-for-this-test-only"


def body(text: str, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}], **more}


def post(server: OpenAIServer, sent: dict[str, Any]) -> httpx.Response:
    headers = {"Authorization": f"Bearer {KEY}", "OpenAI-Organization": "org-secret"}
    return httpx.post(f"{server.url}/chat/completions", json=sent, headers=headers, timeout=5)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Three exchanges through two servers: a provider, and ours that forwards to it and records."""
    file = tmp_path / "recordings" / "conversation.json"
    with OpenAIServer.running() as provider:
        provider.script(Say("first"), Say("second", tool_calls=(("t", {"a": 1}),)), Status(429, "slow down"))
        recorder = Recorder(forward(provider.url), against="the test server")
        with OpenAIServer.running(recorder) as server:
            for text in ("hello 2025-01-02", "hello 2025-01-02", "bye"):
                post(server, body(text, stream=True))
        assert {call.headers["authorization"] for call in provider.calls} == {f"Bearer {KEY}"}
    recorder.save(file)
    return file


def test_keys_and_headers_are_not_written(recording: Path) -> None:
    text = recording.read_text()
    assert json.loads(text)["recorded_against"] == "the test server"
    assert len(json.loads(text)["exchanges"]) == 3
    for secret in (KEY, "Bearer", "org-secret", "authorization"):
        assert secret not in text


def test_a_key_inside_a_conversation_is_refused(tmp_path: Path) -> None:
    recorder = Recorder(lambda _: Say("ok"), against="the test server")
    with OpenAIServer.running(recorder) as server:
        post(server, body(f"my key is {KEY}"))
    with pytest.raises(ValueError, match="take it out"):
        recorder.save(tmp_path / "x.json")
    assert list(tmp_path.iterdir()) == []


def test_equal_requests_get_their_answers_in_order_once_each(recording: Path) -> None:
    replay = Replay(recording)
    with OpenAIServer.running(replay) as server:
        first, second, failed, more = (
            post(server, body(text)) for text in ("hello 2031-12-30", "hello 2031-12-31", "bye", "bye")
        )
    message = second.json()["choices"][0]["message"]
    assert first.json()["choices"][0]["message"]["content"] == "first"
    assert message["tool_calls"][0]["function"] == {"name": "t", "arguments": '{"a": 1}'}
    assert (failed.status_code, failed.json()["error"]["message"]) == (429, "slow down")
    assert more.status_code == 500
    assert replay.unused == 0


def test_a_recorded_answer_can_be_streamed(recording: Path) -> None:
    with OpenAIServer.running(Replay(recording)) as server:
        text = post(server, body("hello 2030-01-01", stream=True)).text
    assert text.endswith("data: [DONE]\n\n")
    assert '"content": "first"' in text


def test_an_unknown_request_says_where_the_nearest_differs(recording: Path) -> None:
    with OpenAIServer.running(Replay(recording)) as server:
        reply = post(server, body("hello there"))
    error = reply.json()["error"]["message"]
    assert reply.status_code == 500
    assert "conversation.json holds no (further) answer" in error
    assert ".messages[0].content: recorded 'hello <date>', asked 'hello there'" in error


def test_only_what_decides_the_answer_is_compared() -> None:
    one = body("at 2025-01-02T03:04:05Z for 6f1c2d3e-0000-4000-8000-000000000000", stream=True, user="u")
    other = body("at 2026-11-12 for 00000000-1111-4222-8333-444444444444")
    assert normalise(one) == normalise(other)
    assert normalise(one) != normalise(body("at noon"))
    assert normalise(body("x", temperature=0.5)) != normalise(body("x"))


def test_a_broken_answer_is_not_recorded(tmp_path: Path) -> None:
    recorder = Recorder(lambda _: Raw(b"{"), against="the test server")
    with OpenAIServer.running(recorder) as server, pytest.raises(httpx.RemoteProtocolError):
        post(server, body("x"))
    recorder.save(tmp_path / "x.json")
    assert json.loads((tmp_path / "x.json").read_text())["exchanges"] == []
