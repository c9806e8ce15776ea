"""Links in messages that answer one review: looking does nothing, the button works once, and only for that review."""

import asyncio
import logging

import pytest

from stationmaster.reviews.database import Pool
from stationmaster.reviews.notify import links
from stationmaster.reviews.notify.links import Decision
from tests.stationmaster.console.serving import anybody, open_review, somebody

CALL = {
    "action_requests": [{"name": "refund", "args": {"order": "88123", "amount": 40.0}}],
    "review_configs": [{"action_name": "refund", "allowed_decisions": ["approve", "edit", "reject"]}],
}


async def linked(pool: Pool, decision: Decision = "approve") -> tuple[str, str]:
    """A review, and a link's path that answers it."""
    review = await open_review(pool, payload=CALL, shape="hitl_batch", title="Refund <b>40</b>?")
    async with pool.connection() as conn:
        made = await links.create(conn, review, decision, "money")
    return review, links.decide_url("", made)


async def test_looking_does_nothing_and_the_button_works_once(pool: Pool, console: str) -> None:
    review, path = await linked(pool)
    async with anybody(console) as http, await somebody(pool, console, "ann") as ann:
        for _ in range(3):
            shown = await http.get(path)
            assert (shown.status_code, "Refund &lt;b&gt;40" in shown.text) == (200, True)
            await http.head(path)
        assert (await ann.get(f"/api/v1/reviews/{review}")).json()["state"] == "open"
        assert (await http.post(path, headers={"Origin": "https://evil.example"})).status_code == 403
        pressed = await asyncio.gather(*(http.post(path, headers={"Origin": console}) for _ in range(10)))
        assert sorted(response.status_code for response in pressed) == [200, *[410] * 9]
        found = (await ann.get(f"/api/v1/reviews/{review}")).json()
        history = (await ann.get(f"/api/v1/reviews/{review}/history")).json()
    assert (found["state"], found["decision"], found["decided_by"]) == ("decided", "approve", "link:money")
    assert [entry["action"] for entry in history] == ["seen", "link_used", "decided"]


async def test_a_rejection_says_why(pool: Pool, console: str) -> None:
    review, path = await linked(pool, "reject")
    async with anybody(console) as http, await somebody(pool, console, "ann") as ann:
        assert 'name="reason"' in (await http.get(path)).text
        done = await http.post(path, data={"reason": "not broken\x00"}, headers={"Origin": console})
        found = (await ann.get(f"/api/v1/reviews/{review}")).json()
    assert (done.status_code, found["decision"], found["reason"]) == (200, "reject", "not broken")


async def test_a_link_to_an_answered_review_is_refused(pool: Pool, console: str) -> None:
    review, path = await linked(pool)
    async with anybody(console) as http, await somebody(pool, console, "ann") as ann:
        body = {"decision": "approve"}
        assert (await ann.post(f"/api/v1/reviews/{review}/decide", json=body)).status_code == 200
        assert (await http.get(path)).status_code == 410
        assert (await http.post(path)).status_code == 410
        assert (await http.get("/act/smd_none")).status_code == 410


async def test_a_link_s_secret_reaches_no_log(
    pool: Pool, console: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
    _, path = await linked(pool)
    async with anybody(console) as http:
        await http.get(path)
    # The access log is off where the console is served; pytest listens to that logger all the same.
    said = [record.getMessage() for record in caplog.records if record.name != "uvicorn.access"]
    assert path.rpartition("/")[2] not in "".join(said)
