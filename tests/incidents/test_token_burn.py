"""400 of 10,000 threads a day burnt 72,000 tokens each, and ended in an error.

A date tool failed on one way of writing a day; the model repeated the identical call until the recursion limit of
25 ended it, twelve calls of 6,000 tokens later. Now the third identical call is the last: the customer hears that
a colleague takes over, and the other 9,600 threads don't notice.
"""

from typing import Any

import pytest

from agents.shared.limits import total_tokens
from tests.labs.figures import Figures
from tests.labs.hosts import at_once
from tests.labs.test_ceilings import TRIES, agent, run

PROMPT_TOKENS = 5_860  # with what is said in twelve rounds each call comes to 6,000
LOOPING = 25  # one of so many
TABLE = Figures(
    "token burn",
    (
        "threads", "looping", "tokens a loop, before", "after", "saved", "errors, before", "after, errors",
        "other threads changed",
    ),
    ("100", "10,000"),
    zero={"after, errors": (), "other threads changed": ()},
)  # fmt: skip
wrong = agent(prompt_tokens=PROMPT_TOKENS)
right = agent(prompt_tokens=PROMPT_TOKENS, tries=TRIES)


async def day(graph: Any, threads: int) -> tuple[list[int], list[int], int]:
    """A day of `threads`: tokens of each that loops, tokens of each other, how many ended in an error."""
    days = ["12/01/2026" if number % LOOPING == 0 else "2026-12-01" for number in range(threads)]
    ended = await at_once(*(run(graph, written) for written in days))
    tokens = [total_tokens(values["usage"]) for values, _ in ended]
    looping = [used for used, written in zip(tokens, days, strict=True) if "/" in written]
    others = [used for used, written in zip(tokens, days, strict=True) if "/" not in written]
    return looping, others, sum(failed for _, failed in ended)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("threads", [100, pytest.param(10_000, marks=pytest.mark.slow)])
async def test_the_third_identical_call_is_the_last(threads: int) -> None:
    before, others_before, errors = await day(wrong, threads)
    after, others_after, errors_after = await day(right, threads)
    assert len(before) == threads // LOOPING == errors
    saved = 1 - sum(after) / sum(before)
    assert saved >= 0.75
    changed = sum(left != right for left, right in zip(others_before, others_after, strict=True))
    TABLE.keep(
        threads, len(before), sum(before) // len(before), sum(after) // len(after), f"{saved:.1%}", errors,
        errors_after, changed,
    )  # fmt: skip
