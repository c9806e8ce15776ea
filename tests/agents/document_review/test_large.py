"""200 pages: checkpoints stay under 50 KB, the loop stays free, and it takes seconds."""

import asyncio
import time

import pytest
from blockbuster import blockbuster_ctx

from tests.agents.document_review.shelf import Review, Shelf
from tests.fakes.pdf import pdf

PAGES = 200
LARGEST_CHECKPOINT = 50_000
LINES = 25
LINE = "Customer {n}: c{n}@example.org, tel +49 30 55{n:05}, disappointed; shall be liable. password = s3cret{n}x"


def page(number: int) -> str:
    """Lines of which each holds something for every branch."""
    return "\n".join(LINE.format(n=number * 100 + line) for line in range(LINES))


async def checkpoints(review: Review) -> list[int]:
    """The bytes of every checkpoint of the thread, as it is written: all its channels, and what its tasks wrote."""
    serde = review.saver.serde
    sizes: list[int] = []
    async for found in review.saver.alist(review.config()):
        written = [(task, channel, value) for task, channel, value in found.pending_writes or []]
        sizes.append(len(serde.dumps_typed(found.checkpoint)[1]) + len(serde.dumps_typed(written)[1]))
    return sizes


@pytest.mark.parametrize("media_type", ["text/plain", "application/pdf"])
async def test_checkpoints_stay_small_and_the_loop_stays_free(shelf: Shelf, media_type: str) -> None:
    pages = [page(number) for number in range(PAGES)]
    content = pdf(pages) if media_type == "application/pdf" else "\f".join(pages).encode()
    review, document_id = Review(), shelf.put(content, media_type)
    started = time.monotonic()
    # As `langgraph dev` looks for calls that block: one in the loop's own thread raises.
    with blockbuster_ctx("agents"):
        values, longest = await asyncio.gather(review.of(document_id), _longest_gap(review))
    took = time.monotonic() - started
    assert values["document"]["pages"] == PAGES
    assert values["sections"]["pii"]["counts"] == {"email": PAGES * LINES, "phone_number": PAGES * LINES}
    assert set(values["sections"]) == {"sentiment", "pii", "security", "compliance"}
    assert (await review.go_on())["outcome"] == "published"
    sizes = await checkpoints(review)
    assert len(sizes) >= 8
    assert max(sizes) < LARGEST_CHECKPOINT
    assert took < 10
    assert longest < 2
    assert len(shelf.findings(review.thread_id, "security")) == PAGES * LINES


async def _longest_gap(review: Review) -> float:
    """How long, at most, the loop did not come back while the review ran."""
    longest, last = 0.0, time.monotonic()
    while not (await review.graph.aget_state(review.config())).values.get("report"):
        await asyncio.sleep(0.005)
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    return longest
