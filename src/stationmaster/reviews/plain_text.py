"""Text as a text column of Postgres takes it: without NUL and lone surrogates, and not longer than it may be."""

LONGEST = 4_000
"""Characters that are kept of what a graph or a server says went wrong."""


def storable(text: str, limit: int | None = None) -> str:
    """NUL becomes a space, half a character `?`; cut to `limit` characters with an ellipsis at the end."""
    clean = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return clean if limit is None or len(clean) <= limit else f"{clean[: limit - 1]}…"


def kept(said: str | None) -> str | None:
    """An error or a note, cut to LONGEST."""
    return None if said is None else storable(said, LONGEST)
