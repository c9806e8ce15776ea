"""Where each page about a cron is."""

from urllib.parse import quote, urlencode

ALL = "/crons"


def href(name: str, part: str = "", **query: object) -> str:
    """By the name that the history knows it by: a file's, or the server's id."""
    asked = {key: value for key, value in query.items() if value not in (None, "")}
    return f"{ALL}/{quote(name, safe='')}{'/' if part else ''}{part}{f'?{urlencode(asked)}' if asked else ''}"


def number(text: str | None) -> int | None:
    """The number of a row in the history; None for what is none."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 19 else None
