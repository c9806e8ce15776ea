"""Nothing is published that nobody could read, whichever breakpoints a run asks for: they replace the compiled one."""

from typing import Any

import pytest
from langgraph.types import Command

from agents.document_review import library
from agents.shared.database import DatabaseUnavailable
from tests.agents.document_review.shelf import PLAIN, Review, Shelf


async def run(review: Review, sent: Any, **breakpoints: Any) -> None:
    """A run with breakpoints of its own."""
    await review.graph.ainvoke(sent, review.config(), context=review.context, **breakpoints)


async def asked(review: Review) -> list[Any]:
    state = await review.graph.aget_state(review.config())
    return [question for task in state.tasks for question in task.interrupts]


@pytest.mark.parametrize("breakpoints", [{"interrupt_after": ["publish"]}, {"interrupt_after": ["intake"]}])
async def test_a_runs_own_breakpoints_publish_nothing_unread(
    shelf: Shelf, breakpoints: dict[str, Any]
) -> None:
    review = Review()
    await run(review, {"document_id": shelf.put(PLAIN)}, **breakpoints)
    if await review.next() == ("load",):
        await run(review, None, **breakpoints)
    assert await review.next() == ("publish",)
    assert not shelf.publications(review.thread_id)
    (question,) = await asked(review)
    assert question.value["text"] == (await review.values())["report"]["excerpt"]

    await run(review, Command(resume={question.id: {"action": "approve"}}), **breakpoints)
    assert len(shelf.publications(review.thread_id)) == 1
    assert (await review.values())["outcome"] == "published"


async def test_a_rejection_withholds_it_with_the_reason(shelf: Shelf) -> None:
    review = Review()
    await run(review, {"document_id": shelf.put(PLAIN)}, interrupt_after=["dead_letter"])
    values = await review.run(Command(resume={"action": "reject", "reason": "too early"}))
    assert (values["outcome"], values["publish"]) == ("withheld", False)
    assert not shelf.publications(review.thread_id)
    assert [row["note"] for row in shelf.reviews(review.thread_id)] == ["too early"]


async def test_the_compiled_breakpoint_asks_nothing_else(shelf: Shelf) -> None:
    review = Review()
    await review.of(shelf.put(PLAIN))
    assert not await asked(review)
    values = await review.values()
    assert values["asks"]["title"].startswith(f"Publish the report on {values['document_id']}? ")
    assert (values["asks"]["before"], values["asks"]["text"]) == (["publish"], values["report"]["excerpt"])
    assert (await review.go_on())["outcome"] == "published"


async def test_a_rejection_holds_when_the_node_is_tried_again(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    review, decide, tries = Review(), library.decide, list[bool]()
    await run(review, {"document_id": shelf.put(PLAIN)}, interrupt_after=["dead_letter"])

    async def away_once(*args: Any, publish: bool, **more: Any) -> Any:
        tries.append(publish)
        if len(tries) == 1:
            raise DatabaseUnavailable("away")
        return await decide(*args, publish=publish, **more)

    monkeypatch.setattr(library, "decide", away_once)
    values = await review.run(Command(resume={"action": "reject", "reason": "too early"}))
    assert tries == [False, False]
    assert values["outcome"] == "withheld"
    assert not shelf.publications(review.thread_id)
