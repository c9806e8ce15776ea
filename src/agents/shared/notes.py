"""Notes for whoever reads a state: what was degraded, once each and no longer than a checkpoint can bear."""

from agents.shared.shop.text import storable

MAX_NOTES = 10
LONGEST_NOTE = 400


def add_notes(left: list[str] | None, right: list[str] | None) -> list[str]:
    """All notes once, in order, up to a number and a length that no checkpoint suffers from: a reducer.

    They quote what others sent, so they are made such that Postgres can hold them.
    """
    notes = map(storable, [*(left or []), *(right or [])])
    cut = (note if len(note) <= LONGEST_NOTE else note[: LONGEST_NOTE - 1] + "…" for note in notes)
    return list(dict.fromkeys(cut))[:MAX_NOTES]
