"""The conversations that are recorded: what is said, and the nodes that have to run; played in this process."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from agents.support.state import State
from tests.agents.support.in_process import Talk
from tests.fakes import recorded
from tests.fakes.openai_answers import Action, Say

DIRECTORY = Path(__file__).parent
# Days count from the day of the seeding: what tells today from yesterday must not tell two requests apart.
SCRUBS = (
    *recorded.SCRUBS,
    (re.compile(r'"days_since_delivery": \d+'), '"days_since_delivery": "<days>"'),
    (re.compile(r"delivered \d+ days ago"), "delivered <days> days ago"),
)
_TOGETHER = frozenset({"lookup_order", "check_return_policy"})

QUESTION = ("intake", "classify", "search_kb", "assess", "draft_reply", "send")
_LOOK_UP = ("check_return_policy", "lookup_order", "assess")


class OffScript(Exception):
    """The conversation took another course than it should."""


@dataclass(frozen=True)
class Step:
    """What comes in, a message or the answer of a reviewer, and the nodes that run, as `tidy` gives them."""

    nodes: tuple[str, ...]
    say: str = ""
    answer: dict[str, Any] | None = None


@dataclass(frozen=True)
class Conversation:
    """One thread. `put_in` are answers that no provider gives on request: by task, before its own ones."""

    name: str
    steps: tuple[Step, ...]
    put_in: tuple[tuple[str, Action], ...] = ()

    @property
    def path(self) -> Path:
        return DIRECTORY / f"{self.name}.json"


def _ask(*questions: str) -> tuple[Step, ...]:
    return tuple(Step(QUESTION, say=question) for question in questions)


CONVERSATIONS = {
    one.name: one
    for one in (
        Conversation(
            "refund_with_approval",
            (
                Step(
                    ("intake", "classify", *_LOOK_UP, "acknowledge", "draft_reply", "__interrupt__"),
                    say="My blender arrived broken, order 88123. I want my money back.",
                ),
                Step(("approve", "refund", "send"), answer={"action": "approve"}),
            ),
        ),
        Conversation(
            "question_with_follow_up",
            _ask("How long does standard delivery take?", "And how can I track my parcel?"),
        ),
        Conversation(
            "refusal_then_repair",
            (
                Step(
                    ("intake", "classify", "repair", *_LOOK_UP, "draft_reply", "refund", "send"),
                    say="Order 88124 arrived damaged, please refund it.",
                ),
            ),
            put_in=(("classify", Say(refusal="I can't help with that.")),),
        ),
        Conversation(
            "long_and_summarised",
            (
                *_ask(
                    "How can I track my order 88129?",
                    "How long does standard delivery take?",
                    "What does express delivery cost?",
                    "Which payment methods do you accept?",
                    "How do I reset my password?",
                    "How can I get an invoice?",
                    "Do you have gift cards?",
                    "How do I unsubscribe from the newsletter?",
                    "What are your support hours?",
                    "Do you ship to other countries?",
                ),
                Step(("intake", "summarize", *QUESTION[1:]), say="How do I write a review?"),
                Step(
                    ("intake", "classify", *_LOOK_UP, "draft_reply", "refund", "send"),
                    say="My order never arrived. Please give me my money back.",
                ),
            ),
        ),
    )
}


async def play(conversation: Conversation, *, model: str) -> State:
    """Hold the conversation with the graph; its final state. OffScript when other nodes run than should."""
    talk = Talk.open(f"recorded-{conversation.name}", model=model)
    state: State | None = None
    for number, step in enumerate(conversation.steps, 1):
        state = await (talk.say(step.say) if step.answer is None else talk.answer(step.answer))
        ran = tidy(talk.nodes)
        if ran != step.nodes:
            raise OffScript(
                f"{conversation.name}, step {number}: ran {ran}, should have run {step.nodes}; "
                f"degraded: {state['degraded']}"
            )
    assert state is not None
    return state


def tidy(nodes: Iterable[str]) -> tuple[str, ...]:
    """The nodes without what may differ from run to run: who of two at once is first, how many searches."""
    ran: list[str] = []
    for together, group in groupby(nodes, key=lambda node: node in _TOGETHER):
        ran += sorted(group) if together else [node for node, _ in groupby(group)]
    return tuple(ran)
