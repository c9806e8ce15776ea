"""Others' words in our Markdown: on one line, and nothing in them is markup."""

import re


def plain(text: str, longest: int = 80) -> str:
    """One line without markup; too long a one is cut."""
    line = " ".join(text.split())
    line = line if len(line) <= longest else line[: longest - 1] + "…"
    return re.sub(r"([\\`*_\[\]<>|#!~])", r"\\\1", line)
