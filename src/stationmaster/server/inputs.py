"""Messages that no graph can read, refused before there is a run of them.

LangGraph writes a run's input into the thread first and reads it after: the run fails, the question that waited there
is gone, and the thread's state can't be read (400) until a good input comes.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from langchain_core.messages import RemoveMessage, convert_to_messages
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from stationmaster.server.lookups import Lookups


class UnreadableMessages(Exception):
    """A message of the input is none; says what is wrong with it, and how one is written."""


class Server(Protocol):
    """Whoever knows the schemas of assistants, and which messages (their ids) a thread has; None: can't say."""

    schemas: Lookups[Mapping[str, Any]]

    async def message_ids(self, thread_id: str) -> frozenset[str] | None: ...


async def require_readable(run: Mapping[str, Any], server: Server) -> None:
    """Raise UnreadableMessages for messages in a run's input, or beside an answer, that can't be made into messages,
    and for one that removes a message which the thread doesn't have.

    Only of graphs whose input holds LangChain's: what others call `messages` is theirs.
    """
    kwargs = run.get("kwargs")
    if not isinstance(kwargs, Mapping):
        return
    command = kwargs.get("command")
    update = command.get("update") if isinstance(command, Mapping) else None
    for where, given in (("input", kwargs.get("input")), ("command.update", update)):
        messages = given.get("messages") if isinstance(given, Mapping) else None
        problem = _problem(messages) or await _nothing_to_remove(messages, str(run.get("thread_id")), server)
        if problem and await _takes_messages(str(run.get("assistant_id")), server):
            raise UnreadableMessages(
                f"{where}.messages can't be read ({problem}): write each as "
                '{"role": "user", "content": "text"}; nothing was begun'
            )


def _problem(messages: object) -> str | None:
    """What is wrong with the first that is none."""
    given: list[Any] = [] if messages is None else messages if isinstance(messages, list) else [messages]
    for number, each in enumerate(given, 1):
        try:
            convert_to_messages([each])
        except KeyError as error:
            return f"number {number} lacks {error}"
        except NotImplementedError:
            return f"number {number} is no message"
        except (
            ValueError,
            TypeError,
            AttributeError,
            IndexError,
        ) as error:  # the last two of what is odd inside it
            lines = [line.strip() for line in str(error).splitlines()]
            return f"number {number}: {' '.join(lines[1:3] if len(lines) > 2 else lines[:1])}"[:300]
    return None


async def _nothing_to_remove(messages: object, thread_id: str, server: Server) -> str | None:
    """The thread is asked only where something is to be removed."""
    given = convert_to_messages(messages) if isinstance(messages, list) else []
    gone = {one.id for one in given if isinstance(one, RemoveMessage)}
    known = await server.message_ids(thread_id) if gone and REMOVE_ALL_MESSAGES not in gone else None
    if known is None:
        return None
    unknown = gone - known - {one.id for one in given if not isinstance(one, RemoveMessage)}
    return f"there is no message {min(map(str, unknown))!r} to remove" if unknown else None


async def _takes_messages(assistant_id: str, server: Server) -> bool:
    """Whether `messages` are LangChain's in the input of the assistant's graph; False where that can't be told."""
    schema = ((await server.schemas.of(assistant_id)).value or {}).get("input_schema") or {}
    return "messages" in schema.get("properties", {}) and "HumanMessage" in schema.get("$defs", {})
