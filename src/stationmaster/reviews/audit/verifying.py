"""Verify an exported audit without any database: whole, or where and how the chain breaks."""

import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from stationmaster.reviews import json_text
from stationmaster.reviews.audit.chain import GENESIS, KEYS, Entry, Head

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


@dataclass(frozen=True)
class _At:
    line: int
    entry: Entry


class _Unusable(Exception):
    """A line that is no entry and no head."""

    def __init__(self, line: int, why: str, *, cut_short: bool = False) -> None:
        self.line, self.why, self.cut_short = line, why, cut_short
        super().__init__(why)


def verify(lines: Iterable[str], *, key: str | None = None, known: Head | None = None) -> Verified | Broken:
    """Check an export. With `key` its head must be signed by it; `known` is a head that was kept elsewhere.

    What the file alone can't show: that it ends early, with a head made to fit. A signed head shows it to whoever has
    the key, and a head kept elsewhere to everybody.
    """
    try:
        placed, head, mac, last_line = _read(lines)
    except _Unusable as unusable:
        how: How = "truncated" if unusable.cut_short else "unreadable"
        return Broken(unusable.line, None, how, f"{unusable.why}: this is not what was exported")
    if broken := _first_break(placed):
        return broken
    if head is None:
        return Broken(
            last_line,
            None,
            "truncated",
            "the head is missing, with which an export ends: the end was cut off",
        )
    return _end(placed, head, mac, key, known, last_line)


def _read(lines: Iterable[str]) -> tuple[list[_At], Head | None, str | None, int]:
    placed: list[_At] = []
    head: Head | None = None
    mac: str | None = None
    number = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if head is not None:
            raise _Unusable(number, "a line after the head")
        parsed = _object(number, line)
        if "head" in parsed:
            head, mac = _head(number, parsed)
        else:
            placed.append(_At(number, _entry(number, parsed)))
    return placed, head, mac, number


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _object(number: int, line: str) -> dict[str, Any]:
    try:
        parsed = json_text.read(line, pairs=_once)
    except (ValueError, RecursionError) as error:
        raise _Unusable(number, f"no JSON ({error})", cut_short=not line.endswith("\n")) from None
    if not isinstance(parsed, dict):
        raise _Unusable(number, "no JSON object")
    return parsed


def _entry(number: int, parsed: dict[str, Any]) -> Entry:
    texts = ("at", "actor", "action", "previous", "hash")
    whole = (
        parsed.keys() == KEYS
        and type(parsed["seq"]) is int
        and all(isinstance(parsed[k], str) for k in texts)
    )
    if not whole or not isinstance(parsed["review_id"], str | None):
        raise _Unusable(number, f"no entry (it has {', '.join(sorted(parsed))})")
    return Entry(**parsed)


def _head(number: int, parsed: dict[str, Any]) -> tuple[Head, str | None]:
    match parsed:
        case {"head": {"seq": int(seq), "hash": str(digest), "at": str(at)}}:
            mac = parsed.get("mac")
            return Head(seq, digest, at), mac if isinstance(mac, str) else None
        case _:
            raise _Unusable(number, "no head")


def _first_break(placed: Sequence[_At]) -> Broken | None:
    previous, lines = GENESIS, {at.entry.seq: at.line for at in reversed(placed)}
    for expected, at in enumerate(placed, 1):
        entry = at.entry
        if not entry.holds():
            text = f"entry {entry.seq} was changed: its content is not what its hash was made of"
            return Broken(at.line, entry.seq, "changed", text)
        if entry.seq != expected:
            return _out_of_turn(at, expected, lines)
        if entry.previous != previous:
            return _does_not_follow(at, placed)
        previous = entry.hash
    return None


def _out_of_turn(at: _At, expected: int, lines: dict[int, int]) -> Broken:
    seq = at.entry.seq
    if lines[seq] < at.line:
        text = f"entry {seq} stands in line {lines[seq]} too: one of the two was inserted"
        return Broken(at.line, seq, "inserted", text)
    if seq < expected:
        return Broken(
            at.line, seq, "inserted", f"entry {seq} stands where {expected} belongs: it was inserted"
        )
    if expected in lines:
        text = f"entry {seq} stands where {expected} belongs, which is in line {lines[expected]}: they were reordered"
        return Broken(at.line, seq, "reordered", text)
    gone = f"entry {expected} was" if seq == expected + 1 else f"entries {expected} to {seq - 1} were"
    return Broken(at.line, seq, "removed", f"{gone} removed before entry {seq}")


def _does_not_follow(at: _At, placed: Sequence[_At]) -> Broken:
    """Entry `seq` is whole in itself, and another one than the entry before it in the file came before it once."""
    seq = at.entry.seq
    if any(other.entry.seq == seq and other.line > at.line for other in placed):
        return Broken(
            at.line, seq, "inserted", f"entry {seq} does not follow the one before it: it was inserted"
        )
    if seq == 1:
        return Broken(
            at.line,
            1,
            "removed",
            "entry 1 names one before it: what stood there was removed, or it was made up",
        )
    text = (
        f"entry {seq - 1} was changed and hashed anew: entry {seq} still carries the hash of what stood there"
    )
    return Broken(at.line - 1, seq - 1, "changed", text)


def _end(
    placed: Sequence[_At], head: Head, mac: str | None, key: str | None, known: Head | None, line: int
) -> Verified | Broken:  # fmt: skip
    if key is not None and (mac is None or not hmac.compare_digest(mac, head.mac(key))):
        how = "is not signed" if mac is None else "carries a signature that this key did not make"
        return Broken(line, None, "forged_head", f"the head {how}: the end of the file proves nothing")
    for end in (head, known):
        if end is not None and (broken := _reaches(placed, end, line)):
            return broken
    last = placed[-1].entry.hash if placed else GENESIS
    if len(placed) != head.seq or last != head.hash:
        return Broken(
            line, head.seq, "inserted", f"entries after {head.seq}, where the head says that the chain ended"
        )
    return Verified(len(placed), head, key is not None)


def _reaches(placed: Sequence[_At], end: Head, line: int) -> Broken | None:
    """Whether the chain has the entry that a head names."""
    if end.seq > len(placed):
        text = f"the chain had {end.seq} entries at {end.at}, here are {len(placed)}: the end was cut off"
        return Broken(line, len(placed) or None, "truncated", text)
    if end.seq and placed[end.seq - 1].entry.hash != end.hash:
        at = placed[end.seq - 1]
        text = f"entry {end.seq} is another one than at {end.at}: the chain was written anew up to here or further"
        return Broken(at.line, end.seq, "changed", text)
    return None
