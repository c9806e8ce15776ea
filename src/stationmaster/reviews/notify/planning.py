"""Who is told what, and when: the policy names channel groups, the settings say where a group is reached."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import partial
from typing import Literal, TypeAlias, get_args

from stationmaster.receivers import Channel
from stationmaster.reviews.database import Connection, Pool
from stationmaster.reviews.model import Review, as_shown
from stationmaster.reviews.notify import links
from stationmaster.reviews.notify.channels import Sender, wrong_with
from stationmaster.reviews.notify.wording import Message, facts_of, worded
from stationmaster.reviews.outbox import queue, worker
from stationmaster.reviews.outbox.queue import Dispatch, Receiver
from stationmaster.settings import Settings

Moment: TypeAlias = Literal["opened", "reminder", "escalation", "undelivered", "resolution"]
MOMENTS: tuple[Moment, ...] = get_args(Moment)
_AS_IF: dict[Moment, Moment] = {"undelivered": "escalation"}
"""Moments that policies don't name: whom they tell is whom they tell of another."""
LEASE = timedelta(minutes=3)


async def plan(conn: Connection, kind: Moment, review: Review) -> int:
    """Messages to the groups that the review's stamped policy names for this moment, in the caller's transaction.

    How many. None for what a developer asked for; and a group without a channel is told nothing.
    """
    groups = [] if review.debug else review.policy.get("notify", {}).get(_AS_IF.get(kind, kind), [])
    body = as_shown(facts_of(kind, review))
    later = review.send_after if review.state == "decided" else None  # until then it may be taken back
    for group in groups:
        await queue.put(conn, "notice", kind, review.id, group, body, later)
    return len(groups)


async def deliver_due(pool: Pool, settings: Settings) -> int:
    """Send what is due to the configured channels; how many sends ended, well or not."""
    channels = {_receiver(channel).key: channel for channel in settings.channels}
    base = links.base_url(settings)
    with Sender() as sender:
        send = partial(_send, pool, channels, base, sender)
        receivers = list(map(_receiver, settings.channels))
        return await worker.deliver_due(pool, "notice", receivers, send, lease=LEASE)


async def _send(
    pool: Pool, channels: Mapping[str, Channel], base: str, sender: Sender, dispatch: Dispatch
) -> None:  # fmt: skip
    facts = json.loads(dispatch.body)
    message = worded(facts, links.review_url(base, dispatch.review_id))
    if facts["decide_by_link"] and dispatch.kind != "resolution" and dispatch.audience:
        message = await _with_links(pool, base, dispatch, message)
    await sender.send(channels[dispatch.receiver], message)


async def _with_links(pool: Pool, base: str, dispatch: Dispatch, message: Message) -> Message:
    """New ones for each try: they are kept as hashes, so the ones of a try that failed can't be sent again."""
    lines: list[str] = []
    for decision in links.DECISIONS:
        async with pool.connection() as conn:
            secret = await links.create(conn, dispatch.review_id, decision, dispatch.audience or "")
        lines.append(
            f"{decision.capitalize()} (asks once more, works once): {links.decide_url(base, secret)}"
        )
    return Message(message.subject, "\n".join([message.body, "", *lines]))


def _receiver(channel: Channel) -> Receiver:
    key = queue.key_of("notice", f"{channel.group}\n{channel.url.get_secret_value()}")
    return Receiver(channel.group, key, channel.shown)


async def problems(settings: Settings, named: Mapping[str, Iterable[str]]) -> list[str]:
    """What will keep people from hearing, a line each: channels that can't work, and groups that policies name
    (`Policies.channels()`) and no channel reaches. For the start of a process; nothing is sent."""
    found = [
        f"STATIONMASTER_CHANNELS: {channel.shown}: {wrong}" for channel in settings.channels
        if (wrong := await asyncio.to_thread(wrong_with, channel))
    ]  # fmt: skip
    reached = {channel.group for channel in settings.channels}
    for group, policies in sorted(named.items()):
        if settings.channels and group not in reached:
            found.append(
                f"nobody hears of {', '.join(policies)}: no channel of the group {group}; "
                f"add {group}=... to STATIONMASTER_CHANNELS, or take it out of the policy's notify"
            )
    return found
