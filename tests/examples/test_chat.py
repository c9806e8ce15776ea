"""The terminal chat, sat in front of: what is typed, and what shows."""

import io
import signal
import uuid
from collections.abc import Callable
from contextlib import redirect_stdout

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import StreamPart

from examples.terminal import Paragraph, Terminal
from stationmaster.client import Question
from tests.agents.support.client import GRAPH, wants_refund
from tests.examples.conftest import Run
from tests.fakes.agent_server import AgentServer
from tests.fakes.shop import Ledger

PROMPT = "\nyou       "


async def test_a_question_an_edit_and_a_correction(run: Run, support: AgentServer) -> None:
    chat = await run("chat.py", "--url", support.url, "--graph", GRAPH)
    await chat.until(PROMPT)
    chat.type("How long does standard delivery take?")
    reply = await chat.until(PROMPT)
    assert reply.startswith("support   Hello,\n\n          Thank you")
    assert "Standard delivery takes 3 to 5 working days" in " ".join(reply.split())
    assert reply.count("Thank you") == 1, "what has streamed in is not printed again when it is sent"

    chat.type("/edit I want to talk to a person.")
    reply = await chat.until(PROMPT)
    assert "The earlier branch stays in the history" in reply
    assert "passed your message on to a colleague" in " ".join(reply.split())

    chat.type('/correct classify {"intent": "question"}')
    assert "colleague" not in (await chat.until(PROMPT)).partition("support")[2]
    chat.type("/history")
    history = await chat.until(PROMPT)
    assert "1. I want to talk to a person." in history
    assert "standard delivery" not in history
    assert await chat.end() == 0


async def test_a_refund_that_waits_for_a_person(
    run: Run, support: AgentServer, client: LangGraphClient, order_of: Callable[..., str], ledger: Ledger
) -> None:
    order_id = order_of()
    chat = await run("chat.py", "--url", support.url, "--graph", GRAPH)
    thread_id = (await chat.until(".\n")).rpartition("thread ")[2].rstrip(".\n")
    chat.type(wants_refund(order_id))
    shown = await chat.until("sent once a person has said yes.")
    assert f"waits     Refund $640.00 for order {order_id}?" in shown
    assert not ledger.refunds(thread_id)

    question = (await client.threads.get_state(thread_id))["interrupts"][0]
    answer = {
        "resume": {question["id"]: {"action": "edit", "amount_usd": 64.0, "reply": "A tenth, for now."}}
    }
    await client.runs.wait(thread_id, GRAPH, command=answer)  # pyright: ignore[reportArgumentType, reportCallIssue]
    assert "answered  this was sent:\nsupport   A tenth, for now.\n" in await chat.until(PROMPT)
    assert ledger.refunded_usd(thread_id) == [64]
    assert await chat.end() == 0


async def test_to_stop_waiting_and_to_be_the_person(
    run: Run, support: AgentServer, order_of: Callable[..., str], ledger: Ledger
) -> None:
    chat = await run("chat.py", "--url", support.url, "--graph", GRAPH)
    thread_id = (await chat.until(".\n")).rpartition("thread ")[2].rstrip(".\n")
    chat.type(wants_refund(order_of()))
    await chat.until("sent once a person has said yes.")
    chat.process.send_signal(signal.SIGINT)
    assert "/wait takes it up again" in await chat.until(PROMPT)
    chat.type("/answer yes")
    assert "trouble   that is no JSON" in await chat.until(PROMPT)
    chat.type('/answer {"action": "approve"}')
    assert "refunded $640.00" in " ".join((await chat.until(PROMPT)).split())
    assert ledger.refunded_usd(thread_id) == [640]
    chat.type("/quit")
    assert await chat.end() == 0


async def test_a_conversation_is_taken_up_again(
    run: Run, support: AgentServer, client: LangGraphClient, order_of: Callable[..., str]
) -> None:
    """And by the name of its assistant, which is live."""
    name = f"desk-{uuid.uuid4().hex[:6]}"
    assistant = await client.assistants.create(GRAPH, name=name, metadata={"live": True})
    thread_id = (await client.threads.create())["thread_id"]
    text = wants_refund(order_of())
    await client.runs.wait(
        thread_id, assistant["assistant_id"], input={"messages": [{"role": "user", "content": text}]}
    )
    chat = await run("chat.py", "--url", support.url, "--assistant", name, "--thread", thread_id)
    shown = await chat.until("Refund $640.00")
    assert f"you       1. {text}" in shown
    assert f"You speak to {name}, version 1, on thread {thread_id}." in shown
    await client.assistants.delete(assistant["assistant_id"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--url", "http://127.0.0.1:9"],
            "no server answers at http://127.0.0.1:9: start one with `make up`",
        ),
        (["--assistant", "nobody"], "no live assistant is called nobody"),
    ],
)
async def test_what_cannot_be_spoken_to(
    run: Run, support: AgentServer, arguments: list[str], message: str
) -> None:
    chat = await run("chat.py", "--url", support.url, *arguments)
    await chat.until(f"error: {message}")
    assert await chat.end() == 2
    assert "Traceback" not in chat.shown


def test_an_aside_in_the_middle_of_a_reply() -> None:
    """The line was cut and is whole again: the reply goes on below, without a second name."""
    terminal = Terminal("support", frozenset({"draft_reply"}))
    out = io.StringIO()
    with redirect_stdout(out):
        for piece in ("Hello Rosa, tha", "nk you ", "for writing."):
            if piece.startswith("nk"):
                terminal.note("connection lost")
                terminal.note("connected again")
            data = [{"content": piece, "type": "AIMessageChunk"}, {"langgraph_node": "draft_reply"}]
            terminal.show(StreamPart("messages", data))  # pyright: ignore[reportArgumentType]
        terminal.show(
            StreamPart("updates", {"send": {"messages": [{"type": "ai", "content": terminal.drafted}]}})
        )
        terminal.end()
    assert out.getvalue() == (
        "support   Hello Rosa,\n"
        "          connection lost\n"
        "          connected again\n"
        "          thank you for writing.\n"
    )


def test_what_others_write_is_shown_and_not_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    evil = "hi \x1b]0;title\x07\x1b[2J\u202e there"
    terminal = Terminal("support", frozenset({"draft_reply"}))
    out = io.StringIO()
    with redirect_stdout(out):
        data = [{"content": evil, "type": "AIMessageChunk"}, {"langgraph_node": "draft_reply"}]
        terminal.show(StreamPart("messages", data))  # pyright: ignore[reportArgumentType]
        terminal.said(f"{evil}!")
        terminal.show(StreamPart("error", {"message": evil}))
        terminal.asks(Question("q", {"title": evil, "problem": evil}))
        terminal.person(1, evil)
        terminal.good(evil)
    shown = out.getvalue()
    assert shown.count("there") == 7
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_words_are_folded_at_the_width_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    out = io.StringIO()
    with redirect_stdout(out):
        paragraph = Paragraph("support")
        for piece in ["  one tw", "o three four fi", "ve six\n\nsev", "en "]:
            paragraph.write(piece)
        paragraph.close()
    assert out.getvalue() == ("support   one two three four\n          five six\n\n          seven\n")
