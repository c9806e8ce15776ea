"""What checking an export finds: that it is whole, or where it breaks and what was done there."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from stationmaster.reviews.audit.chain import Entry, Head

How: TypeAlias = Literal[
    "unreadable", "changed", "removed", "reordered", "inserted", "truncated", "forged_head"
]


@dataclass(frozen=True)
class Verified:
    """The chain holds from the first entry to the head. `signed`: the head's signature was checked, and fits."""

    entries: int
    head: Head
    signed: bool

    def __str__(self) -> str:
        proof = (
            "signed head" if self.signed else "head not signed: a shortened file with a new head would pass"
        )
        return f"{self.entries} entries, unbroken, to {self.head.hash[:12]} ({proof})"


@dataclass(frozen=True)
class Broken:
    """Where the chain breaks first: the file's line (from 1), the entry, and what was done to it."""

    line: int
    seq: int | None
    how: How
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


class Doubt:
    """The first entry that does not follow. What was done to the chain shows in what comes after it."""

    def __init__(self, line: int, entry: Entry, expected: int) -> None:
        self._at, self._entry, self._expected = line, entry, expected
        self._belonging: int | None = None
        self._twice = False

    def take(self, line: int, entry: Entry) -> None:
        """An entry after it."""
        if entry.seq == self._expected and self._belonging is None:
            self._belonging = line
        self._twice = self._twice or entry.seq == self._entry.seq

    def verdict(self) -> Broken:
        return self._does_not_follow() if self._entry.seq == self._expected else self._out_of_turn()

    def _out_of_turn(self) -> Broken:
        seq, expected = self._entry.seq, self._expected
        if seq < expected:
            text = (
                f"entry {seq} stands where {expected} belongs: it was inserted, or stands in the file twice"
            )
            return Broken(self._at, seq, "inserted", text)
        if self._belonging is not None:
            text = (
                f"entry {seq} stands where {expected} belongs, which is in line {self._belonging}:"
                " they were reordered"
            )
            return Broken(self._at, seq, "reordered", text)
        gone = f"entry {expected} was" if seq == expected + 1 else f"entries {expected} to {seq - 1} were"
        return Broken(self._at, seq, "removed", f"{gone} removed before entry {seq}")

    def _does_not_follow(self) -> Broken:
        """It is whole in itself, and another one than the entry before it in the file came before it once."""
        seq = self._entry.seq
        if self._twice:
            text = f"entry {seq} does not follow the one before it: it was inserted"
            return Broken(self._at, seq, "inserted", text)
        if seq == 1:
            text = "entry 1 names one before it: what stood there was removed, or it was made up"
            return Broken(self._at, 1, "removed", text)
        text = f"entry {seq - 1} was changed and hashed anew: entry {seq} still carries the hash of what stood there"
        return Broken(self._at - 1, seq - 1, "changed", text)


def another(line: int, end: Head) -> Broken:
    """The entry that a head names is another one than it names."""
    text = (
        f"entry {end.seq} is another one than at {end.at}: the chain was written anew up to here or further"
    )
    return Broken(line, end.seq, "changed", text)
