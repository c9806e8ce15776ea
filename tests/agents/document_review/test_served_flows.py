"""The document review through the served API: its happy path, its stop, what withholds, and what ends early."""

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.agents.document_review.shelf import COMPLAINT, PLAIN, Shelf
from tests.agents.thread import ServedThread
from tests.fakes.agent_server import AgentServer
from tests.fakes.pdf import pdf


@pytest.fixture
def shelves(served_shop: str) -> Shelf:
    """The shelf behind the server; its tests count by thread."""
    return Shelf(served_shop)


async def review_of(client: LangGraphClient, document_id: str) -> tuple[ServedThread, dict[str, object]]:
    """A new thread, on which a review of the document has stopped."""
    thread = await ServedThread.begin(client, "document_review", context={"model": "offline:rules"})
    return thread, await thread.run(input={"document_id": document_id})


async def test_it_stops_after_the_report_and_is_published_when_it_goes_on(
    client: LangGraphClient, shelves: Shelf
) -> None:
    thread, values = await review_of(client, shelves.put(COMPLAINT, "text/markdown"))
    assert values["outcome"] == "reported"
    state = await thread.state()
    assert (state["next"], state["interrupts"]) == (["publish"], [])
    assert shelves.publications(thread.thread_id) == []
    assert (await thread.run(input=None))["outcome"] == "published"
    assert len(shelves.publications(thread.thread_id)) == 1
    assert (await thread.state())["next"] == []


async def test_a_change_of_state_withholds_it(client: LangGraphClient, shelves: Shelf) -> None:
    thread, _ = await review_of(client, shelves.put(COMPLAINT))
    await client.threads.update_state(thread.thread_id, {"publish": False, "note": "not yet"})
    assert (await thread.run(input=None))["outcome"] == "withheld"
    assert shelves.reviews(thread.thread_id)[0]["note"] == "not yet"
    assert shelves.publications(thread.thread_id) == []


async def test_none_matched_goes_to_the_standard_processor(client: LangGraphClient, shelves: Shelf) -> None:
    _, values = await review_of(client, shelves.put(PLAIN))
    assert list(values["sections"]) == ["standard_processor"]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("content", "media_type", "outcome"),
    [
        (b"", "text/plain", "empty"),
        (b"%PDF-", "application/pdf", "unreadable"),
        (b"\x00\x01" * 50, "text/markdown", "unreadable"),
    ],
)
async def test_what_can_not_be_reviewed_ends_and_says_so(
    client: LangGraphClient, shelves: Shelf, content: bytes, media_type: str, outcome: str
) -> None:
    thread, values = await review_of(client, shelves.put(content, media_type))
    assert values["outcome"] == outcome
    assert (await thread.state())["next"] == []


async def test_a_wrong_encoding_is_read_and_said(client: LangGraphClient, shelves: Shelf) -> None:
    _, values = await review_of(client, shelves.put("Größe: 5 €, tulips in April.".encode("cp1252")))
    assert values["outcome"] == "reported"
    assert "Windows-1252" in str(values["degraded"])


async def test_200_pages_of_pdf_on_a_server_that_looks_for_blocking_calls(
    client: LangGraphClient, served: AgentServer, shelves: Shelf
) -> None:
    pages = [f"Page {number}: mail c{number}@example.org about the server config." for number in range(200)]
    thread, values = await review_of(client, shelves.put(pdf(pages), "application/pdf"))
    assert values["outcome"] == "reported"
    assert values["document"]["pages"] == 200  # type: ignore[index,call-overload]
    assert len(shelves.findings(thread.thread_id, "pii")) == 200
    assert "Blocking call" not in served.log
