"""Read reviews: the list, its counts, and one with all that is needed to answer it."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query

from stationmaster.console.api.asking import AtHand, Who, declared
from stationmaster.console.api.bodies import ReviewDetail, ReviewPage, Word, review_json
from stationmaster.console.json import JSONResponse
from stationmaster.reviews import audit, shapes, store
from stationmaster.reviews.store import ListQuery, Order, Tab

Amount = Annotated[float | None, Query(allow_inf_nan=False)]


@declared(response_model=ReviewPage)
async def list_reviews(
    who: Who, at_hand: AtHand, tab: Tab = "needs_you", order: Order = "due", graph: Word | None = None,
    assistant: Word | None = None, group: Word | None = None, owner: Word | None = None,
    shape: Word | None = None, state: Word | None = None, risk: Word | None = None,
    thread_id: Word | None = None, min_amount: Amount = None, max_amount: Amount = None,
    due_before: datetime | None = None, needs_person: bool | None = None,
    q: Annotated[Word | None, Query(description='Words, "phrases" and -words.')] = None,
    cursor: Word | None = None, limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> JSONResponse:  # fmt: skip
    """A page of the list.

    Pages are cut by key, so that what comes or goes meanwhile neither repeats nor hides another review.
    """
    query = ListQuery(
        tab=tab, order=order, graph=graph, assistant=assistant, group=group, owner=owner, shape=shape, state=state,
        risk=risk, thread_id=thread_id, min_amount_usd=min_amount, max_amount_usd=max_amount,
        due_before=due_before, needs_person=needs_person, search=q, cursor=cursor, limit=limit,
    )  # fmt: skip
    async with at_hand.pool.connection() as conn:
        page = await store.page(conn, query, who)
    return JSONResponse({"reviews": [review_json(review) for review in page.reviews], "next": page.cursor})


@declared(response_model=dict[str, int])
async def count_reviews(who: Who, at_hand: AtHand) -> JSONResponse:
    """How many reviews each tab holds.

    Closed ones are counted up to 10,000; 10,001 means more.
    """
    async with at_hand.pool.connection() as conn:
        return JSONResponse(await store.counts(conn, who))


@declared(response_model=ReviewDetail)
async def get_review(review_id: str, who: Who, at_hand: AtHand) -> JSONResponse:
    """One review, with its form and the remarks beside it; that it was shown is recorded."""
    async with at_hand.pool.connection() as conn:
        review = await store.get(conn, review_id, who)
        remarks = await store.comments(conn, review.id)
        await audit.seen(conn, review, who.name, "api")
    shape = shapes.of(review.pending)
    about = shape.describe(review.pending)
    return JSONResponse(
        {
            **review_json(review), "body": about.body, "actions": [asdict(action) for action in about.actions],
            "form": [asdict(choice) for choice in shape.form(review.pending).choices],
            "comments": [asdict(remark) for remark in remarks],
        }
    )  # fmt: skip


@declared(response_model=dict[str, Any])
async def get_me(who: Who) -> JSONResponse:
    """Whose credential this is, and what it opens."""
    return JSONResponse(
        {"name": who.name, "roles": who.roles, "groups": who.groups, "every_group": who.sees_every_group}
    )
