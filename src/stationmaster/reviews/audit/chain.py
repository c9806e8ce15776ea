"""What an entry of the audit is, its canonical text, and its hash. No I/O: offline verification needs no more."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

from stationmaster.reviews import json_text
from stationmaster.reviews.model import canonical

GENESIS = "0" * 64
"""What the first entry carries as the hash of the one before."""
KEYS = frozenset({"seq", "at", "review_id", "actor", "action", "detail", "previous", "hash"})


def moment(at: datetime) -> str:
    """A time as it stands in an entry: UTC, always six digits after the second. SQL writes the same."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@dataclass(frozen=True)
class Entry:
    """One thing that happened. `review_id` is None for what concerns no single review."""

    seq: int
    at: str
    review_id: str | None
    actor: str
    action: str
    detail: Any
    previous: str
    hash: str

    def text(self) -> str:
        """What is hashed: canonical JSON (sorted keys, no spaces, ASCII) of everything but the hash itself."""
        return canonical({name: getattr(self, name) for name in KEYS - {"hash"}})

    def holds(self) -> bool:
        """Whether the hash is that of the content."""
        return hashlib.sha256(self.text().encode()).hexdigest() == self.hash

    def line(self) -> str:
        """The entry in an export, without the line's end."""
        return canonical({name: getattr(self, name) for name in KEYS})

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Self:
        review_id = None if row["review_id"] is None else str(row["review_id"])
        return cls(
            row["seq"], moment(row["at"]), review_id, row["actor"], row["action"], json_text.read(row["detail"]),
            row["previous"], row["hash"],
        )  # fmt: skip


@dataclass(frozen=True)
class Head:
    """The end of the chain at one moment. Kept elsewhere, it proves what the chain held then."""

    seq: int
    hash: str
    at: str

    def mac(self, key: str) -> str:
        """HMAC-SHA256 over the head: who has not got the key can't make another end of the chain look right."""
        return hmac.new(key.encode(), self._text().encode(), hashlib.sha256).hexdigest()

    def line(self, key: str | None) -> str:
        """The last line of an export; signed when there is a key."""
        parts: dict[str, Any] = {"head": {"seq": self.seq, "hash": self.hash, "at": self.at}}
        if key is not None:
            parts["mac"] = self.mac(key)
        return canonical(parts)

    def _text(self) -> str:
        return canonical({"seq": self.seq, "hash": self.hash, "at": self.at})
