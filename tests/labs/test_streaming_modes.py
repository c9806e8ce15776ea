"""Lab 5: the same turn, streamed in each mode, on a conversation of twenty messages of 1 KB.

`values` sends the whole state after each step, `updates` what the step has changed, `messages` the tokens while
they are written, `events` everything that happens inside. The page that showed an answer word by word asked for
`values`. What it cost is counted on the wire, over HTTP, as a browser would receive it.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, Self

import httpx
from langchain_core.messages import AnyMessage
from langgraph.graph import add_messages
from typing_extensions import TypedDict

from agents.shared.offline import OfflineChatModel, Reply, Request
from tests.fakes.agent_server import AgentServer
from tests.fakes.community_server import CommunityServer
from tests.labs.figures import Figures
from tests.labs.rows import in_a_row

KB = 1024
HISTORY = 20
WORDS = KB // 8
HOLDS = {
    "values": "the whole state",
    "updates": "the keys that a step wrote",
    "messages-tuple": "a piece of a message, and where it was written",
    "events": "start, pieces and end of every node and model",
}
TABLE = Figures(
    "streaming modes",
    ("mode", "a chunk holds", "chunks", "tokens stream", "bytes", "beside updates"),
    tuple(HOLDS),
    varies=frozenset({"chunks", "bytes", "beside updates"}),
)


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    draft: NotRequired[str]


def replies(request: Request) -> Reply:
    """1 KB in words of eight characters."""
    return Reply(text="answers " * WORDS)


model = OfflineChatModel(rules=replies)


async def intake(state: State) -> dict[str, Any]:
    """Writes the question again, as one that strips or redacts does."""
    return {"messages": [state["messages"][-1]]}


async def plan(state: State) -> dict[str, Any]:
    return {"draft": "planning" * WORDS}


async def answer(state: State) -> dict[str, Any]:
    return {"messages": [await model.ainvoke(state["messages"])]}


graph = in_a_row(State, intake=intake, plan=plan, answer=answer)


@dataclass(frozen=True)
class Received:
    """What came over the wire for one run."""

    size: int
    events: Counter[str]


@dataclass(frozen=True)
class Stream:
    """A thread of the served graph."""

    url: str
    thread: str

    @classmethod
    async def on(cls, server: AgentServer, history: int = 0) -> Self:
        """A new one, with so many messages on it."""
        async with server.sdk() as client:
            thread = (await client.threads.create(graph_id="chat"))["thread_id"]
            if history:
                said = [message(number, ("user", "assistant")[number % 2]) for number in range(history)]
                await client.threads.update_state(thread, {"messages": said}, as_node="answer")
        return cls(server.url, thread)

    async def turn(self, mode: str, said: dict[str, str]) -> Received:
        """A run, streamed to its end: all bytes of the body."""
        body = {"assistant_id": "chat", "input": {"messages": [said]}, "stream_mode": [mode]}
        async with (
            httpx.AsyncClient(trust_env=False, timeout=60, headers={"accept-encoding": "identity"}) as http,
            http.stream("POST", f"{self.url}/threads/{self.thread}/runs/stream", json=body) as response,
        ):
            whole = b"".join([part async for part in response.aiter_raw()])
        names = [line[7:].decode() for line in whole.splitlines() if line.startswith(b"event: ")]
        assert "error" not in names, whole
        return Received(len(whole), Counter(names))


def message(number: int, role: str = "user") -> dict[str, str]:
    """1 KB."""
    return {"role": role, "content": f"{number:08}" * WORDS}


async def test_bytes_of_each_mode(lab_server: CommunityServer) -> None:
    sizes = {}
    for mode in HOLDS:
        stream = await Stream.on(lab_server, HISTORY)
        sizes[mode] = await stream.turn(mode, message(HISTORY))
    whole, updates = sizes["values"].size, sizes["updates"].size
    assert whole > 20 * updates, "the whole state has twenty messages more, four times"
    assert sizes["events"].size > sizes["messages-tuple"].size > updates
    for mode, received in sizes.items():
        chunks = received.events.total() - received.events["metadata"]
        beside = received.size / sizes["updates"].size
        TABLE.keep(
            mode, HOLDS[mode], chunks, "yes" if chunks > WORDS else "no", received.size, round(beside, 1)
        )
