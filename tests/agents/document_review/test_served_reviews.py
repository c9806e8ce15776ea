"""A report in the inbox: the stop after it is a review like any other, whose answer publishes or withholds."""

from langgraph_sdk.client import LangGraphClient

from stationmaster.reviews.model import Submission
from tests.agents.document_review.shelf import COMPLAINT, Shelf
from tests.agents.reviewing import Inbox
from tests.agents.thread import ServedThread


async def reported(client: LangGraphClient, shelf: Shelf) -> ServedThread:
    """A thread that stopped after its report."""
    thread = await ServedThread.begin(client, "document_review", context={"model": "offline:rules"})
    assert (await thread.run(input={"document_id": shelf.put(COMPLAINT)}))["outcome"] == "reported"
    return thread


async def test_who_goes_on_publishes(client: LangGraphClient, inbox: Inbox, served_shop: str) -> None:
    shelf = Shelf(served_shop)
    thread = await reported(client, shelf)
    review = await inbox.opened(thread.thread_id)
    assert (review.shape, review.node, review.groups) == ("breakpoint", "publish", ("documents",))
    assert review.title.startswith("Publish the report on ")
    await inbox.submit(review, Submission("continue"), "kim", group="documents")
    (closed,) = await inbox.settle(thread.thread_id)
    assert closed.state == "finished"
    assert len(shelf.publications(thread.thread_id)) == 1


async def test_who_edits_withholds(client: LangGraphClient, inbox: Inbox, served_shop: str) -> None:
    shelf = Shelf(served_shop)
    thread = await reported(client, shelf)
    review = await inbox.opened(thread.thread_id)
    edit = Submission("edit", {"publish": False, "note": "ask her first"})
    await inbox.submit(review, edit, "kim", group="documents")
    (closed,) = await inbox.settle(thread.thread_id)
    assert closed.state == "finished"
    (kept,) = shelf.reviews(thread.thread_id)
    assert (kept["status"], kept["decided_by"], kept["note"]) == ("withheld", "kim", "ask her first")
    assert shelf.publications(thread.thread_id) == []
