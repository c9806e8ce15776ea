"""Verify an exported audit without any database, line by line: whole, or where and how the chain breaks."""

import hmac
from collections.abc import Iterable, Sequence
from typing import Any

from stationmaster.reviews import json_text
from stationmaster.reviews.audit.chain import GENESIS, KEYS, Entry, Head
from stationmaster.reviews.audit.verdicts import Broken, Doubt, How, Verified, another


class _Unusable(Exception):
    """A line that is no entry and no head."""

    def __init__(self, line: int, why: str, *, cut_short: bool = False) -> None:
        self.line, self.why, self.cut_short = line, why, cut_short
        super().__init__(why)


class Verifier:
    """Checks an export line by line, and keeps none of them: an audit of years takes no more memory than one of days.

    `take` each line, or each entry as the database has it, then `verdict`.
    """

    def __init__(self, *, key: str | None = None, known: Head | None = None) -> None:
        self._key, self._known = key, known
        self._line = 0
        self._entries = 0
        self._last = GENESIS
        self._at_known: tuple[int, str] | None = None
        self._head: Head | None = None
        self._mac: str | None = None
        self._unusable: _Unusable | None = None
        self._broken: Broken | None = None
        self._doubt: Doubt | None = None

    def take(self, line: str) -> None:
        """The next line of the file."""
        self._line += 1
        if self._unusable or not line.strip():
            return
        if self._head is not None:
            self._unusable = _Unusable(self._line, "a line after the head")
            return
        try:
            parsed = _object(self._line, line)
            if "head" in parsed:
                self._head, self._mac = _head(self._line, parsed)
            else:
                self._entry(_entry(self._line, parsed))
        except _Unusable as unusable:
            self._unusable = unusable

    def take_entry(self, entry: Entry) -> None:
        """The next entry, in place of its line."""
        self._line += 1
        self._entry(entry)

    def verdict(self, head: Head | None = None) -> Verified | Broken:
        """After the last line. `head`: the end of the chain, for who took entries."""
        self._head = self._head or head
        if (unusable := self._unusable) is not None:
            how: How = "truncated" if unusable.cut_short else "unreadable"
            return Broken(unusable.line, None, how, f"{unusable.why}: this is not what was exported")
        if self._doubt is not None:
            return self._doubt.verdict()
        if self._broken is not None:
            return self._broken
        if self._head is None:
            text = "the head is missing, with which an export ends: the end was cut off"
            return Broken(self._line, None, "truncated", text)
        return self._end(self._head)

    def _entry(self, entry: Entry) -> None:
        if self._doubt is not None:
            self._doubt.take(self._line, entry)
        if self._broken is not None or self._doubt is not None:
            return
        if not entry.holds():
            text = f"entry {entry.seq} was changed: its content is not what its hash was made of"
            self._broken = Broken(self._line, entry.seq, "changed", text)
        elif entry.seq != self._entries + 1 or entry.previous != self._last:
            self._doubt = Doubt(self._line, entry, self._entries + 1)
        else:
            self._entries, self._last = entry.seq, entry.hash
            if self._known is not None and entry.seq == self._known.seq:
                self._at_known = (self._line, entry.hash)

    def _end(self, head: Head) -> Verified | Broken:
        """The chain follows from entry to entry: is its end the one that was written down?"""
        line = self._line
        if self._key is not None and (
            self._mac is None or not hmac.compare_digest(self._mac, head.mac(self._key))
        ):
            how = "is not signed" if self._mac is None else "carries a signature that this key did not make"
            return Broken(line, None, "forged_head", f"the head {how}: the end of the file proves nothing")
        for end in (head, self._known):
            if end is not None and end.seq > self._entries:
                text = f"the chain had {end.seq} entries at {end.at}, here are {self._entries}: the end was cut off"
                return Broken(line, self._entries or None, "truncated", text)
        if self._known is not None and self._at_known is not None and self._at_known[1] != self._known.hash:
            return another(self._at_known[0], self._known)
        if self._entries != head.seq:
            text = f"entries after {head.seq}, where the head says that the chain ended"
            return Broken(line, head.seq, "inserted", text)
        if self._last != head.hash:
            return another(line - 1, head)
        return Verified(self._entries, head, self._key is not None)


def verify(lines: Iterable[str], *, key: str | None = None, known: Head | None = None) -> Verified | Broken:
    """Check an export. With `key` its head must be signed by it; `known` is a head that was kept elsewhere.

    What the file alone can't show: that it ends early, with a head made to fit. A signed head shows it to whoever has
    the key, and a head kept elsewhere to everybody.
    """
    verifier = Verifier(key=key, known=known)
    for line in lines:
        verifier.take(line)
    return verifier.verdict()


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
