"""Every stream mode of the API, on the support graph."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.agents.support.client import Conversation, every, wants_refund

TEXT = "I want to talk to a person."
PATH = ["intake", "classify", "assess", "draft_reply", "hand_over", "send"]
MODES = ["values", "updates", "messages-tuple", "custom", "events", "debug", "tasks", "checkpoints"]
# What a part's event says, where that is not the mode's own name.
EVENTS = {"messages-tuple": "messages"}

Parts = list[tuple[str, Any]]


def of(parts: Parts, mode: str) -> list[Any]:
    return [data for event, data in parts if event == EVENTS.get(mode, mode)]


def check_values(parts: Parts, text: str) -> None:
    seen = of(parts, "values")
    assert seen[0]["messages"][-1]["content"] == TEXT
    assert seen[-1]["outcome"] == "human"
    assert seen[-1]["messages"][-1]["content"] == text


def check_updates(parts: Parts, text: str) -> None:
    assert [node for update in of(parts, "updates") for node in update] == PATH
    assert of(parts, "updates")[-1]["send"]["messages"][0]["content"] == text


def check_messages(parts: Parts, text: str) -> None:
    tokens = [
        message["content"]
        for message, metadata in of(parts, "messages-tuple")
        if metadata["langgraph_node"] == "draft_reply"
    ]
    assert len([token for token in tokens if token]) > 5
    assert "".join(tokens) == text


def check_custom(parts: Parts, _text: str) -> None:
    progress = [data["progress"] for data in of(parts, "custom")]
    assert progress == ["reading the message", "writing the reply"]


def check_events(parts: Parts, text: str) -> None:
    events = of(parts, "events")
    started = [event["name"] for event in events if event["event"] == "on_chain_start"]
    assert [name for name in started if name in PATH] == PATH
    streamed = [
        event["data"]["chunk"]["content"]
        for event in events
        if event["event"] == "on_chat_model_stream" and event["metadata"]["langgraph_node"] == "draft_reply"
    ]
    assert "".join(streamed) == text


def check_debug(parts: Parts, _text: str) -> None:
    debug = of(parts, "debug")
    started = [part for part in debug if part["type"] == "task"]
    assert [part["payload"]["name"] for part in started] == PATH
    assert [part["step"] for part in started] == sorted(part["step"] for part in started)
    assert {"task", "task_result", "checkpoint"} == {part["type"] for part in debug}


def check_tasks(parts: Parts, text: str) -> None:
    started = [task for task in of(parts, "tasks") if "input" in task]
    finished = [task for task in of(parts, "tasks") if "result" in task]
    assert [task["name"] for task in started] == [task["name"] for task in finished] == PATH
    assert [task["id"] for task in started] == [task["id"] for task in finished]
    assert finished[-1]["result"]["messages"][0]["content"] == text


def check_checkpoints(parts: Parts, _text: str) -> None:
    checkpoints = of(parts, "checkpoints")
    assert [checkpoint["next"] for checkpoint in checkpoints] == [
        ["__start__"],
        *([node] for node in PATH),
        [],
    ]
    assert checkpoints[-1]["values"]["outcome"] == "human"


CHECKS: dict[str, Callable[[Parts, str], None]] = {
    "values": check_values,
    "updates": check_updates,
    "messages-tuple": check_messages,
    "custom": check_custom,
    "events": check_events,
    "debug": check_debug,
    "tasks": check_tasks,
    "checkpoints": check_checkpoints,
}


@pytest.mark.parametrize("subgraphs", [False, True])
async def test_each_stream_mode_alone_and_all_at_once(client: LangGraphClient, subgraphs: bool) -> None:
    """No part has a namespace, asked for or not: the graph has no subgraphs."""
    requests = [*([mode] for mode in MODES), MODES]
    talks = [await Conversation.open(client, f"stream-{number}") for number in range(len(requests))]
    streams = await every(
        talk.stream(modes, input=talk.input(TEXT), stream_subgraphs=subgraphs)
        for talk, modes in zip(talks, requests, strict=True)
    )
    for talk, modes, parts in zip(talks, requests, streams, strict=True):
        text = (await talk.state())["values"]["messages"][-1]["content"]
        assert {event for event, _ in parts} == {"metadata", *(EVENTS.get(mode, mode) for mode in modes)}
        for mode in modes:
            CHECKS[mode](parts, text)


async def test_a_question_to_a_person_shows_in_the_stream(talk: Conversation) -> None:
    modes = ["updates", "values", "tasks"]
    parts = await talk.stream(modes, input=talk.input(wants_refund(talk.order_id)))
    question = await talk.question()
    assert of(parts, "updates")[-1] == {"__interrupt__": [question]}
    assert of(parts, "values")[-1]["__interrupt__"] == [question]
    assert of(parts, "tasks")[-1]["interrupts"] == [question]


async def test_a_stream_can_be_taken_up_again_where_it_broke_off(talk: Conversation) -> None:
    run = await talk.start(input=talk.input(TEXT), stream_mode="updates", stream_resumable=True)
    first = [part async for part in talk.client.runs.join_stream(talk.thread_id, run, last_event_id="-1")]
    updates = [node for part in first if part.event == "updates" for node in part.data]
    assert updates == PATH
    middle = next(part.id for part in first if part.event == "updates" and "classify" in part.data)
    rest = [part async for part in talk.client.runs.join_stream(talk.thread_id, run, last_event_id=middle)]
    assert [node for part in rest if part.event == "updates" for node in part.data] == PATH[2:]
