"""3,400 threads waited for a person when a release came whose gate reads `risk_score`, a field that none of them had.

Each answer ended in KeyError, and whoever had given it saw an error. The release was tested with new threads only.
Now the field is optional, and computed where it is first read: threads of both releases go through, and the
answers that had failed are not asked for again, since they were saved with the question.
"""

import os
from typing import Any

import pytest
from langgraph.types import interrupt
from typing_extensions import TypedDict

from tests.labs.figures import Figures
from tests.labs.hosts import Host, at_once
from tests.labs.places import HostOf
from tests.labs.rows import in_a_row

RELEASE = "LABS_RELEASE"
WAITING = {"saver": 17, "durable": 3_400}
TABLE = Figures(
    "paused threads break",
    (
        "paused",
        "on",
        "KeyErrors, wrong release",
        "broken, right release",
        "asked again",
        "new threads broken",
    ),
    ("17", "3,400"),
    zero={"broken, right release": (), "asked again": (), "new threads broken": ()},
)


class State(TypedDict, total=False):
    amount_usd: int
    risk_score: int
    approved: bool
    outcome: str


def risk_of(state: State) -> int:
    """From what every release has written."""
    return min(100, state.get("amount_usd", 0) // 10)


async def prepare(state: State) -> dict[str, Any]:
    """Since the second release it writes the score too; a thread that waits is past it."""
    return {} if os.environ.get(RELEASE, "1") == "1" else {"risk_score": risk_of(state)}


async def ask(state: State) -> dict[str, Any]:
    return {"approved": interrupt({"amount_usd": state.get("amount_usd")})}


async def pay(state: State) -> dict[str, Any]:
    match os.environ.get(RELEASE, "1"):
        case "1":
            score = None
        case "2 wrong":
            score = state["risk_score"]  # pyright: ignore[reportTypedDictNotRequiredAccess]
        case _:
            score = state.get("risk_score", risk_of(state))
    return {"outcome": f"approved {state.get('approved')}, risk {score}", "risk_score": score}


graph = in_a_row(State, prepare=prepare, ask=ask, pay=pay)


async def paused(place: Host, count: int) -> list[str]:
    """New threads that wait for an answer."""
    threads = await at_once(*(place.thread() for _ in range(count)))
    asked = await at_once(*(place.run(thread, "payment", input={"amount_usd": 640}) for thread in threads))
    assert all(thread.asks == ({"amount_usd": 640},) for thread in asked)
    return threads


async def release(place: Host, name: str) -> None:
    """The old process ends, the new one begins."""
    await place.kill()
    await place.start({RELEASE: name})


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", ["saver", pytest.param("durable", marks=pytest.mark.slow)])
async def test_every_paused_thread_goes_on(kind: str, lab_host: HostOf) -> None:
    place, count = lab_host(kind), WAITING[kind]
    await place.start({RELEASE: "1"})
    threads, untouched = await paused(place, count), await paused(place, 3)
    await release(place, "2 wrong")
    answered = await at_once(*(place.run(thread, "payment", resume=True) for thread in threads))
    errors = sum(thread.error == "KeyError" for thread in answered)
    await release(place, "2 right")
    again = await at_once(*(place.run(thread, "payment", input=None) for thread in threads))
    again += await at_once(*(place.run(thread, "payment", resume=True) for thread in untouched))
    new = await paused(place, 3)
    newer = await at_once(*(place.run(thread, "payment", resume=True) for thread in new))
    good = "approved True, risk 64"
    broken = [sum(each.values.get("outcome") != good for each in group) for group in (again, newer)]
    on = {"saver": "Postgres", "durable": "the durable runtime"}[kind]
    TABLE.keep(count, on, errors, broken[0], sum(bool(each.asks) for each in again), broken[1])
