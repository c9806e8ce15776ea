"""Others' words in our Markdown: on one line, and nothing in them is markup."""

import re

_MARKUP = re.compile(r"[\\`*\[\]<>|#!~]|(?<![^\W_])_|_(?![^\W_])")
"""A single underscore within a word, as in the names of columns, is none."""


def plain(text: str, longest: int = 80) -> str:
    """One line without markup; too long a one is cut."""
    line = " ".join(text.split())
    line = line if len(line) <= longest else line[: longest - 1] + "…"
    return _MARKUP.sub(r"\\\g<0>", line)
