"""Reads dates in plain words: ISO, 18 December, Dec 18, tomorrow, next Friday, in two weeks; says what is unclear."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_DAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday"
NUMBERS = {word: number for number, word in enumerate(_WORDS.split())}
_MONTHS = {month: place for place, month in enumerate(_MONTH_NAMES.split(), start=1)}
_DAYS = {day: place for place, day in enumerate(_DAY_NAMES.split())}
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.?"
_COUNT = r"(?P<count>\d{1,3}|an?|" + "|".join(NUMBERS) + ")"
_UNITS = {"day": 1, "night": 1, "week": 7, "fortnight": 14}
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_RANGE = re.compile(
    rf"\b(?P<first>\d{{1,2}})(?:st|nd|rd|th)?\s*(?:-|–|to|until|till)\s*(?P<last>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?"
    rf"{_MONTH}(?:,?\s+(?P<year>\d{{4}}))?\b",
    re.IGNORECASE,
)
_DAY_MONTH = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?{_MONTH}(?:,?\s+(?P<year>\d{{4}}))?\b",
    re.IGNORECASE,
)
_MONTH_DAY = re.compile(
    rf"\b{_MONTH}\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<year>\d{{4}}))?", re.IGNORECASE
)
_NUMERIC = re.compile(r"\b(\d{1,2})([./])(\d{1,2})\2(\d{4})\b")
_DOTTED = re.compile(r"\b(?P<day>\d{1,2})\.(?P<month>1[0-2]|0?[1-9])\.(?!\d)")
_RELATIVE = re.compile(
    rf"\bin\s+{_COUNT}\s+(?P<unit>day|week|fortnight|month)s?\b|"
    rf"\b{_COUNT.replace('count', 'count2')}\s+(?P<unit2>day|week)s?\s+from\s+(?:now|today)\b",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"\bthe\s+(\d{1,2})(?:st|nd|rd|th)\b(?!\s+(?:of|time|floor|birthday|person))", re.IGNORECASE
)
_NEAR = re.compile(r"\b(yesterday|today|tonight|tomorrow|day after tomorrow)\b", re.IGNORECASE)
_WEEKDAY = re.compile(r"\b(?:on|next|this|coming)\s+(" + "|".join(_DAYS) + r")\b", re.IGNORECASE)
_DAYS_RANGE = re.compile(
    rf"\b(?P<from>{'|'.join(_DAYS)})\s*(?:-|–|to|until|till|through)\s*(?P<to>{'|'.join(_DAYS)})\b",
    re.IGNORECASE,
)
_LENGTH = re.compile(
    rf"\b(?:for|stay(?:ing)?|lasting)\s+{_COUNT}\s+(?P<unit>night|day|week|fortnight)s?\b|"
    rf"\b{_COUNT.replace('count', 'count2')}\s+(?P<unit2>night|day|week|fortnight)s?\s+(?:later|long|after)\b|"
    rf"\b{_COUNT.replace('count', 'count3')}\s+(?P<unit3>night)s?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Found:
    """A date and where it stands in the text."""

    day: date
    start: int


@dataclass(frozen=True)
class Dates:
    """What a text says of dates: in their order, how many days it lasts, and what can't be told for certain."""

    found: tuple[Found, ...] = ()
    length: int | None = None
    unclear: str | None = None


def read_dates(text: str, today: date) -> Dates:
    """All dates of a text. A day without a year is the next one to come; one that is none is unclear."""
    found: dict[int, Found] = {}
    unclear: str | None = None
    taken = text
    for start, end, day in _all(text, today):
        if taken[start:end] == "\0" * (end - start) or "\0" in taken[start:end]:
            continue
        taken = f"{taken[:start]}{chr(0) * (end - start)}{taken[end:]}"
        if isinstance(day, date):
            found[start] = Found(day, start)
        elif isinstance(day, tuple):
            found[start], found[start + 1] = Found(day[0], start), Found(day[1], start + 1)
        else:
            unclear = unclear or text[start:end]
    for match in _ORDINAL.finditer(taken):
        before = [found[start].day for start in sorted(found) if start < match.start()]
        day = _later(int(match[1]), before[-1] if before else today)
        if day is None:
            unclear = unclear or match[0]
        else:
            found[match.start()] = Found(day, match.start())
    return Dates(tuple(found[start] for start in sorted(found)), _length(text), unclear)


def number(word: str) -> int:
    """A count that is written in digits or in words."""
    low = word.lower()
    return 1 if low in ("a", "an") else NUMBERS.get(low) or int(low)


def _all(text: str, today: date) -> Iterator[tuple[int, int, date | tuple[date, date] | None]]:
    """Start, end and date of everything that looks like one, the surest first; None where it is none."""
    for match in _ISO.finditer(text):
        yield *match.span(), _on(int(match[1]), int(match[2]), int(match[3]))
    for match in _NUMERIC.finditer(text):
        yield *match.span(), _numeric(match)
    for match in _RANGE.finditer(text):
        first = _coming(int(match["first"]), match["month"], match["year"], today)
        last = _coming(int(match["last"]), match["month"], match["year"], today)
        yield *match.span(), (first, last) if first and last and first <= last else None
    for pattern in (_DAY_MONTH, _MONTH_DAY):
        for match in pattern.finditer(text):
            yield *match.span(), _coming(int(match["day"]), match["month"], match["year"], today)
    for match in _DOTTED.finditer(text):
        month = _MONTH_NAMES.split()[int(match["month"]) - 1]
        yield *match.span(), _coming(int(match["day"]), month, None, today)
    yield from _spoken(text, today)


def _spoken(text: str, today: date) -> Iterator[tuple[int, int, date | tuple[date, date] | None]]:
    """The same of days that are told from today."""
    for match in _RELATIVE.finditer(text):
        count, unit = number(match["count"] or match["count2"]), (match["unit"] or match["unit2"]).lower()
        yield (
            *match.span(),
            _months_on(today, count) if unit == "month" else today + timedelta(days=count * _UNITS[unit]),
        )
    for match in _NEAR.finditer(text):
        ahead = {"yesterday": -1, "tomorrow": 1, "day after tomorrow": 2}.get(match[1].lower(), 0)
        yield *match.span(), today + timedelta(days=ahead)
    for match in _DAYS_RANGE.finditer(text):
        first = _weekday(match["from"], today)
        yield *match.span(), (first, _weekday(match["to"], first))
    for match in _WEEKDAY.finditer(text):
        yield *match.span(), _weekday(match[1], today)


def _weekday(name: str, since: date) -> date:
    """The next such day after another one."""
    return since + timedelta(days=(_DAYS[name.lower()] - since.weekday() - 1) % 7 + 1)


def _length(text: str) -> int | None:
    match = _LENGTH.search(text)
    if match is None:
        return None
    count = match["count"] or match["count2"] or match["count3"]
    unit = (match["unit"] or match["unit2"] or match["unit3"]).lower()
    return number(count) * _UNITS[unit]


def _numeric(match: re.Match[str]) -> date | None:
    """18.12.2026 has the day first; with slashes both orders are in use, and only one has to be possible."""
    first, last, year = int(match[1]), int(match[3]), int(match[4])
    if match[2] == "." or first > 12:
        return _on(year, last, first)
    return _on(year, first, last) if last > 12 or first == last else None


def _coming(day: int, month: str, year: str | None, today: date) -> date | None:
    place = _MONTHS[month[:3].lower()]
    if year:
        return _on(int(year), place, day)
    this_year = _on(today.year, place, day)
    return this_year if this_year and this_year >= today else _on(today.year + 1, place, day)


def _on(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _later(day: int, since: date) -> date | None:
    """The next such day of a month; None where the month has none."""
    this = _on(since.year, since.month, day)
    if this is None or this >= since:
        return this
    months = since.year * 12 + since.month
    return _on(months // 12, months % 12 + 1, day)


def _months_on(day: date, count: int) -> date:
    """The same day so many months later, or the month's last one."""
    months = day.year * 12 + day.month - 1 + count
    return next(
        found
        for last in range(day.day, 0, -1)
        if (found := _on(months // 12, months % 12 + 1, last)) is not None
    )
