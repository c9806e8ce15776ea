"""Passages that sources found, told apart by what they say: one text from two sources is one passage of two places.

Two branches of a graph write into one key in one super-step; `keep_once` is the reducer that lets them. It is
associative, commutative and idempotent: who was first, or that a node ran twice, makes no difference in the end.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, TypeAlias, get_args

from typing_extensions import TypedDict

Source: TypeAlias = Literal["articles", "meaning", "folder", "web"]
SOURCES: tuple[Source, ...] = get_args(Source)
LONGEST = 1_200
"""Characters of a passage: state holds dozens of them."""
LONGEST_NAME = 300


class Place(TypedDict):
    """Where a passage stands: `where` is an article's id, a file with its page, or a URL."""

    source: Source
    title: str
    where: str


class Passage(TypedDict):
    """A piece of text that a source found; `passage_id` is made of the text alone."""

    passage_id: str
    text: str
    places: list[Place]


Found: TypeAlias = dict[str, Passage]
"""Passages by their ids."""


@dataclass(frozen=True)
class Hit:
    """What one source says it found."""

    title: str
    where: str
    text: str


def passage_of(source: Source, hit: Hit) -> Passage:
    """A hit as a passage; too long a text is cut."""
    text = _tidy(hit.text, LONGEST)
    place: Place = {
        "source": source, "title": _tidy(hit.title, LONGEST_NAME) or hit.where, "where": _tidy(hit.where, LONGEST_NAME),
    }  # fmt: skip
    return {"passage_id": content_hash(text), "text": text, "places": [place]}


def content_hash(text: str) -> str:
    """The same for texts that differ in white space and capitals only."""
    return sha256(" ".join(text.split()).casefold().encode("utf-8", "ignore")).hexdigest()[:32]


def found_of(passages: Iterable[Passage]) -> Found:
    """Passages by id, each once."""
    found: Found = {}
    for passage in passages:
        found = keep_once(found, {passage["passage_id"]: passage})
    return found


def keep_once(left: Mapping[str, Passage] | None, right: Mapping[str, Passage] | None) -> Found:
    """All passages, each once with all its places: a reducer. Order and repetition change nothing."""
    merged: Found = dict(left or {})
    for passage_id, passage in (right or {}).items():
        known = merged.get(passage_id)
        merged[passage_id] = (
            _one(known, passage) if known else {**passage, "places": _sorted(passage["places"])}
        )
    return merged


def _one(left: Passage, right: Passage) -> Passage:
    return {
        "passage_id": left["passage_id"],
        "text": min(left["text"], right["text"]),
        "places": _sorted([*left["places"], *right["places"]]),
    }


def _sorted(places: Iterable[Place]) -> list[Place]:
    distinct = {(place["source"], place["title"], place["where"]): place for place in places}
    return [distinct[key] for key in sorted(distinct, key=lambda key: (SOURCES.index(key[0]), *key[1:]))]


def _tidy(text: str, longest: int) -> str:
    """As Postgres and JSON can hold it, and no longer than state should hold."""
    text = text.encode("utf-8", "ignore").decode().replace("\0", " ").strip()
    return text if len(text) <= longest else text[: longest - 1] + "…"
