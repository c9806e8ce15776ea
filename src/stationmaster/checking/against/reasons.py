"""The reasons for which a paused thread breaks, with the same furniture as the rules."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """Why it breaks, and what to write instead."""

    name: str
    looks_for: str
    why: str
    write: str


REASONS = (
    Reason(
        "graph-gone", "a thread of a graph that langgraph.json has no longer, or that can't be loaded",
        "Its run can't start: the server knows no such graph.",
        "the graph, under its old name, until nobody waits in it",
    ),
    Reason(
        "node-gone", "a thread that waits in a node that is gone or was renamed",
        "What was to run next is dropped without a word: the answer is taken, and nothing comes of it.",
        "the node under its old name, leading where the new one leads, until nobody waits in it",
    ),
    Reason(
        "required-key", "a thread that lacks a key which is read without a default on its way from where it waits",
        "It fails with a KeyError, or a ValidationError, as soon as somebody has answered.",
        "`NotRequired` and `.get(key, default)`, a default in the model, or a node that computes it",
    ),
    Reason(
        "value", "a thread that holds a value which the state's schema no longer takes",
        "The state can't be made: the run fails as soon as somebody has answered.",
        "a schema that takes the old values too, or a validator (`mode='before'`) that makes new ones of them",
    ),
    Reason(
        "pause-gone", "a thread that waits at an interrupt() of a node that has none by now",
        "The node runs from its start and asks nobody: the answer is not looked at.",
        "the interrupt() until nobody waits in it; what is new in a node of its own",
    ),
    Reason(
        "pause-order", "a thread whose question has another place among the interrupt() calls of its node by now",
        "Answers are given to questions by their order: it would be taken for the answer to another one.",
        "new questions behind the old ones, or in a node of their own",
    ),
    Reason(
        "answer-schema", "a thread whose question wanted an answer of another form than the node takes by now",
        "What the form of the review lets a person send is refused by the node, or misread.",
        "a schema that takes the old answers too",
    ),
    Reason(
        "context", "an assistant whose context this code does not take, with the threads that wait under it",
        "Every run of the assistant fails when it starts.",
        "a default for the new field, or the assistant's file and `stationmaster apply`, before the deploy",
    ),
)  # fmt: skip


def by_name(name: str) -> Reason:
    """The reason of that name."""
    return next(each for each in REASONS if each.name == name)
