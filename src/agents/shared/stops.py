"""A static breakpoint that the node behind it verifies: it stops by itself where the run did not.

LangGraph takes the breakpoints that a run asks for (Studio does) *in place of* those that a graph was compiled with. So
the node that shows something notes when it did, and the node behind the breakpoint looks whether the run that it is
in began later: then the thread stood still in between, and somebody could look. Otherwise it asks by an interrupt.
"""

from typing import Annotated, Any, Literal

from langgraph.config import get_config
from langgraph.errors import GraphInterrupt
from langgraph.types import interrupt
from pydantic import Field, RootModel, ValidationError
from typing_extensions import TypedDict

from agents.shared.answers import StrictAnswer

MOST_ANSWERS = 5
"""So many answers may fit nothing; then it counts as rejected."""
UNFIT = "The last answer could not be used; please approve, or reject with a reason."


class Shown(TypedDict):
    """What was shown (a digest), in which super-step of the thread, and in which run, if that has an id."""

    what: str
    step: int
    run: str | None


class Approve(StrictAnswer):
    """Go on."""

    action: Literal["approve"]


class Reject(StrictAnswer):
    """Don't do it."""

    action: Literal["reject"]
    reason: str = Field(min_length=1, max_length=2_000, pattern=r"\S", description="Why not")


class Answer(RootModel[Annotated[Approve | Reject, Field(discriminator="action")]]):
    """What a person may answer where no breakpoint stopped the run."""


class Question(TypedDict):
    """What is shown instead of the state at the breakpoint; from state alone."""

    title: str
    text: str
    details: dict[str, str]


class Asks(Question):
    """The same in state, under the key `asks`: what the inbox shows of a thread that waits before one of the nodes."""

    before: list[str]


def asks(question: Question, *before: str) -> Asks:
    """For the key `asks`, from the node in front of the breakpoint."""
    return {**question, "before": list(before)}


def shown(what: str) -> Shown:
    """The note of the node in front of the breakpoint."""
    return {"what": what, "step": _step(), "run": _run()}


def passed(
    note: Shown | None, what: str, *, remaining_steps: int | None, question: Question
) -> Reject | None:
    """Return where a person could look at `what` before this run and let it go on; else wait for one.

    A rejection is returned, too. `remaining_steps`: LangGraph's managed value. A thread that was paused by a release
    without the note has none: there the step before this one counts. To be called before anything with an effect.
    """
    try:
        given = _answer(question)
    except GraphInterrupt:  # nobody has answered, which is right where the run went on from the breakpoint
        if not _stood_still(note, what, remaining_steps):
            raise
        return None
    for left in reversed(range(MOST_ANSWERS)):
        try:
            answer = Answer.model_validate(given).root
        except ValidationError:
            # LangGraph keeps a value that fits nothing, and finds it each time: so it is asked again, not raised.
            if left:
                given = _answer({**question, "title": f"{UNFIT} {question['title']}"})
            continue
        return answer if isinstance(answer, Reject) else None
    return Reject(action="reject", reason="no answer could be used")


def _answer(question: Question) -> Any:
    # As JSON schema: forms are drawn from it, and LangGraph leaves the checking to `passed`.
    return interrupt(question, response_schema=Answer.model_json_schema())


def _stood_still(note: Shown | None, what: str, remaining_steps: int | None) -> bool:
    if remaining_steps is None:
        return False
    # A run's last possible step is the one with which it began, and its limit: neither can be set for a part of it.
    began = _step() + remaining_steps - get_config().get("recursion_limit", 0) - 1
    if note is None:
        return began == _step()
    # A run that is begun anew after a crash goes past its breakpoints: it is still the one that showed it.
    begun_anew = note["run"] is not None and note["run"] == _run()
    return note["what"] == what and began > note["step"] and not begun_anew


def _step() -> int:
    return get_config().get("metadata", {})["langgraph_step"]


def _run() -> str | None:
    # The server gives a run that it begins anew another `run_id` at the top, and leaves this one.
    found = get_config().get("configurable", {}).get("run_id")
    return str(found) if found else None
