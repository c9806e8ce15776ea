"""A summary without a model: the newest lines of what was said, within the words that are allowed."""

MOST_WORDS = 120


def summary(said: str) -> str:
    """The conversation's newest lines, in order, in at most 120 words; an earlier summary among them comes first."""
    words: list[str] = []
    for line in reversed([line.strip() for line in said.splitlines() if line.strip()]):
        of_line = line.split()[:40]
        if len(words) + len(of_line) > MOST_WORDS:
            break
        words = [*of_line, *words]
    return " ".join(words)
