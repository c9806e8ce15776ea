"""What handlers look up: asked once by many, remembered for a moment, read anew around a change, and never failing."""

import asyncio
import time

import pytest

from stationmaster.server import lookups
from stationmaster.server.lookups import Found, Lookups
from tests.webhooks.receiving import until


class Asked:
    """Stands in for the server: counts, waits, fails, as told."""

    def __init__(self) -> None:
        self.count = 0
        self.name: str | None = "Careful"
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, key: str) -> str | None:
        self.count += 1
        answer = self.name
        await self.gate.wait()
        if answer == "bug":
            raise ValueError("a bug")
        return answer


async def test_a_hundred_at_once_ask_once() -> None:
    asked = Asked()
    names = Lookups(asked)
    found = await asyncio.gather(*(names.of("a") for _ in range(100)))
    assert (set(found), asked.count) == ({Found("Careful", current=True)}, 1)


async def test_a_slow_lookup_holds_nobody_up_for_long_and_serves_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lookups, "WAIT_S", 0.02)
    asked = Asked()
    asked.gate.clear()
    names = Lookups(asked)
    started = time.monotonic()
    assert await names.of("a") == Found(None, current=False)
    assert time.monotonic() - started < 1
    asked.gate.set()
    assert await names.of("a") == Found("Careful", current=True)
    assert asked.count == 1


async def test_what_was_known_is_given_while_the_new_is_not_to_be_had(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lookups, "WAIT_S", 0.02)
    monkeypatch.setattr(lookups, "TTL_S", 0.0)
    asked = Asked()
    names = Lookups(asked)
    await names.of("a")
    asked.name = "Bold"
    asked.gate.clear()
    assert await names.of("a") == Found("Careful", current=False)
    asked.gate.set()
    assert await names.of("a") == Found("Bold", current=True)


@pytest.mark.parametrize("answer", [None, "bug"])
async def test_a_failed_lookup_forgets_nothing_and_fails_nobody(
    monkeypatch: pytest.MonkeyPatch, answer: str | None
) -> None:
    monkeypatch.setattr(lookups, "TTL_S", 0.0)
    asked = Asked()
    names = Lookups(asked)
    await names.of("a")
    asked.name = answer
    for _ in range(3):
        assert await names.of("a") == Found("Careful", current=False)
        await asyncio.sleep(0)


async def test_what_is_gone_for_certain_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "TTL_S", 0.0)
    monkeypatch.setattr(lookups, "RETRY_S", 0.0)
    answers: list[str | lookups.Absent | None] = ["Careful", None, lookups.ABSENT, None]

    async def ask(key: str) -> str | lookups.Absent | None:
        return answers.pop(0)

    names = Lookups(ask)
    found = [await names.of("a") for _ in range(4)]
    assert [each.value for each in found] == ["Careful", "Careful", None, None]
    assert [each.current for each in found] == [True, False, True, False]


async def test_around_a_change_nothing_read_before_counts() -> None:
    """An answer that was under way when the change began is of the old value."""
    asked = Asked()
    names = Lookups(asked)
    asked.gate.clear()
    early = asyncio.create_task(names.of("a"))
    await until(lambda: has(asked, 1))
    names.changes("a")
    asked.name = "Bold"
    late = asyncio.create_task(names.of("a"))
    await until(lambda: has(asked, 2))
    asked.gate.set()
    assert (await early).value == "Careful"
    assert await late == Found("Bold", current=True)
    asked.name = "Bolder"
    assert await names.of("a") == Found("Bolder", current=True)
    assert await names.of("b") == Found("Bolder", current=True)


async def has(asked: Asked, count: int) -> bool:
    return asked.count >= count


async def test_many_keys_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "CAPACITY", 10)
    asked = Asked()
    names = Lookups(asked)
    for number in range(50):
        await names.of(str(number))
    await names.of("49")
    assert asked.count == 50
    await names.of("0")
    assert asked.count == 51
