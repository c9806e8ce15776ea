"""What a cron's file says of reviews reaches those of its runs: by the run's metadata, and later by the thread's."""

from dataclasses import replace
from datetime import timedelta

from stationmaster.reviews.policies import load
from tests.fakes.agent_server import ROOT
from tests.stationmaster.reviews.engine import Asking

HINTS = {"review": {"due": "1h", "risk": "high"}}


async def test_a_runs_hints_tighten_the_shipped_policy(asking: Asking) -> None:
    asking.desk = replace(asking.desk, policies=load(ROOT / "webhooks" / "policies"))
    thread = await asking.desk.server.client.threads.create()
    asking.thread_id = thread["thread_id"]
    await asking.run("plain", input={"key": asking.key, "question": "q"}, metadata=HINTS)
    (review,) = await asking.opened()
    assert review.risk == "high"
    assert review.due_at is not None
    assert timedelta(minutes=59) < review.due_at - review.opened_at <= timedelta(hours=1)


async def test_later_questions_of_a_crons_thread_are_as_strict(asking: Asking) -> None:
    asking.desk = replace(asking.desk, policies=load(ROOT / "webhooks" / "policies"))
    thread = await asking.desk.server.client.threads.create(metadata=HINTS)
    asking.thread_id = thread["thread_id"]
    await asking.run("plain", input={"key": asking.key, "question": "q"})
    (review,) = await asking.opened()
    assert review.risk == "high"
