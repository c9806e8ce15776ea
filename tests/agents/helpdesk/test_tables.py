"""VAT, prices and the shared pace, on their tables."""

import asyncio
import threading
import time
from decimal import Decimal

import psycopg
import pytest

from agents.helpdesk import pace
from agents.helpdesk.prices import find_prices
from agents.helpdesk.vat import vat_on
from agents.shared import database
from tests.agents.helpdesk.in_process import Desk, calls, ends, final, results
from tests.fakes.openai_server import OpenAIServer


@pytest.mark.parametrize(
    ("country", "percent", "tax"),
    [("US", 0, 0), ("UK", 20, 20), ("DE", 19, 19), ("IN", 18, 18), ("Atlantis", 20, 20), ("FR", 20, 20)],
)
async def test_rates(agents_on_shop: str, country: str, percent: float, tax: float) -> None:
    found = await vat_on(Decimal(100), country)
    assert (found["percent"], found["vat_usd"], found["gross_usd"]) == (percent, tax, 100 + tax)
    assert found["note"]


async def test_a_country_without_a_rate_is_told_that_it_is_an_estimate(agents_on_shop: str) -> None:
    assert "estimate" in (await vat_on(Decimal(1), "Atlantis"))["note"]


@pytest.mark.parametrize(
    ("net", "tax"), [("0.01", 0.0), ("0.03", 0.01), ("59.99", 11.4), ("0.13", 0.02), ("0", 0.0)]
)
async def test_cents_are_rounded_half_up(agents_on_shop: str, net: str, tax: float) -> None:
    found = await vat_on(Decimal(net), "DE")
    assert found["vat_usd"] == tax
    assert found["gross_usd"] == float(Decimal(net) + Decimal(str(tax)))


async def test_a_rate_is_data(agents_on_shop: str) -> None:
    with psycopg.connect(agents_on_shop) as conn:
        conn.execute("insert into helpdesk.vat_rates values ('CH', 'Switzerland', 8.1, 'Standard rate.')")
    assert (await vat_on(Decimal(100), "ch"))["vat_usd"] == 8.1


async def test_prices_are_found_by_all_words_and_nothing_else(agents_on_shop: str) -> None:
    (blender,) = await find_prices("blender vitality")
    assert (blender["name"], blender["price_usd"]) == ("Vitality Pro Blender", 640.0)
    for nothing in ("", "%", "blender unicorn", "___"):
        assert await find_prices(nothing) == []


async def test_a_burst_passes_and_then_calls_come_evenly(agents_on_shop: str) -> None:
    started = time.monotonic()
    for _ in range(7):
        await pace.take_turn("even", tenant="main", per_minute=600, burst=5)
    assert time.monotonic() - started >= 0.19, "two had to wait for 0.1 s each"


async def test_who_would_wait_too_long_is_refused_and_takes_no_turn(agents_on_shop: str) -> None:
    for _ in range(5):
        await pace.take_turn("slow", tenant="main", per_minute=1)
    for _ in range(3):
        with pytest.raises(pace.TooFast):
            await pace.take_turn("slow", tenant="main", per_minute=1)
    with psycopg.connect(agents_on_shop) as conn:
        row = conn.execute(
            "select due_at - now() < '6 minutes' from helpdesk.paces where name = 'slow'"
        ).fetchone()
    assert row == (True,)
    await pace.take_turn("slow", tenant="another", per_minute=1)


async def test_a_runs_own_pace_lifts_the_limit_for_nobody(agents_on_shop: str) -> None:
    """It is a run's context, which callers set; how often at the most is the table's to say."""
    with psycopg.connect(agents_on_shop) as conn:
        conn.execute(
            "insert into helpdesk.paces (tenant, name, due_at, most_per_minute) values ('main', 'capped', now(), 60)"
        )
    for _ in range(5):
        await pace.take_turn("capped", tenant="main", per_minute=6_000)
    with pytest.raises(pace.TooFast):
        await pace.take_turn("capped", tenant="main", per_minute=6_000, longest_wait_s=0.5)


async def test_the_pace_is_one_for_all_loops_and_threads(agents_on_shop: str) -> None:
    """Four threads with a pool each, as four processes would have: each of 8 calls moves the one pace on by 50 ms."""
    with psycopg.connect(agents_on_shop) as conn:
        conn.execute(
            "insert into helpdesk.paces (tenant, name, due_at, most_per_minute) values ('main', 'shared', now(), 1200)"
        )
        begun = conn.execute("select clock_timestamp()").fetchone()

    async def caller() -> None:
        for _ in range(2):
            await pace.take_turn("shared", tenant="main", per_minute=1_200)
        await database.close()

    threads = [threading.Thread(target=lambda: asyncio.run(caller())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        await asyncio.to_thread(thread.join)
    with psycopg.connect(agents_on_shop) as conn:
        row = conn.execute("select due_at from helpdesk.paces where name = 'shared'").fetchone()
    assert begun and row
    assert (row[0] - begun[0]).total_seconds() >= 8 * 0.05


async def test_a_price_check_that_comes_too_fast_is_told_to_the_model(
    agents_on_shop: str, openai_server: OpenAIServer, ticket: str
) -> None:
    many = [("price_check", {"product": f"Blender {number}"}) for number in range(5)]
    more = [("price_check", {"product": f"Vitality {number}"}) for number in range(3)]
    first = Desk.open(f"{ticket}-1", model="openai:gpt-4.1-mini", price_checks_per_minute=1)
    second = Desk.open(f"{ticket}-2", model="openai:gpt-4.1-mini", price_checks_per_minute=1)
    openai_server.script(calls(*many), ends(), calls(*more), ends())
    await first.say("Prices?")
    values = await second.say("Prices?")
    assert final(values)["status"] == "answered"
    assert {message.text for message in results(values)} == {
        "Too many price checks at the moment; say so, and ask the customer to come back in a minute."
    }
