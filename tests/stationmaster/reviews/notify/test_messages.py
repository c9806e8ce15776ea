"""Messages reach a real mail server and a real JSON webhook; one that fails is retried, shown, and tells nothing."""

import asyncio
import json
import logging
from dataclasses import replace
from typing import Any

import pytest

from stationmaster.receivers import channels
from stationmaster.reviews import notify
from stationmaster.reviews.database import Pool
from stationmaster.reviews.model import Review
from stationmaster.reviews.notify.channels import scrubbed
from stationmaster.reviews.notify.wording import inert, worded
from stationmaster.reviews.policies import load
from stationmaster.settings import Settings
from tests.stationmaster.reviews.events.conftest import due_now, in_trouble, settings_of
from tests.stationmaster.reviews.events.receiver import Receiver
from tests.stationmaster.reviews.notify.conftest import PASSWORD, Mailbox, opened

TOKEN = "t0ken-of-the-channel"


def mail(mailbox: Mailbox, group: str = "leads") -> str:
    return f"{group}=mailto://desk:{PASSWORD}@127.0.0.1:{mailbox.port}?from=desk@shop.example&to=lea@shop.example&mode=insecure"


def hook(receiver: Receiver, group: str = "support") -> str:
    return f"{group}=json://127.0.0.1:{receiver.port}/hook/{TOKEN}"


def settings_with(*channels: str) -> Settings:
    return settings_of(channels=" ".join(channels), public_url="https://console.example/")


async def planned(pool: Pool, kind: notify.Moment, review: Review) -> int:
    async with pool.connection() as conn:
        return await notify.plan(conn, kind, review)


async def test_a_group_is_told_by_mail_and_webhook_with_a_link_that_opens_the_review(
    pool: Pool, receiver: Receiver, mailbox: Mailbox
) -> None:
    review = await opened(pool, {"opened": ["support", "leads"]}, amount_usd=640.0, risk="high")
    assert await planned(pool, "opened", review) == 2
    assert await notify.deliver_due(pool, settings_with(hook(receiver), mail(mailbox))) == 2
    assert not await in_trouble(pool)
    told = json.loads(receiver.requests[0].body)
    assert told["title"] == "Needs you: Refund $640.00 for order 88123?"
    for line in (
        "Asked by: support / support",
        "Amount: $640.00",
        "Risk: high",
        f"https://console.example/reviews/{review.id}",
    ):
        assert line in told["message"]
    assert "/act/" not in told["message"]
    ((recipients, message),) = mailbox.mails
    assert recipients == ["lea@shop.example"] and message["subject"] == told["title"]
    body = message.get_body(("plain", "html"))
    assert body is not None and f"/reviews/{review.id}" in body.get_content()


@pytest.mark.parametrize(
    ("kind", "columns", "subject", "line"),
    [
        ("reminder", {}, "Reminder: Refund", "Asked by"),
        ("escalation", {}, "Overdue: Refund", "Asked by"),
        ("resolution", {}, "Closed: Refund", "Asked by"),
    ],
)
async def test_each_moment_tells_the_groups_named_for_it(
    pool: Pool, receiver: Receiver, kind: notify.Moment, columns: dict[str, object], subject: str, line: str
) -> None:
    review = await opened(pool, {kind: ["support"]}, **columns)
    for moment in set(notify.MOMENTS) - {"undelivered"}:
        assert await planned(pool, moment, review) == (1 if moment == kind else 0)
    await notify.deliver_due(pool, settings_with(hook(receiver)))
    (request,) = receiver.requests
    assert (
        json.loads(request.body)["title"].startswith(subject) and line in json.loads(request.body)["message"]
    )


@pytest.mark.parametrize("gave_up", [False, True])
async def test_who_hears_of_escalations_hears_of_an_answer_that_does_not_arrive(
    pool: Pool, receiver: Receiver, gave_up: bool
) -> None:
    """Without what the server said of it, which may hold what stands in the thread."""
    review = await opened(pool, {"escalation": ["support"], "opened": ["leads"]})
    why: dict[str, Any] = {
        "delivery_error": "input_value='Maria'",
        "gave_up_at": review.opened_at if gave_up else None,
    }
    assert await planned(pool, "undelivered", replace(review, **why)) == 1
    await notify.deliver_due(pool, settings_with(hook(receiver)))
    told = json.loads(receiver.requests[0].body)
    assert told["title"].startswith("Answer not delivered: Refund")
    assert ("tried no more by itself" if gave_up else "kept and tried again") in told["message"]
    assert "Maria" not in told["message"]


async def test_a_developers_breakpoint_and_a_group_without_channel_tell_nobody(
    pool: Pool, receiver: Receiver
) -> None:
    debug = await opened(pool, {"opened": ["support"]}, debug=True)
    assert await planned(pool, "opened", debug) == 0
    nobody = await opened(pool, {"opened": ["nobody"]})
    assert await planned(pool, "opened", nobody) == 1
    assert await notify.deliver_due(pool, settings_with(hook(receiver))) == 0
    assert not receiver.requests and not await in_trouble(pool)


async def test_a_failing_channel_is_retried_and_shown_without_its_secrets(
    pool: Pool, receiver: Receiver, mailbox: Mailbox, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor are they in any log, even when everything is logged."""
    caplog.set_level(logging.DEBUG)
    for name in ("apprise", "urllib3.connectionpool", "urllib3"):
        caplog.set_level(logging.DEBUG, logger=name)
    review = await opened(pool, {"opened": ["support", "leads"]})
    await planned(pool, "opened", review)
    receiver.script.append(500)
    mailbox.answers.append("451 try later")
    settings = settings_with(hook(receiver), mail(mailbox))
    assert await notify.deliver_due(pool, settings) == 2
    troubles = await in_trouble(pool)
    assert {trouble.shown for trouble in troubles} == {"support (json)", "leads (mailto)"}
    assert any("error=500" in trouble.last_error for trouble in troubles)
    assert all(trouble.state == "waiting" and trouble.tries == 1 for trouble in troubles)
    await due_now(pool)
    assert await notify.deliver_due(pool, settings) == 2
    assert not await in_trouble(pool) and len(mailbox.mails) == 1 and len(receiver.requests) == 2
    everything = f"{troubles}{settings!r}{caplog.text}"
    assert TOKEN not in everything and PASSWORD not in everything


async def test_a_channel_that_hangs_delays_no_other(pool: Pool, receiver: Receiver, mailbox: Mailbox) -> None:
    for _ in range(3):
        await planned(pool, "opened", await opened(pool, {"opened": ["support", "leads"]}))
    receiver.script.extend(("hang",) * 3)
    settings = settings_with(hook(receiver) + "?rto=2", mail(mailbox))
    working = asyncio.create_task(notify.deliver_due(pool, settings))
    async with asyncio.timeout(20):
        for _ in range(3):
            await mailbox.arrived.get()
    assert not working.done()
    assert await working == 6
    assert len(await in_trouble(pool)) == 3


async def test_a_plugin_that_raises_stops_nobody(
    pool: Pool, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    from apprise.plugins.custom_json import NotifyJSON

    def broken(*_: object, **__: object) -> bool:
        raise UnicodeError(TOKEN)

    monkeypatch.setattr(NotifyJSON, "send", broken)
    await planned(pool, "opened", await opened(pool, {"opened": ["support"]}))
    assert await notify.deliver_due(pool, settings_with(hook(receiver))) == 1
    (trouble,) = await in_trouble(pool)
    assert trouble.state == "waiting" and TOKEN not in trouble.last_error


async def test_what_will_not_work_is_said_at_the_start(
    pool: Pool, receiver: Receiver, tmp_path_factory: pytest.TempPathFactory
) -> None:
    settings = settings_with(hook(receiver), f"leads=slack://{TOKEN}", f"ops=nosuch://{TOKEN}")
    directory = tmp_path_factory.mktemp("policies")
    (directory / "a.yaml").write_text("default: {reviewers: r, notify: [support, managers]}\n")
    said = await notify.problems(settings, load(directory).channels())
    assert len(said) == 3 and TOKEN not in "".join(said)
    assert said[0].startswith("STATIONMASTER_CHANNELS: leads (slack): apprise can't use this URL")
    assert said[2].startswith("nobody hears of default: no channel of the group managers; add managers=...")
    assert await notify.problems(settings_of(), load(directory).channels()) == []
    await planned(pool, "opened", await opened(pool, {"opened": ["ops"]}))
    await notify.deliver_due(pool, settings)
    (trouble,) = await in_trouble(pool)
    assert trouble.state == "dead" and "apprise can't use this URL" in trouble.last_error


@pytest.mark.parametrize(
    ("url", "text"),
    [
        (f"slack://T1/A1/{TOKEN}/#general", f"POST https://hooks.slack.com/services/T1/A1/{TOKEN} failed"),
        ("mailto://me:p%40ss%2Fword@host", "login me p@ss/word refused, p%40ss%2Fword"),
        (f"json://host/?key={TOKEN}", f"host said\r\n {TOKEN}"),
    ],
)
def test_no_part_of_a_url_is_left_in_what_apprise_says(url: str, text: str) -> None:
    (channel,) = channels(f"x={url}")
    said = scrubbed(text, channel)
    for part in (TOKEN, "p@ss", "word", "p%40ss"):
        assert part not in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("Refund\r\nBcc: eve@x.example", "Refund Bcc: eve@\u200bx.example"),
        ("<!channel> @everyone", "<\u200b!channel> @\u200beveryone"),
        ("a\u202eb\x00c", "a b c"),
        ("1 < 2 @ 3", "1 < 2 @ 3"),
    ],
)
def test_a_title_does_nothing_where_it_arrives(title: str, wanted: str) -> None:
    assert inert(title) == wanted


def test_a_resolution_says_who_and_what() -> None:
    facts = {
        "kind": "resolution", "title": "Refund?", "graph": "support", "assistant": None, "amount_usd": None,
        "risk": "normal", "due_at": "soon", "state": "decided", "decided_by": "ann", "decision": "approve",
    }  # fmt: skip
    message = worded(facts, "https://c/reviews/1")
    assert message.subject == "Answered: Refund?"
    assert message.body == "Refund?\napprove by ann\nAsked by: support\n\nhttps://c/reviews/1"


@pytest.mark.parametrize("value", ["x", "=json://h", "support:json://h", "a=json://h,b"])
def test_channels_that_settings_refuse(value: str) -> None:
    if value == "a=json://h,b":
        assert len(channels(value)) == 1  # a comma is part of apprise's URLs
        return
    with pytest.raises(ValueError, match="group=url pairs"):
        channels(value)
