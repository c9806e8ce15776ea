"""The document review in this process: branches side by side, one report, nothing published that nobody has read."""

from typing import Any

import pytest

from tests.agents.document_review.shelf import COMPLAINT, CONTRACT, PLAIN, Review, Shelf
from tests.fakes.pdf import pdf


async def test_a_letter_goes_through_the_branches_that_it_is_for_and_waits(shelf: Shelf) -> None:
    review = Review()
    values = await review.of(shelf.put(COMPLAINT))
    assert set(review.nodes[3:5]) == {"sentiment", "pii"}
    assert review.nodes[5:] == ["compose", "report"]
    assert await review.next() == ("publish",)
    assert (values["kind"], values["outcome"], values["severity"]) == ("letter", "reported", "high")
    assert values["sections"]["sentiment"]["summary"].startswith("negative")
    assert values["sections"]["pii"]["counts"] == {"email": 1, "phone_number": 1, "iban": 1}
    assert shelf.publications(review.thread_id) == []
    (kept,) = shelf.reviews(review.thread_id)
    assert (kept["status"], kept["complete"], kept["digest"]) == (
        "reported",
        True,
        values["report"]["digest"],
    )


async def test_what_goes_on_is_published_once_as_it_was_read(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put(COMPLAINT))
    values = await review.go_on()
    assert review.nodes == ["publish"]
    assert values["outcome"] == "published"
    (kept,) = shelf.reviews(review.thread_id)
    (publication,) = shelf.publications(review.thread_id)
    assert (kept["status"], kept["decided_by"]) == ("published", "kim")
    assert publication["markdown"] == kept["markdown"]
    assert publication["published_by"] == "kim"


async def test_no_personal_data_leave_by_report_state_or_findings(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put(COMPLAINT))
    values = await review.go_on()
    told = str([values, shelf.reviews(review.thread_id), shelf.findings(review.thread_id, "pii")])
    for secret in ("rosa.delgado@example.net", "1234567", "DE89 3704", "0044 0532"):
        assert secret not in told
    assert r"r\*\*\*@example.net" in shelf.reviews(review.thread_id)[0]["markdown"]


async def test_findings_have_their_place(shelf: Shelf) -> None:
    review, document_id = Review(), shelf.put(COMPLAINT)
    await review.of(document_id)
    text = shelf.page(document_id, 1)
    found = {
        row["kind"]: text[row["start_at"] : row["end_at"]] for row in shelf.findings(review.thread_id, "pii")
    }
    assert found == {
        "email": "rosa.delgado@example.net",
        "phone_number": "+49 30 1234567",
        "iban": "DE89 3704 0044 0532 0130 00",
    }


async def test_a_contract_is_told_what_it_lacks_and_what_it_may_not_promise(shelf: Shelf) -> None:
    review = Review()
    values = await review.of(shelf.put(CONTRACT))
    assert values["kind"] == "contract"
    counts = values["sections"]["compliance"]["counts"]
    assert {"missing_governing_law", "missing_liability", "missing_signature", "forbidden_promise"} == set(
        counts
    )
    assert "standard_processor" not in values["sections"]


async def test_what_no_branch_is_for_goes_to_the_standard_processor(shelf: Shelf) -> None:
    review = Review()
    values = await review.of(shelf.put(PLAIN))
    assert review.nodes == ["intake", "load", "classify", "standard_processor", "compose", "report"]
    assert "nothing that a branch looks for" in values["sections"]["standard_processor"]["summary"]
    assert (await review.go_on())["outcome"] == "published"


async def test_all_four_at_once(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put(COMPLAINT + CONTRACT + "\nserver config: password = hunter2secret\n"))
    assert set(review.nodes[3:7]) == {"sentiment", "pii", "security", "compliance"}
    (password,) = shelf.findings(review.thread_id, "security")
    assert (password["kind"], password["masked"]) == ("password", "hu***")


async def test_whoever_reads_it_may_withhold_it(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put(COMPLAINT))
    values = await review.go_on(by="console", publish=False, note="ask her first", decided_by="lee")
    assert values["outcome"] == "withheld"
    (kept,) = shelf.reviews(review.thread_id)
    assert (kept["status"], kept["decided_by"], kept["note"]) == ("withheld", "lee", "ask her first")
    assert shelf.publications(review.thread_id) == []


async def test_whoever_reads_it_may_send_it_back_for_another_look(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put(PLAIN))
    await review.graph.aupdate_state(review.config(), {"labels": ["legal", "opinion"]}, as_node="classify")
    values = await review.run(None)
    assert set(review.nodes[:2]) == {"sentiment", "compliance"}
    assert await review.next() == ("publish",)
    assert set(values["sections"]) == {"standard_processor", "sentiment", "compliance"}
    assert len(shelf.reviews(review.thread_id)) == 1
    assert (await review.go_on())["outcome"] == "published"


async def test_a_document_that_changed_meanwhile_is_not_published(shelf: Shelf) -> None:
    review, document_id = Review(), shelf.put(COMPLAINT)
    await review.of(document_id)
    shelf.put(CONTRACT, document_id=document_id)
    values = await review.go_on()
    assert values["outcome"] == "stale"
    assert shelf.publications(review.thread_id) == []
    assert (await review.of(document_id))["kind"] == "contract"
    assert (await review.go_on())["outcome"] == "published"


async def test_time_travel_publishes_nothing_again(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put(COMPLAINT))
    await review.go_on()
    assert (await replayed(review, "publish"))["outcome"] == "published"
    assert len(shelf.publications(review.thread_id)) == 1


async def test_a_review_that_was_withheld_is_not_published_by_time_travel(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put(COMPLAINT))
    history = [snapshot async for snapshot in review.graph.aget_state_history(review.config())]
    await review.go_on(publish=False)
    config = review.config()
    config["configurable"] = {**config.get("configurable", {}), **history[0].config.get("configurable", {})}
    values = await review.graph.ainvoke(None, config, context=review.context)
    assert values["outcome"] == "withheld"
    assert shelf.publications(review.thread_id) == []


async def replayed(review: Review, before: str) -> dict[str, Any]:
    """Go back to where `before` was about to run, and run from there."""
    history = [snapshot async for snapshot in review.graph.aget_state_history(review.config())]
    there = next(snapshot for snapshot in history if snapshot.next == (before,))
    config = review.config()
    config["configurable"] = {**config.get("configurable", {}), **there.config.get("configurable", {})}
    return await review.graph.ainvoke(None, config, context=review.context)


async def test_time_travel_to_before_the_report_shows_the_one_that_was_published(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put(COMPLAINT))
    await review.go_on()
    assert (await replayed(review, "compose"))["outcome"] == "reported"
    assert (await review.go_on())["outcome"] == "published"
    assert len(shelf.publications(review.thread_id)) == 1


async def test_another_report_of_a_review_that_was_decided_is_not_kept(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put(COMPLAINT))
    await review.go_on()
    history = [snapshot async for snapshot in review.graph.aget_state_history(review.config())]
    there = next(snapshot for snapshot in history if snapshot.next == ("compose",))
    config = review.config()
    config["configurable"] = {**config.get("configurable", {}), **there.config.get("configurable", {})}
    await review.graph.aupdate_state(config, {"labels": ["legal"]}, as_node="classify")
    values = await review.run(None)
    assert values["outcome"] == "dead_letter"
    assert "DecidedAlready" in values["failures"][0]["reason"]
    assert len(shelf.reviews(review.thread_id)) == 1


async def test_a_thread_that_was_lost_reviews_something_else_as_another_review(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put(COMPLAINT))
    await review.go_on()
    again = Review(thread_id=review.thread_id)
    await again.of(shelf.put(PLAIN))
    assert (await again.go_on())["outcome"] == "published"
    assert len(shelf.publications(review.thread_id)) == 2


async def test_two_reviews_on_one_thread_are_two_reports(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put(COMPLAINT))
    await review.go_on()
    values = await review.of(shelf.put(PLAIN))
    assert set(values["sections"]) == {"standard_processor"}
    await review.go_on()
    assert len(shelf.publications(review.thread_id)) == 2


async def test_another_tenants_document_is_not_there(shelf: Shelf) -> None:
    document_id = shelf.put(COMPLAINT)
    values = await Review(tenant="another").of(document_id)
    assert values["outcome"] == "not_found"
    assert values["document"] is None


async def test_another_tenant_publishes_nothing(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put(COMPLAINT))
    review.tenant = "another"
    values = await review.go_on()
    assert values["outcome"] == "dead_letter"
    assert shelf.publications(review.thread_id) == []


async def test_the_inbox_of_the_operators_acts_for_the_tenant_that_began_the_thread(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put(COMPLAINT))
    review.tenant = "main"
    assert (await review.go_on())["outcome"] == "published"
    (publication,) = shelf.publications(review.thread_id)
    assert publication["tenant"] == shelf.tenant


@pytest.mark.parametrize("document_id", ["", "../etc/passwd", "a b", "x" * 121, 7, None])
async def test_what_is_no_id_fails_with_what_an_id_is(shelf: Shelf, document_id: object) -> None:
    with pytest.raises(ValueError, match="document_id must be"):
        await Review().run({"document_id": document_id})


async def test_markdown_and_pdf(shelf: Shelf) -> None:
    for content, media_type in ((COMPLAINT.encode(), "text/markdown"), (pdf([COMPLAINT]), "application/pdf")):
        values = await Review().of(shelf.put(content, media_type))
        assert values["sections"]["pii"]["counts"] == {"email": 1, "phone_number": 1, "iban": 1}


async def test_markup_of_a_document_does_nothing_in_its_report(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put("API server config <script>alert(1)</script> [x](javascript:evil)\n"))
    (kept,) = shelf.reviews(review.thread_id)
    assert "<script" not in kept["markdown"].replace("\\<script", "")
    assert "](javascript" not in kept["markdown"]
