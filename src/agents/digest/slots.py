"""When a digest's time begins and ends: pure. Days and weeks are those of a time zone, so one has 23 hours, one 25."""

from datetime import UTC, datetime, time, timedelta
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo

Span: TypeAlias = Literal["hour", "day", "week"]
LONGEST_SPANS = 31
"""A report covers what happened since the one before, but never more than so many spans."""


def slot_of(moment: datetime, span: Span, zone: ZoneInfo, starts: time) -> datetime:
    """The end of the newest slot at a moment, in UTC: never after it."""
    local = moment.astimezone(zone)
    if span == "hour":
        return moment.astimezone(UTC) - timedelta(
            minutes=local.minute, seconds=local.second, microseconds=local.microsecond
        )
    day = local.date() - timedelta(days=local.weekday() if span == "week" else 0)
    end = _at(datetime.combine(day, starts), zone)
    return end if end <= moment else _at(datetime.combine(day - _days(span), starts), zone)


def slot_before(slot: datetime, span: Span, zone: ZoneInfo, starts: time) -> datetime:
    """The end of the slot before that one."""
    if span == "hour":
        return slot - timedelta(hours=1)
    return _at(datetime.combine(slot.astimezone(zone).date() - _days(span), starts), zone)


def spans_of(
    slot: datetime, last: datetime | None, span: Span, zone: ZoneInfo, starts: time
) -> tuple[datetime, datetime]:
    """The beginning of what is reported at a slot, and of the same span before: since the last report, if there was
    one and it is not too long ago.
    """
    since = slot_before(slot, span, zone, starts)
    oldest = slot - LONGEST_SPANS * {"hour": timedelta(hours=1), "day": timedelta(days=1)}.get(
        span, timedelta(days=7)
    )
    if last is not None:
        since = max(min(last, since), oldest)
    return since, since - (slot - since)


def _days(span: Span) -> timedelta:
    return timedelta(days=7 if span == "week" else 1)


def _at(wall: datetime, zone: ZoneInfo) -> datetime:
    """A time on the wall as a moment; one that comes twice is the first, one in a gap the one after it."""
    return wall.replace(tzinfo=zone).astimezone(UTC)
