"""Links in messages: one opens a review, another may decide it. Opening either (GET) changes nothing.

A link that decides is 256 random bits, kept as a hash beside what it may do: there is nothing in it to forge or to
alter, it works once, for a day at most, and only as long as the review is open.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from stationmaster.postgres.queries import load
from stationmaster.reviews import audit
from stationmaster.reviews.access import secret
from stationmaster.reviews.access.errors import LinkRefused
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.database import Connection
from stationmaster.settings import Settings

Decision: TypeAlias = Literal["approve", "reject"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)
PREFIX = "smd"
PATH = "/act"
LIFE = timedelta(hours=24)

QUERIES = load(Path(__file__).parent / "links.sql")
CREATE, LOOK, TAKE = QUERIES["create"], QUERIES["look"], QUERIES["take"]

GONE = "this link was used already, has expired, or its question is no longer open: look at the review in the console"


@dataclass(frozen=True)
class DecideLink:
    """What a link may do, and in whose name: that of the channel group that was sent it."""

    review_id: str
    decision: Decision
    audience: str
    groups: frozenset[str]
    expires_at: datetime

    @property
    def identity(self) -> Identity:
        """Who acts: `link:` and the group; no user's name may hold a colon. It sees this review's groups alone."""
        return Identity(f"link:{self.audience}", self.groups, frozenset({"reviewer"}), "link")


def base_url(settings: Settings) -> str:
    """The address under which people reach the console."""
    if settings.public_url:
        return settings.public_url.rstrip("/")
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104 - compared, not bound
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.console_port}"


def review_url(base: str, review_id: str) -> str:
    return f"{base}/reviews/{review_id}"


def decide_url(base: str, sent: str) -> str:
    return f"{base}{PATH}/{sent}"


async def create(conn: Connection, review_id: str, decision: Decision, audience: str) -> str:
    """A new link's secret, which nobody can read again afterwards."""
    made = secret.new(PREFIX)
    await conn.execute(CREATE, {
        "digest": secret.digest(made), "review_id": review_id, "decision": decision, "audience": audience,
        "lifetime": LIFE,
    })  # fmt: skip
    return made


async def look(conn: Connection, sent: str) -> DecideLink:
    """What a link would do, without using it up: mail scanners and previews follow links. LinkRefused."""
    return _link(await (await conn.execute(LOOK, {"digest": secret.digest(sent)})).fetchone())


async def consume(conn: Connection, sent: str) -> DecideLink:
    """Use the link up, for a POST alone; of several at once, one gets it. LinkRefused.

    Then decide in the name of `link.identity`. If that is refused, the link stays used: the review is there to look at.
    """
    link = _link(await (await conn.execute(TAKE, {"digest": secret.digest(sent)})).fetchone())
    await audit.record(
        conn, review_id=link.review_id, actor=link.identity.name, action="link_used",
        detail={"decision": link.decision},
    )  # fmt: skip
    return link


def _link(row: dict[str, Any] | None) -> DecideLink:
    if row is None:
        raise LinkRefused(GONE)
    return DecideLink(
        str(row["review_id"]), row["decision"], row["audience"], frozenset(row["groups"]), row["expires_at"]
    )
