"""How one answer goes to the Agent Server: as a resume by interrupt id, or as a change of state and a run."""

from dataclasses import dataclass, replace
from typing import Any

from stationmaster.reviews.agent_server import AgentServer, ThreadGone
from stationmaster.reviews.answering import resume_of, writes_state
from stationmaster.reviews.asking_as import asked_as, is_graphs_own
from stationmaster.reviews.carrying import runs_after, stamp
from stationmaster.reviews.errors import AgentServerRefused
from stationmaster.reviews.model import Checkpoint, Review, ThreadSnapshot
from stationmaster.reviews.plan import half_sent
from stationmaster.reviews.questions import find, leaf, questions


class QuestionNotShown(AgentServerRefused):
    """The thread stands where it asked, and its graph, as it is now, asks nothing there."""

    def __init__(self, review: Review) -> None:
        super().__init__(
            f"the thread stands where it asked, and its graph asks nothing there any more: its code has changed; see "
            f"that it has the node `{review.node}` again, or close the answer", 409,
        )  # fmt: skip


DECIDED_BY = "decided_by"
DECIDERS = "deciders"
"""All who agreed, in the order in which they did: two where the policy asked for two."""


def obstacle(review: Review, seen: ThreadSnapshot) -> str | None:
    """Why the answer can't be sent as things stand, beyond what waiting solves; None if it can."""
    if _given(review) is None and not _assistant(seen):
        return "the thread names no assistant to run it with: resume it from the client that started it"
    alike = [found for found in questions(seen) if found.interrupt_id == review.interrupt_id]
    if len(alike) > 1:
        return f"{len(alike)} pending questions have this one's id, and an answer would reach them all"
    return None


def is_asked(review: Review, seen: ThreadSnapshot) -> bool:
    """The same interrupt with the same content is pending; or its state was written already and waits for the run."""
    same = any(
        found.interrupt_id == review.interrupt_id and found.digest == review.digest
        for found in questions(seen)
    )
    return same or half_sent(review, seen)


def require_asked(review: Review, seen: ThreadSnapshot) -> None:
    """Of an answer whose question is gone from a thread that no run has moved since: QuestionNotShown."""
    if not seen.busy and not runs_after(review, seen):
        raise QuestionNotShown(review)


@dataclass(frozen=True)
class Request:
    """An answer ready to go: between here and the server nothing more is read. `change`: the state is written first."""

    thread_id: str
    assistant_id: str
    stamp: dict[str, str]
    answers: dict[str, Any] | None = None
    only_if: dict[str, str] | None = None
    change: bool = False
    update: Any = None
    as_node: str | None = None
    checkpoint: dict[str, Any] | None = None


async def get_ready(server: AgentServer, review: Review) -> None:
    """Have the server say now, before the look at the thread, what `prepare` asks it: then it is known, and the answer
    leaves right after the look."""
    assistant_id = _given(review)
    if assistant_id and review.state in ("decided", "sent"):
        if review.resume_run_id is None and not await server.assistant(assistant_id):
            raise ThreadGone(_gone(review), 404)
        await _decided_by(server, assistant_id, review)
        await server.takes_conditions()


async def prepare(server: AgentServer, review: Review, seen: ThreadSnapshot) -> Request:
    """What is sent after `seen`; of two steps the first is left out where `seen` shows it done."""
    resume, assistant_id = resume_of(review), _given(review) or _assistant(seen)
    if assistant_id is None:
        raise ValueError("no assistant; `obstacle` says so")
    made = Request(review.thread_id, assistant_id, stamp(review, seen))
    if resume.kind == "resume":
        decided_by = await _decided_by(server, assistant_id, review)
        only_if = {"interrupt_id": review.interrupt_id, "digest": review.digest}
        return replace(
            made, answers={review.interrupt_id: resume.value}, update=decided_by, only_if=only_if
        )  # fmt: skip
    if not writes_state(review) or half_sent(review, seen):
        return made
    update = await _stamped(server, assistant_id, review, resume.state_update)
    address = _address(seen.checkpoint, review)
    return replace(made, change=True, update=update, as_node=resume.as_node, checkpoint=address)


async def send(server: AgentServer, made: Request) -> str:
    """Start the run that carries the answer; its id."""
    thread_id, assistant_id = made.thread_id, made.assistant_id
    if made.answers is not None:
        return await server.resume(
            thread_id, assistant_id, made.answers, stamp=made.stamp, update=made.update, only_if=made.only_if
        )
    if made.change:
        await server.update_state(thread_id, made.update, as_node=made.as_node, checkpoint=made.checkpoint)
    return await server.continue_(thread_id, assistant_id, stamp=made.stamp)


async def _decided_by(server: AgentServer, assistant_id: str, review: Review) -> dict[str, Any] | None:
    """Who decided, where the graph's state has a place for it: from the credential, never from the form."""
    try:
        places = await server.state_keys(assistant_id)
    except AgentServerRefused:
        return None  # a server that shows no schemas still takes answers
    who = {
        DECIDED_BY: review.decided_by,
        DECIDERS: [name for name in (review.first_by, review.decided_by) if name],
    }
    return {place: said for place, said in who.items() if place in places} or None


async def _stamped(server: AgentServer, assistant_id: str, review: Review, update: Any) -> Any:
    """The same for a change of state: what a form says under that key is overwritten. A subgraph has its own keys."""
    if review.namespace:
        return update
    decided_by = await _decided_by(server, assistant_id, review)
    return {**(update or {}), **decided_by} if decided_by else update


def _given(review: Review) -> str | None:
    """The assistant that an operator has named for it, else the one that asked."""
    return review.send_with or review.assistant_id


def _gone(review: Review) -> str:
    own = review.send_with is None and is_graphs_own(review.graph, review.assistant_id)
    who = review.send_with or asked_as(
        review.graph, review.assistant_id, review.assistant_name, review.assistant_version
    )
    lost, mend = (
        (f"the graph {review.graph}", "bring it back in langgraph.json")
        if own
        else (f"the assistant {who}", "make it again under its id")
    )
    return f"{lost} is gone from the Agent Server: {mend}, or send the answer with another assistant"


def _address(top: Checkpoint, review: Review) -> dict[str, Any] | None:
    """Where to write: None for the top level, else the subgraph's own checkpoint."""
    here = find(top, review.namespace)
    return dict(here.config) if review.namespace and here else None


def _assistant(seen: ThreadSnapshot) -> str | None:
    return (seen.run and seen.run.assistant_id) or leaf(seen.checkpoint).assistant_id
