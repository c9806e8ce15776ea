"""The operators' page: what is stuck and its one safe action; webhooks, drift, events; and who may see it."""

from stationmaster.console.pages.words import sentence
from stationmaster.reviews import audit, decide
from stationmaster.reviews.model import Submission
from tests.stationmaster.console.pages.conftest import BO, Desk
from tests.stationmaster.console.pages.questions import ask_refund

NOTE = "state shows neither the question nor its effect"


async def stuck(desk: Desk, state: str) -> str:
    """An answer that got as far as `state` and needs a person."""
    review_id = await ask_refund(desk.pool)
    if state == "open":
        await desk.change(review_id, needs_person=True, note=NOTE)
        return review_id
    await decide.decide(desk.pool, review_id, BO, Submission("approve"), undo_s=0)
    if state != "decided":
        await desk.change(review_id, state="sent", sent_at="now", needs_person=True, note=NOTE)
    if state == "failed":
        await desk.change(review_id, state="failed", closed_at="now", ended_at="now")
    else:
        await desk.change(review_id, next_look_at="infinity", needs_person=True, note=NOTE)
    return review_id


async def next_look(desk: Desk, review_id: str) -> bool:
    async with desk.pool.connection() as conn:
        statement = "SELECT next_look_at <= now() AS due FROM reviews.reviews WHERE id = %(id)s"
        row = await (await conn.execute(statement, {"id": review_id})).fetchone()
    assert row is not None
    return row["due"]


async def test_each_state_has_its_one_action(desk: Desk):
    await desk.person("bo")
    ids = {state: await stuck(desk, state) for state in ("open", "decided", "sent", "failed")}
    async with await desk.browser_of("lea", role="lead") as lea:
        page = (await lea.get("/operations")).text
        assert sentence(NOTE) in page and "Answer again" in page
        for action in ("look_again", "give_up", "tick_off"):
            assert page.count(f'value="{action}"') == 1
        assert not await next_look(desk, ids["decided"])
        await lea.post(f"/reviews/{ids['decided']}/settle", data={"action": "look_again"})
        assert await next_look(desk, ids["decided"])
        told = await lea.post(f"/reviews/{ids['sent']}/settle", data={"action": "give_up", "note": " "})
        assert told.status_code == 422 and "must say what was found out" in told.text
        await lea.post(f"/reviews/{ids['sent']}/settle", data={"action": "give_up", "note": "Paid by hand"})
        await lea.post(f"/reviews/{ids['failed']}/settle", data={"action": "tick_off"})
        assert 'value="give_up"' not in (await lea.get("/operations")).text
        assert "Paid by hand" in (await lea.get(f"/reviews/{ids['sent']}")).text
    closed, ticked = await desk.review(ids["sent"]), await desk.review(ids["failed"])
    assert (closed.state, closed.needs_person, closed.note) == ("failed", False, "Paid by hand")
    assert (ticked.state, ticked.needs_person) == ("failed", False)


async def test_an_action_that_no_longer_fits_does_nothing(desk: Desk):
    await desk.person("bo")
    review_id = await stuck(desk, "sent")
    async with await desk.browser_of("lea", role="lead") as lea:
        await desk.change(review_id, state="consumed", consumed_at="now")
        told = await lea.post(f"/reviews/{review_id}/settle", data={"action": "give_up", "note": "Gone"})
        assert told.status_code == 409
    assert (await desk.review(review_id)).state == "consumed"


async def test_reviewers_and_other_groups_settle_nothing(desk: Desk):
    await desk.person("bo")
    review_id = await stuck(desk, "sent")
    deed = {"action": "give_up", "note": "x"}
    async with (
        await desk.browser_of("ana") as ana,
        await desk.browser_of("otto", role="lead", groups=("x",)) as otto,
    ):
        assert (await ana.post(f"/reviews/{review_id}/settle", data=deed)).status_code == 403
        assert (await otto.post(f"/reviews/{review_id}/settle", data=deed)).status_code == 404
        assert "88123" not in (await otto.get("/operations")).text
    assert (await desk.review(review_id)).state == "sent"


async def test_webhooks_and_dead_letters(desk: Desk):
    review_id = await ask_refund(desk.pool)
    async with desk.pool.connection() as conn:
        await conn.execute(
            "INSERT INTO webhooks.deliveries (dedup_key, sender, body, state, error) "
            "VALUES ('k', 'loopback', '<script>', 'unreadable', 'the body is no JSON')"
        )
        await conn.execute(
            "WITH m AS (INSERT INTO reviews.outbox (medium, kind, review_id, audience, body, spread_at) "
            "VALUES ('notice', 'opened', %(id)s, 'refunds', 'x', now()) RETURNING message_id) "
            "INSERT INTO reviews.dispatches (message_id, receiver, shown, state, tries, last_error) "
            "SELECT message_id, repeat('a', 64), 'slack #refunds', 'dead', 7, 'Slack answered 404' FROM m",
            {"id": review_id},
        )
    async with await desk.browser_of("lea", role="admin", groups=("*",)) as lea:
        page = (await lea.get("/operations")).text
        assert "the body is no JSON" in page and "&lt;script&gt;" in page and "Slack answered 404" in page
        message = page.partition('name="message" value="')[2].partition('"')[0]
        await lea.post("/operations/replay", data={"message": message, "receiver": "a" * 64})
        assert "Retrying" in (await lea.get("/operations")).text
    async with desk.pool.connection() as conn:
        replayed = (await audit.history(conn, review_id))[-1]
    assert (replayed.action, replayed.actor) == ("replayed", "lea")
    assert replayed.detail == {"message_id": message, "kind": "opened", "to": "slack #refunds"}
    async with await desk.browser_of("lou", role="lead") as lou:
        page = (await lou.get("/operations")).text
        assert "the body is no JSON" not in page and "slack #refunds" in page
