"""From the options of `reviews decide` to what the console takes, by the ways in which a review can be answered."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import typer

# The decisions that an option may stand for, the likeliest first.
MEANINGS: Mapping[str, Sequence[str]] = {
    "approve": ("approve", "accept", "continue", "confirm", "allow", "yes", "ok"),
    "reject": ("reject", "deny", "decline", "refuse", "disapprove", "no", "ignore", "cancel"),
    "edit": ("edit", "modify", "change", "amend"),
}


@dataclass(frozen=True)
class Answer:
    """One option of `decide` with its value: a reason for `reject`, JSON for `edit` and `answer`."""

    option: Literal["approve", "reject", "edit", "answer"]
    value: Any = None

    @classmethod
    def of(cls, *, approve: bool, reject: str | None, edit: str | None, answer: str | None) -> "Answer":
        """The one option that was given; wrong usage for none or several, and for what is no JSON."""
        given: list[Answer] = [cls("approve")] if approve else []
        if reject is not None:
            given.append(cls("reject", reject))
        if edit is not None:
            given.append(cls("edit", _json("--edit", edit)))
        if answer is not None:
            given.append(cls("answer", _json("--answer", answer)))
        if len(given) != 1:
            raise typer.BadParameter("give one of --approve, --reject REASON, --edit JSON, --answer JSON")
        return given[0]


def answer_for(review: Mapping[str, Any], given: Answer) -> dict[str, Any]:
    """The body of a decision. Wrong usage where this question can't be answered so; then it says how it can."""
    if given.option == "answer":
        return {"decision": "answer", "answer": given.value}
    offered = [choice["decision"] for choice in review["form"]]
    decision = next((name for name in MEANINGS[given.option] if name in offered), None)
    if decision is None:
        if review["state"] != "open":
            decision = given.option  # the console says who was first, and when
        else:
            raise typer.BadParameter(
                f"this question does not take --{given.option}: it takes {', '.join(options_for(review))}"
            )
    if given.option == "edit":
        return {"decision": decision, "answer": given.value}
    return {"decision": decision, "reason": given.value} if given.value else {"decision": decision}


def options_for(review: Mapping[str, Any]) -> list[str]:
    """The options with which a review can be answered; the whole answer as JSON always works."""
    arguments = {"approve": "--approve", "reject": "--reject REASON", "edit": "--edit JSON"}
    offered = {choice["decision"] for choice in review["form"]}
    fitting = [arguments[option] for option, meanings in MEANINGS.items() if not offered.isdisjoint(meanings)]
    return [*fitting, "--answer JSON"]


def _json(option: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise typer.BadParameter(f"{option} wants JSON, and this is none ({error}): {text[:60]}") from None
