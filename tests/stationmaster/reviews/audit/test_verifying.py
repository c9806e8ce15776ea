"""An exported audit that was tampered with: where it breaks, and what was done. No database."""

import hashlib
import json
import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stationmaster.reviews.audit import Broken, Entry, Head, Verified, verify

KEY = "a key of the audit"
AT = "2026-03-27T15:00:00.000000Z"


def hashed(entry: Entry) -> Entry:
    return replace(entry, hash=hashlib.sha256(entry.text().encode()).hexdigest())


def chain(length: int = 6) -> list[Entry]:
    entries: list[Entry] = []
    for seq in range(1, length + 1):
        previous = entries[-1].hash if entries else "0" * 64
        entries.append(hashed(Entry(seq, AT, None, "ann", "decided", {"n": seq}, previous, "")))
    return entries


def again(entries: list[Entry], start: int) -> list[Entry]:
    """The entries with everything from `start` on numbered and hashed anew, as a forger with the code would."""
    done = entries[:start]
    for seq, entry in enumerate(entries[start:], start + 1):
        done.append(hashed(replace(entry, seq=seq, previous=done[-1].hash if done else "0" * 64)))
    return done


def exported(entries: list[Entry], *, key: str | None = None, end: list[Entry] | None = None) -> list[str]:
    last = (entries if end is None else end)[-1]
    return [entry.line() + "\n" for entry in entries] + [Head(last.seq, last.hash, AT).line(key) + "\n"]


def test_a_whole_chain_verifies_signed_or_not() -> None:
    whole = verify(exported(chain()))
    assert isinstance(whole, Verified) and whole.entries == 6 and not whole.signed
    assert "head not signed" in str(whole)
    signed = verify(exported(chain(), key=KEY), key=KEY)
    assert isinstance(signed, Verified) and signed.signed
    empty = verify([Head(0, "0" * 64, AT).line(None)])
    assert isinstance(empty, Verified) and empty.entries == 0


def test_a_long_audit_takes_no_more_memory_than_a_short_one() -> None:
    def peak(length: int) -> int:
        lines = exported(chain(length))
        tracemalloc.start()
        assert isinstance(verify(lines), Verified)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(10)  # what is imported or cached once
    assert peak(2000) < 100_000  # bytes; the entries themselves are a megabyte


def test_spaces_and_key_order_are_no_change() -> None:
    lines = [json.dumps(json.loads(line), indent=None) + "\n" for line in exported(chain())]
    assert isinstance(verify([*lines, "\n"]), Verified)


Tamper = Callable[[list[Entry]], list[Entry]]


@pytest.mark.parametrize(
    ("tamper", "line", "seq", "how"),
    [
        (lambda e: [*e[:2], replace(e[2], actor="eve"), *e[3:]], 3, 3, "changed"),
        (lambda e: [*e[:2], replace(e[2], detail={"n": 3.0}), *e[3:]], 3, 3, "changed"),
        (lambda e: [*e[:2], replace(e[2], at=AT.replace("15", "16")), *e[3:]], 3, 3, "changed"),
        (lambda e: [*e[:2], hashed(replace(e[2], actor="eve")), *e[3:]], 3, 3, "changed"),
        (lambda e: [*e[:2], *e[3:]], 3, 4, "removed"),
        (lambda e: e[1:], 1, 2, "removed"),
        (lambda e: [e[0], *e[4:]], 2, 5, "removed"),
        (lambda e: [e[1], e[0], *e[2:]], 1, 2, "reordered"),
        (lambda e: [*e[:2], e[4], e[2], e[3], e[5]], 3, 5, "reordered"),
        (lambda e: [*e[:3], e[2], *e[3:]], 4, 3, "inserted"),
        (lambda e: [*e[:2], hashed(replace(e[2], actor="eve")), *e[2:]], 4, 3, "inserted"),
        (lambda e: [*e[:2], hashed(replace(e[2], previous="f" * 64)), *e[2:]], 3, 3, "inserted"),
        (lambda e: [hashed(replace(e[0], seq=0)), *e], 1, 0, "inserted"),
    ],
)  # fmt: skip
def test_where_the_chain_breaks_and_how(tamper: Tamper, line: int, seq: int, how: str) -> None:
    entries = chain()
    broken = verify(exported(tamper(entries), end=entries))
    assert isinstance(broken, Broken), broken
    assert (broken.line, broken.seq, broken.how) == (line, seq, how), broken


def test_an_end_that_was_cut_off() -> None:
    entries = chain()
    lines = exported(entries)
    for cut in ([*lines[:4], lines[-1]], lines[:-1], lines[:4], [*lines[:4], lines[4][:40]], []):
        broken = verify(cut)
        assert isinstance(broken, Broken) and broken.how == "truncated", broken
    assert "had 6 entries" in str(verify([*lines[:4], lines[-1]]))


def test_an_end_made_to_fit_passes_unsigned_and_is_seen_with_the_key_or_an_older_head() -> None:
    """The limit of a chain: whoever can write the whole file can write another chain. Docs say so."""
    entries = chain()
    shortened = exported(entries[:4])
    assert isinstance(verify(shortened), Verified)
    unsigned = verify(shortened, key=KEY)
    assert isinstance(unsigned, Broken) and unsigned.how == "forged_head"
    forged = verify(exported(entries[:4], key="another key"), key=KEY)
    assert isinstance(forged, Broken) and forged.how == "forged_head"
    known = Head(5, entries[4].hash, AT)
    cut = verify(shortened, known=known)
    assert isinstance(cut, Broken) and cut.how == "truncated"
    rewritten = again([*entries[:2], replace(entries[2], actor="eve"), *entries[3:]], 2)
    assert isinstance(verify(exported(rewritten)), Verified)
    seen = verify(exported(rewritten), known=known)
    assert isinstance(seen, Broken) and (seen.how, seen.seq) == ("changed", 5)
    assert isinstance(verify(exported(entries), known=known), Verified)


def test_entries_beyond_the_head() -> None:
    entries = chain()
    added = verify(exported(entries, end=entries[:4]))
    assert isinstance(added, Broken) and added.how == "inserted"


@pytest.mark.parametrize(
    "line",
    ["x\n", "[]\n", "{}\n", '{"seq": 1}\n', '{"head": 1}\n', "1e999999\n", "[" * 100_000 + "\n"],
)  # fmt: skip
def test_a_line_that_is_nothing_of_ours(line: str) -> None:
    lines = exported(chain())
    broken = verify([*lines[:2], line, *lines[2:]])
    assert isinstance(broken, Broken) and (broken.how, broken.line) == ("unreadable", 3)


def test_a_key_twice_and_a_line_after_the_head_are_refused() -> None:
    lines = exported(chain())
    twice = lines[1].replace('{"action":', '{"action":"x","action":')
    assert str(verify([lines[0], twice, *lines[2:]])).startswith("line 2: no JSON (a key twice)")
    assert str(verify([*lines, lines[0]])).startswith(f"line {len(lines) + 1}: a line after the head")


@given(st.data())
def test_no_change_of_a_single_character_passes(data: st.DataObject) -> None:
    lines = exported(chain(3), key=KEY)
    number = data.draw(st.integers(0, len(lines) - 1))
    line = lines[number].rstrip("\n")
    place = data.draw(st.integers(0, len(line) - 1))
    other = data.draw(st.characters(codec="ascii", exclude_characters=line[place]))
    changed = line[:place] + other + line[place + 1 :]
    try:
        same = json.loads(changed) == json.loads(line)
    except ValueError:
        same = False
    if not same:
        lines[number] = changed + "\n"
        assert isinstance(verify(lines, key=KEY), Broken)
