"""What an operator may do about an answer that got stuck: for each state the one action that sends nothing twice."""

from pathlib import Path
from typing import Literal, LiteralString, TypeAlias

from stationmaster.postgres.queries import load
from stationmaster.reviews import store
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.database import Pool
from stationmaster.reviews.errors import AnswerRefused, Conflict, Forbidden
from stationmaster.reviews.model import Review
from stationmaster.reviews.trail import leave

QUERIES = load(Path(__file__).with_suffix(".sql"))

Action: TypeAlias = Literal["answer", "look_again", "retry", "give_up", "tick_off"]
NAMED = ("look_again", "retry", "give_up", "tick_off")
STATEMENTS: dict[str, LiteralString] = {name: QUERIES[name] for name in NAMED}
NOTE_LENGTH = 1_000


class NothingToSettle(Conflict):
    """It is no longer stuck, or in another way."""

    code = "nothing_to_settle"


def action_of(review: Review) -> Action:
    """The safe one. An open question is answered again; what could not be delivered is tried again; what moves is
    looked at; what can't be known is closed."""
    if review.state == "open":
        return "answer"
    if review.delivery_error is not None:
        return "retry"
    if review.state == "sent" and review.needs_person:
        return "give_up"
    return "look_again" if review.phase == "moving" else "tick_off"


def may_close(review: Review) -> bool:
    """Whether an operator may also have done with it: an answer that can't be delivered. Nothing is sent any more."""
    return review.delivery_error is not None and review.state in ("decided", "sent")


def may_continue(review: Review) -> bool:
    """Whether the thread's run failed after it took the answer: what `continuing` then asks the thread itself."""
    failed = review.state == "failed" and review.consumed_at is not None
    return failed and review.run_status in ("error", "timeout")


def why_stuck(review: Review) -> str:
    """Where an answer got stuck, in a sentence."""
    if review.delivery_error:
        return review.delivery_error
    if review.note:
        return review.note
    if review.state == "decided":
        return (
            "Decided, and not sent: the Agent Server can't be reached, or another run keeps the thread busy."
        )
    if review.state == "sent":
        return "Sent, and the thread does not show that it was taken."
    if review.state == "consumed":
        return "Taken by the graph, whose run has not ended."
    return "Marked for a person to look at."


async def settle(pool: Pool, review_id: str, who: Identity, action: str, note: str = "") -> Review:
    """Do it, if it is still the safe one: somebody else, or the worker, may have been there first.

    `note` says what was found out; without one nothing is given up. NotFound, Forbidden, NothingToSettle.
    """
    note = note.replace("\0", "").strip()[:NOTE_LENGTH]
    async with pool.connection() as conn:
        review = await store.get(conn, review_id, who)
        if not who.has("lead"):
            raise Forbidden("this takes the role lead or admin: ask one of them")
        safe = {action_of(review), "give_up" if may_close(review) else None}
        if action not in STATEMENTS or action not in safe:
            raise NothingToSettle("this is not what helps here (any more): look at the list again")
        if action == "give_up" and not note:
            raise AnswerRefused({"note": "must say what was found out: nothing else will tell"})
        if await (await conn.execute(STATEMENTS[action], {"id": review.id, "note": note})).fetchone() is None:
            raise NothingToSettle(
                "a try is under way, or this has changed meanwhile: wait for half a minute, and look again"
            )
        after = await store.get(conn, review.id, who)
        await leave(conn, after, "settled", {"action": action, "why": note or None}, who.name)
        if after.state != review.state:
            await leave(conn, after, after.state, {"why": note}, who.name)
        return after
