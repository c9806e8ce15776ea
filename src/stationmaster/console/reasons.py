"""Why something was changed, as it is kept and shown: one line, without what a terminal would obey."""

LONGEST_REASON = 1_000


def one_line(text: str) -> str:
    """The text without control characters and line ends, cut where it is too long."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:LONGEST_REASON]
