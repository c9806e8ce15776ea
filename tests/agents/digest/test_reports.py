"""What a report says: every figure counted from rows, beside the span before, as data and as text."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from agents.digest.nodes import WrongSlot
from langgraph_runtime_community.migrate import prepare
from tests.agents.digest.world import READER, SLOT, Digest, World, ago
from tests.fakes.shop import place_order


async def test_nothing_to_report_is_a_report(world: World) -> None:
    out = await Digest.of().run()
    assert out["figures"]["quiet"] is True
    assert "Nothing happened since last time, and nobody waits for an answer." in out["markdown"]
    assert out["markdown"].startswith("# Digest daily: 2026-03-11 07:00 GMT\n")
    (report,) = world.reports()
    assert report["figures"] == out["figures"]
    (mail,) = world.mails()
    assert (mail["recipient"], mail["body"]) == (READER, out["markdown"])
    assert mail["subject"] == "Digest daily: 2026-03-11 07:00 GMT"


async def test_every_part_is_counted_and_compared(shop_world: World) -> None:
    world, order_id = shop_world, place_order(shop_world.uri)
    world.refund(ago(hours=1), 40, order_id=order_id)
    world.refund(ago(hours=23), 60.5, order_id=order_id, ticket="T-2")
    world.refund(ago(hours=25), 10, order_id=order_id, ticket="T-3")
    world.mail(ago(hours=1), ticket="T-1")
    world.mail(ago(hours=2), ticket="T-4", to=READER)
    world.dead_letter(ago(hours=3), ticket="T-5")
    for hours, title in ((0.5, "New"), (2, "Some"), (5, "Older"), (30, "Old"), (100, "Oldest")):
        world.review(ago(hours=hours), title, amount_usd=640, graph="support")
    world.review(ago(hours=6), "Answered", answered=ago(hours=5))
    world.review(ago(hours=26), "Answered since", answered=SLOT + timedelta(hours=1))
    run_id = world.webhook(ago(hours=4), "error")
    world.tick(ago(hours=4), "error", run_id=run_id)
    world.webhook(ago(hours=4), "success")
    world.webhook(ago(hours=40), "timeout")
    world.model_call(ago(hours=1), 0.25)
    world.model_call(ago(hours=1), 0.5, model="openai:gpt-4.1")
    world.model_call(ago(hours=1), 0, model="other:new", unpriced=True)
    world.model_call(ago(hours=30), 1)

    out = await Digest.of().run()
    figures = out["figures"]
    assert figures["quiet"] is False
    assert figures["tickets"]["now"] == {"tickets": 4, "handed_over": 1, "dead_letters": 1}
    assert figures["tickets"]["before"] == {"tickets": 1, "handed_over": 0, "dead_letters": 0}
    assert figures["tickets"]["change"] == {"tickets": 3, "handed_over": 1, "dead_letters": 1}
    assert figures["refunds"]["now"] == {"refunds": 2, "usd": 100.5, "largest_usd": 60.5}
    assert figures["refunds"]["change"]["usd"] == 90.5
    assert figures["reviews"]["now"] == {
        "opened": 4, "answered": 1, "waiting": 6,
        "under_1h": 1, "from_1h": 1, "from_4h": 1, "from_1d": 2, "from_3d": 1,
    }  # fmt: skip
    assert [one["title"] for one in figures["reviews"]["details"]][:3] == ["Oldest", "Old", "Answered since"]
    assert figures["runs"]["now"] == {"failed": 1}
    assert figures["runs"]["before"] == {"failed": 1}
    assert figures["runs"]["details"][0]["run_id"] == run_id
    assert figures["spend"]["now"] == {"calls": 3, "tokens": 360, "usd": 0.75, "unpriced_calls": 1}

    text = out["markdown"]
    assert "6 reviews wait for a person; 1 run failed; 1 case could not be handled." in text
    assert "4 tickets were worked on; 2 refunds were made ($100.50); 3 model calls were paid." in text
    assert "| Refunded | $100.50 | $10.00 | +$90.50 |" in text
    assert "| Failed runs | 1 | 1 | = |" in text
    assert "| Spent on models | $0.75 | $1.00 | -$0.25 |" in text
    assert "| 3 days and more | 1 |" in text
    assert "- 4 days: Oldest, $640.00 (support)" in text
    assert "| other:new | 1 | 120 | no price known |" in text


async def test_an_imports_history_and_debugging_count_for_nothing(shop_world: World) -> None:
    world = shop_world
    world.do("update shop.mails set queued_at = %s", ago(hours=1))
    world.review(ago(hours=1), "Breakpoint", debug=True)
    world.mail(ago(hours=1), ticket="digest:x", key="digest:main:other:1:x@example.com")
    assert (await Digest.of().run())["figures"]["quiet"] is True


async def test_the_spans_borders_belong_to_one_span_each(world: World) -> None:
    for at in (SLOT, ago(hours=24), ago(hours=48)):
        world.dead_letter(at, ticket="T")
    parts = (await Digest.of().run())["figures"]["tickets"]
    assert parts["now"]["dead_letters"] == 1
    assert parts["before"]["dead_letters"] == 1


async def test_it_covers_the_time_since_the_report_before(world: World) -> None:
    digest = Digest.of()
    await digest.run(SLOT - timedelta(days=3))
    world.dead_letter(ago(hours=60), ticket="T")
    out = await digest.run()
    assert out["since"] == (SLOT - timedelta(days=3)).isoformat()
    assert out["figures"]["compared_since"] == (SLOT - timedelta(days=6)).isoformat()
    assert out["figures"]["tickets"]["now"]["dead_letters"] == 1


async def test_after_a_very_long_time_it_covers_31_days(world: World) -> None:
    digest = Digest.of()
    await digest.run(SLOT - timedelta(days=90))
    assert (await digest.run())["since"] == (SLOT - timedelta(days=31)).isoformat()


async def test_accounts_and_addresses_are_masked_in_titles(world: World) -> None:
    world.review(
        ago(hours=1),
        "Sign $9,900.00: $9,900.00 to Nordwind, account DE89 3704 0044 0532 0130 00, reference 2026-7?",
    )
    world.review(ago(hours=2), "Refund 88123 of rosa@example.net, card 4111 1111 1111 1111?")
    out = await Digest.of().run()
    (kept,) = world.reports()
    for text in (out["markdown"], str(kept["figures"]), world.mails()[0]["body"]):
        assert not any(secret in text for secret in ("3704", "rosa", "4111 1111"))
        assert all(word in text for word in ("Nordwind", "2026-7", "88123"))


async def test_titles_are_text_and_no_markup(world: World) -> None:
    world.review(ago(hours=1), "Refund | $5 <script>\n# [x](http://evil) `y`")
    text = (await Digest.of().run())["markdown"]
    line = next(line for line in text.splitlines() if line.startswith("- 1 h"))
    assert line == "- 1 h: Refund \\| $5 \\<script\\> \\# \\[x\\](http://evil) \\`y\\`"


async def test_runs_that_the_durable_server_keeps_are_counted_once(world: World) -> None:
    """On the durable server's own tables, as its migrations make them."""
    await prepare(world.uri)
    run_id = world.webhook(ago(hours=1), "error")
    for status, known in (("error", run_id), ("timeout", str(uuid4())), ("success", str(uuid4()))):
        thread_id = str(uuid4())
        world.do("insert into server.threads (thread_id) values (%s)", thread_id)
        world.do(
            "insert into server.runs (run_id, thread_id, assistant_id, status, kwargs, multitask_strategy, "
            "created_at, updated_at, due_at) values (%s, %s, %s, %s, '{}', 'reject', %s, %s, %s)",
            known, thread_id, str(uuid4()), status, *[ago(hours=1)] * 3,
        )  # fmt: skip
    assert (await Digest.of().run())["figures"]["runs"]["now"] == {"failed": 2}


async def test_a_caller_of_another_tenant_sees_its_own(world: World) -> None:
    for at in (1, 2):
        world.dead_letter(ago(hours=at), ticket="T")
        world.mail(ago(hours=at), ticket=f"M-{at}")
    for table in ("mails", "dead_letters"):
        world.do(f"update shop.{table} set tenant = 'other' where ticket_id in ('T', 'M-1') and "
                 f"{'queued_at' if table == 'mails' else 'buried_at'} = %s", ago(hours=1))  # fmt: skip
    world.review(ago(hours=1))
    world.webhook(ago(hours=1), "error")
    world.model_call(ago(hours=1), 5)
    world.model_call(ago(hours=1), 0.5, tenant="other")
    other: Any = {"langgraph_auth_user": {"identity": "eve", "tenant": "other"}}
    out = await Digest.of().run(**other)
    figures = out["figures"]
    assert figures["spend"]["now"]["usd"] == 0.5
    assert [
        figures[part]["now"][key] for part, key in (("tickets", "dead_letters"), ("reviews", "waiting"))
    ] == [1, 0]
    assert figures["tickets"]["now"]["tickets"] == 2
    assert figures["runs"]["now"]["failed"] == 0
    mine = await Digest.of().run()
    assert mine["repeated"] is False, "the main tenant's slot is its own"
    assert mine["figures"]["tickets"]["now"] == {"tickets": 2, "handed_over": 0, "dead_letters": 1}
    assert [report["tenant"] for report in world.reports()] == ["other", "main"]


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        ("yesterday", "is no time"),
        ("2026-03-11T07:00:00", "has no offset"),
        ("2999-01-01T07:00:00+00:00", "lies ahead"),
        ("0001-01-01T00:00:00+00:00", "lies before 1970"),
    ],
)
async def test_a_slot_that_can_not_be_is_refused(world: World, asked: str, wrong: str) -> None:
    digest = Digest.of()
    with pytest.raises(WrongSlot, match=wrong):
        await digest.graph.ainvoke(
            {"slot": asked}, {"configurable": {"thread_id": "t"}}, context=digest.context
        )
    assert not world.reports()


@pytest.mark.parametrize("zone", ["London", "../../etc/passwd", "Europe/Nowhere"])
async def test_a_zone_that_is_none_is_refused(world: World, zone: str) -> None:
    with pytest.raises(WrongSlot, match="there is no time zone"):
        await Digest.of(timezone=zone).run()


async def test_without_a_slot_it_is_the_newest_one(world: World) -> None:
    """The newest slot, as a cron asks for it."""
    world.dead_letter(datetime.now(UTC) - timedelta(hours=30), ticket="T")
    out = await Digest.of(span="hour").run(None)
    with psycopg.connect(world.uri) as conn:
        row = conn.execute("select date_trunc('hour', now() at time zone 'utc')").fetchone()
    assert row is not None
    assert out["slot"] == row[0].replace(tzinfo=UTC).isoformat()
