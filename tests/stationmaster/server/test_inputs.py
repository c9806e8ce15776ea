"""Messages that are none are refused in words; what others call messages is theirs."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.coder.graph import graph
from stationmaster.server.inputs import UnreadableMessages, require_readable
from stationmaster.server.lookups import Lookups

GOOD = [
    None, [], "hi", ["hi"], [["user", "hi"]], {"role": "user", "content": "hi"}, [{"type": "human", "content": ""}],
    [{"role": "assistant", "content": None, "tool_calls": []}], [{"role": "tool", "content": "x", "tool_call_id": "1"}],
    [{"type": "remove", "content": "", "id": "1"}], [{"type": "remove", "content": "", "id": "__remove_all__"}],
    [{"role": "user", "content": "hi", "id": "9"}, {"type": "remove", "content": "", "id": "9"}],
    [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
]  # fmt: skip
BAD = {
    "number 1: content.str": [{"role": "user", "content": 42}],
    "number 2: Unexpected message type: 'wizard'": ["hi", {"role": "wizard", "content": "hi"}],
    "number 1 is no message": [42],
    "number 1 lacks 'tool_call_id'": [{"role": "tool", "content": "x"}],
    "must contain 'role' and 'content'": {"content": "hi"},
    "there is no message '2' to remove": [
        {"type": "remove", "content": "", "id": each} for each in ("1", "2")
    ],
    "number 1: 'str' object": [{"role": "assistant", "content": "", "tool_calls": "x"}],
    "number 1: 'int' object": [{"role": "user", "content": "hi", "additional_kwargs": 7}],
}


class Served:
    """One assistant with this schema; None: it can't be had."""

    def __init__(self, schema: Mapping[str, Any] | None) -> None:
        self.schemas = Lookups(self._of)
        self._schema = schema

    async def message_ids(self, thread_id: str) -> frozenset[str] | None:
        return frozenset({"1"}) if thread_id == "t" else None

    async def _of(self, assistant_id: str) -> Mapping[str, Any] | None:
        return None if self._schema is None else {"input_schema": self._schema}


CODER = Served(graph.get_input_jsonschema())


def a_run(**kwargs: Any) -> dict[str, Any]:
    return {"assistant_id": "a", "thread_id": "t", "kwargs": kwargs}


@pytest.mark.parametrize("messages", GOOD)
async def test_what_a_graph_can_read_passes(messages: Any) -> None:
    await require_readable(a_run(input={"messages": messages}), CODER)
    await require_readable(a_run(command={"update": {"messages": messages}}), CODER)


@pytest.mark.parametrize("said", BAD)
async def test_what_none_can_read_is_refused(said: str) -> None:
    for where, run in {
        "input": a_run(input={"messages": BAD[said]}),
        "command.update": a_run(input=None, command={"resume": 1, "update": {"messages": BAD[said]}}),
    }.items():
        with pytest.raises(UnreadableMessages) as refused:
            await require_readable(run, CODER)
        assert said in str(refused.value) and str(refused.value).startswith(f"{where}.messages can't be read")


async def test_where_the_thread_can_not_be_read_a_removal_passes() -> None:
    gone = {"messages": [{"type": "remove", "content": "", "id": "2"}]}
    await require_readable({**a_run(input=gone), "thread_id": "away"}, CODER)


@pytest.mark.parametrize("schema", [None, {}, {"properties": {"messages": {"items": {"type": "integer"}}}}])
async def test_other_peoples_messages_are_theirs(schema: Mapping[str, Any] | None) -> None:
    await require_readable(a_run(input={"messages": [42]}), Served(schema))


@pytest.mark.parametrize(
    "kwargs", [{}, {"input": "hi"}, {"input": [1]}, {"command": {"update": [["messages", 42]]}}]
)
async def test_other_inputs_are_not_looked_at(kwargs: dict[str, Any]) -> None:
    await require_readable(a_run(**kwargs), CODER)
    await require_readable({"kwargs": None}, CODER)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from(["", "x", "user", "tool", "human", "remove"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["role", "type", "content", "id", "tool_calls", "tool_call_id", "name", "kwargs", "lc"]
            ),
            inner,
        )
    ),
    max_leaves=8,
)


@given(JSON)
async def test_whatever_comes_passes_or_is_refused(messages: Any) -> None:
    with suppress(UnreadableMessages):
        await require_readable(a_run(input={"messages": messages}), CODER)
