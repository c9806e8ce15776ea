"""Lab 13: the service behind a graph is away, for five seconds and for twenty minutes.

Told is that a retry (three tries, half a second doubling) handles the first, and a circuit breaker the second. Shown is
how much of it is true. Three tries end 1.5 s after the first one: whoever asks in the last 1.5 s of an outage gets
through, whoever asks before that does not, so five seconds need five tries, or a service that says when it is back.
And through twenty minutes a retry alone makes it worse: each question asks the dead service three times and keeps its
customer for the whole 1.5 s, to say in the end what could be said at once. With the breaker five failures are enough:
after them one call a cooldown looks whether the service is back, and all others have their degraded answer at once.
It has its price too: opened by five short seconds, it stays open for its cooldown.

The service is real, so is every call to it, and calls are counted there. Lengths are the told ones: the clock is
turned on instead of waited for. The last test does the same on the real clock, twenty times as fast, and on the
breaker that all threads share in the database.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import pytest
from typing_extensions import TypedDict

from agents.shared.resilience import (
    RETRIES,
    BreakerOpen,
    Retries,
    Thresholds,
    breaker,
    retrying,
)
from agents.shared.resilience.breaker import Keepers
from agents.shared.resilience.in_process import ProcessKeeper
from agents.shared.resilience.passage import THRESHOLDS
from tests.fakes.openai_answers import Action, Call, Say, Status
from tests.fakes.openai_server import OpenAIServer
from tests.labs.clocks import Clock, Hurried, Turned
from tests.labs.figures import Figures
from tests.labs.rows import in_a_row

EVERY_S = 0.5  # a question, each on a thread of its own
BEFORE_S, AFTER_S = 30.0, 45.0
SHORT_S, LONG_S = 5.0, 1_200.0
OURS = replace(
    RETRIES, jitter=0.0
)  # it adds up to half of each wait, by chance; what is covered must not rest on that
DEGRADED = "I can't look that up now; a colleague will write to you."
COVERED = Figures(
    "what a retry covers",
    ("outage", "tries", "last try after, s", "asked in it", "answered", "degraded", "calls", "slowest, s"),
    ("1.5 seconds", "5 seconds", "5 seconds, five tries", "5 seconds, the service says when"),
)
TABLE = Figures(
    "outage",
    (
        "outage", "asked in it", "calls to the dead service", "seconds waited", "degraded in it", "degraded after it",
        "back after, s",
    ),
    ("5 seconds, retry", "5 seconds, with a breaker", "20 minutes, retry", "20 minutes, with a breaker"),
)  # fmt: skip
Guard = Callable[[], AbstractAsyncContextManager[None]]


class State(TypedDict, total=False):
    question: str
    answer: str


@dataclass
class Service:
    """Away between `begins` and `ends`, in seconds of `clock`; `arrived` holds when it was asked."""

    clock: Clock
    begins: float
    ends: float
    says_when: bool = False
    url: str = ""
    arrived: list[float] = field(default_factory=list)

    def respond(self, call: Call) -> Action:
        at = self.clock.now()
        self.arrived.append(at)
        if not self.away(at):
            return Say("It was delivered on Monday.")
        headers = {"Retry-After": str(int(self.ends - at) + 1)} if self.says_when else {}
        return Status(503, headers=headers)

    def away(self, at: float) -> bool:
        return self.begins <= at < self.ends

    @property
    def asked_in_vain(self) -> int:
        return sum(map(self.away, self.arrived))

    @contextmanager
    def running(self) -> Iterator["Service"]:
        with OpenAIServer.running(self.respond) as server:
            self.url = f"{server.url}/chat/completions"
            yield self


@dataclass(frozen=True)
class Answered:
    """One question: when it was asked and answered, and whether with more than an apology."""

    asked_at: float
    at: float
    degraded: bool


def graph(service: Service, client: httpx.AsyncClient, retries: Retries, guard: Guard) -> Any:
    """The wrong one where `guard` lets everything through, the right one where it is a breaker."""

    async def ask(state: State) -> State:
        body = {"model": "any", "messages": [{"role": "user", "content": state.get("question", "")}]}
        try:
            async for attempt in retrying(retries).copy(sleep=service.clock.sleep):
                with attempt:
                    async with guard():
                        response = (await client.post(service.url, json=body)).raise_for_status()
                        return {"answer": response.json()["choices"][0]["message"]["content"]}
        except (BreakerOpen, httpx.HTTPStatusError):
            return {"answer": DEGRADED}
        raise AssertionError("retrying ends with a result or an error")

    return in_a_row(State, ask=ask)


async def story(service: Service, retries: Retries, guard: Guard) -> list[Answered]:
    """A question each half second, from before the outage until after it; the answers in the order of the questions."""
    answers: list[Answered] = []
    clock = service.clock

    async def customer(number: int, asks: Any) -> None:
        await clock.sleep(number * EVERY_S)
        asked_at = clock.now()
        said = await asks.ainvoke({"question": f"Where is order {number}?"})
        answers.append(Answered(asked_at, clock.now(), said["answer"] == DEGRADED))

    with service.running():
        async with httpx.AsyncClient(timeout=30.0) as client:
            asks = graph(service, client, retries, guard)
            many = int((service.ends + AFTER_S) / EVERY_S)
            await clock.together(*(customer(number, asks) for number in range(many)))
    return sorted(answers, key=lambda answer: answer.asked_at)


def turned(length_s: float, *, says_when: bool = False) -> Service:
    return Service(Turned(), BEFORE_S, BEFORE_S + length_s, says_when)


def broken_by(clock: Clock) -> Guard:
    """Our breaker at its own figures, told the time by `clock`."""
    keepers = Keepers(shared=ProcessKeeper(clock.now))
    return lambda: breaker("orders", THRESHOLDS, keepers)


def during(service: Service, answers: Sequence[Answered]) -> list[Answered]:
    return [answer for answer in answers if service.away(answer.asked_at)]


def last_try_s(retries: Retries) -> float:
    """Seconds from the first try to the last one, where no try takes any."""
    return sum(retries.first_wait_s * retries.factor**number for number in range(retries.attempts - 1))


@pytest.mark.parametrize(
    ("row", "length_s", "retries", "says_when"),
    [
        (COVERED.rows[0], 1.5, OURS, False),
        (COVERED.rows[1], SHORT_S, OURS, False),
        (COVERED.rows[2], SHORT_S, replace(OURS, attempts=5), False),
        (COVERED.rows[3], SHORT_S, OURS, True),
    ],
    ids=("what three tries cover", "five seconds", "five tries", "Retry-After"),
)
async def test_what_a_retry_covers(row: str, length_s: float, retries: Retries, says_when: bool) -> None:
    service = turned(length_s, says_when=says_when)
    asked = during(service, await story(service, retries, nullcontext))
    degraded = sum(answer.degraded for answer in asked)
    slowest = max(answer.at - answer.asked_at for answer in asked)
    span = last_try_s(retries)
    assert (degraded == 0) is (says_when or span >= length_s)
    COVERED.keep(
        row,
        retries.attempts,
        span,
        len(asked),
        len(asked) - degraded,
        degraded,
        service.asked_in_vain,
        slowest,
    )


@pytest.mark.parametrize(
    ("length_s", "rows"),
    [
        pytest.param(SHORT_S, TABLE.rows[:2], id="short"),
        pytest.param(LONG_S, TABLE.rows[2:], id="long", marks=pytest.mark.slow),
    ],
)
async def test_a_breaker_leaves_a_dead_service_alone(length_s: float, rows: tuple[str, str]) -> None:
    wrong, right = turned(length_s), turned(length_s)
    hammered = await story(wrong, OURS, nullcontext)
    spared = await story(right, OURS, broken_by(right.clock))
    for row, service, answers in ((rows[0], wrong, hammered), (rows[1], right, spared)):
        TABLE.keep(row, *told(service, answers))
    assert right.asked_in_vain < wrong.asked_in_vain
    probes = right.asked_in_vain - THRESHOLDS.failures
    assert probes == int(
        (length_s - 1.0) / THRESHOLDS.cooldown_s
    )  # open since the fifth failure, a second later
    later = [answer for answer in during(right, spared) if answer.asked_at >= right.begins + 1.5]
    at_once = [answer for answer in later if answer.at == answer.asked_at]
    assert all(answer.degraded for answer in later)
    assert (
        len(later) - len(at_once) == probes
    )  # whose own failure ends at the open breaker, half a second later


def told(service: Service, answers: Sequence[Answered]) -> tuple[float, ...]:
    asked = during(service, answers)
    waited = sum(answer.at - answer.asked_at for answer in asked)
    after = [answer for answer in answers if answer.asked_at >= service.ends]
    back = min(answer.at for answer in after if not answer.degraded)
    degraded = (sum(answer.degraded for answer in part) for part in (asked, after))
    return (len(asked), service.asked_in_vain, waited, *degraded, back - service.ends)


def test_chance_adds_to_a_wait_and_takes_nothing() -> None:
    """So that the table's spans are the least: three tries cover 1.5 s to 2.25 s."""
    assert (last_try_s(OURS), last_try_s(OURS) * (1 + RETRIES.jitter)) == (1.5, 2.25)
    assert Retries() == RETRIES and OURS.attempts == 3


@pytest.mark.slow
@pytest.mark.usefixtures("agents_on_database")
async def test_the_same_on_the_real_clock() -> None:
    """Two minutes in six seconds, and the breaker that everybody shares; who was on the way already is not held up."""
    times, length_s = 20.0, 120.0
    quick = Thresholds(THRESHOLDS.failures, THRESHOLDS.cooldown_s / times, THRESHOLDS.probe_s / times)
    service = Service(Hurried(times), BEFORE_S, BEFORE_S + length_s)
    answers = await story(service, RETRIES, lambda: breaker("orders", quick))
    asked = during(service, answers)
    on_the_way, probes = 10, length_s / THRESHOLDS.cooldown_s
    assert THRESHOLDS.failures < service.asked_in_vain <= THRESHOLDS.failures + on_the_way + probes
    assert len(asked) > 2 * (THRESHOLDS.failures + on_the_way + probes)
    assert not answers[0].degraded and asked[-1].degraded and not answers[-1].degraded
