"""Of several answers one wins, a stale card changes nothing, and two people are two people."""

import asyncio
from typing import Any

from tests.fakes.graphs.script import scripted
from tests.reviews_hold.world import World, eventually


async def test_of_twenty_answers_to_two_consoles_one_wins(world: World) -> None:
    """Item 1."""
    thread = await world.ask("plain", question="How many?")
    review = await world.console.review(thread)
    people = [await world.token(f"one-of-{number}") for number in range(4)]
    answers = await asyncio.gather(
        *(world.decide(review["id"], n, people[n % 4], console=n % 2) for n in range(20))
    )
    (winner,) = (response for response in answers if response.status_code == 200)
    losers = [response.json() for response in answers if response.status_code == 409]
    assert len(losers) == 19
    assert {loser["code"] for loser in losers} == {"already_decided"}
    won = winner.json()
    assert {(loser["by"], loser["at"]) for loser in losers} == {(won["decided_by"], won["decided_at"])}
    assert won["decided_by"] == f"one-of-{won['answer'] % 4}"
    await world.console.reaches(review["id"], "finished")
    assert world.done() == [("answered", won["answer"])]
    result = await world.console.get(f"/reviews/{review['id']}/result")
    assert (result["run_status"], result["changed"]) == ("success", {"answer": won["answer"]})
    now = await world.console.get(f"/reviews/{review['id']}/thread")
    assert (now["there"], now["next"], now["values"]["answer"]) == (True, [], won["answer"])
    async with world.server.sdk() as client:
        assert len(await client.runs.list(thread)) == 2  # the one that asked, and one resume


async def test_a_stale_card_touches_no_new_question(world: World) -> None:
    """Item 2: two questions of one node; the first one's card, and its very request, again."""
    thread = await world.ask("twice", question="First?", then="Second?")
    first = await world.console.review(thread)
    ann = await world.token("ann")
    sent = await world.decide(first["id"], "one", ann, idempotency_key="the-first")
    assert sent.status_code == 200
    second = await world.console.review(thread, besides={first["id"]})
    assert second["payload"] == "Second?"
    stale = await world.decide(first["id"], "again", ann)
    assert (stale.status_code, stale.json()["by"]) == (409, "ann")
    assert (await world.decide(first["id"], "again", await world.token("ben"), console=1)).status_code == 409
    replayed = await world.decide(first["id"], "one", ann, console=1, idempotency_key="the-first")
    assert (replayed.status_code, replayed.json()["answer"]) == (200, "one")
    now = await world.console.get(f"/reviews/{second['id']}")
    assert (now["state"], now["updated_at"]) == ("open", second["updated_at"])
    assert world.done() == []
    await world.decide(second["id"], "two", ann)
    await world.console.reaches(second["id"], "finished")
    assert world.done() == [("answered", ["one", "two"])]


async def test_a_state_that_changed_refuses_the_answer(world: World) -> None:
    """Item 3."""
    thread = await world.ask("plain", question="For 40?")
    review = await world.console.review(thread)
    async with world.server.sdk() as client:
        await client.threads.update_state(thread, {"question": "For 50?"}, as_node="prepare")
    # Before anybody looked it may still be taken down; it then leads to nothing.
    assert (await world.decide(review["id"], "yes")).status_code in (200, 409)
    closed = await world.console.reaches(review["id"], "superseded")
    assert "continuing the thread asks again" in closed["note"]
    assert (await world.decide(review["id"], "yes")).json()["code"] == "stale"
    assert world.done() == []
    await world.run(thread, "plain", input=None)
    new = await world.console.review(thread, besides={review["id"]})
    assert new["payload"] == "For 50?"
    assert (await world.decide(new["id"], "yes")).status_code == 200
    await world.console.reaches(new["id"], "finished")
    assert world.done() == [("answered", "yes")]


async def test_new_input_replaces_the_question(world: World) -> None:
    """Item 4."""
    thread = await world.ask("plain", question="For 40?")
    review = await world.console.review(thread)
    await world.run(thread, "plain", input={"key": world.key, "question": "For 60?"})
    new = await world.console.review(thread, besides={review["id"]})
    closed = await world.console.reaches(review["id"], "superseded")
    assert closed["replaced_by"] == new["id"]
    late = await world.decide(review["id"], "yes")
    assert (late.status_code, late.json()["code"], late.json()["replaced_by"]) == (409, "stale", new["id"])
    assert new["id"] in late.json()["detail"]
    assert (await world.console.get(f"/reviews/{new['id']}"))["state"] == "open"
    assert world.done() == []


async def test_three_calls_at_once_get_their_own_answers(world: World) -> None:
    """Item 5, each call a task: answered in reverse order, by two consoles."""
    keys = [f"{world.key}-{number}" for number in range(3)]
    calls = scripted(*(("refund", {"key": key, "amount_usd": 10.0 * n}) for n, key in enumerate(keys, 1)))
    thread = await world.ask("tool_tasks", **calls)
    found: dict[str, Any] = {}

    async def all_open() -> bool:
        reviews = (await world.console.get("/reviews", thread_id=thread))["reviews"]
        found.update({review["payload"]["key"]: review for review in reviews})
        return len(found) == 3

    await eventually(all_open, "opened three reviews")
    for number, key in reversed(list(enumerate(keys))):
        answer = {"ok": True, "amount_usd": 7 + number}
        assert (await world.decide(found[key]["id"], answer, console=number % 2)).status_code == 200
    for review in found.values():
        await world.console.reaches(review["id"], "finished")
    for number, key in enumerate(keys):
        assert world.done(key) == [("attempt", None), ("refund", 7 + number)]


async def test_calls_of_a_plain_tool_node_come_one_at_a_time(world: World) -> None:
    """Item 5, one task: what was answered runs again, and its key keeps the effect single."""
    keys = [f"{world.key}-{number}" for number in range(3)]
    calls = scripted(*(("refund", {"key": key, "amount_usd": 10.0}) for key in keys))
    thread = await world.ask("tool_node", **calls)
    answered: set[str] = set()
    for number in range(3):
        review = await world.console.review(thread, besides=answered)
        assert (await world.decide(review["id"], {"ok": True, "amount_usd": number})).status_code == 200
        answered.add(review["id"])
    for review_id in answered:
        await world.console.reaches(review_id, "finished")
    refunds = [effect for key in keys for effect in world.done(key) if effect[0] == "refund"]
    assert sorted(amount for _, amount in refunds) == [0, 1, 2]


async def test_a_cancelled_run_asks_nobody(world: World) -> None:
    """Item 9: its thread has a next node, as one at a breakpoint has."""
    async with world.server.sdk() as client:
        thread = (await client.threads.create())["thread_id"]
        run = await client.runs.create(thread, "slow", input={"key": world.key, "seconds": 600})
        await eventually(lambda: world.done() == [("working", None)], "began to work")
        await client.runs.cancel(thread, run["run_id"], wait=True)
        assert (await client.threads.get_state(thread))["next"] == ["work"]
    # A question that came later is there: so the cancelled thread was looked at, by webhook and sweep.
    swept = (await world.console.get("/operations/drift"))["last_sweep_at"]
    await world.console.review(await world.ask("plain", question="Later?"))

    async def swept_again() -> bool:
        return (await world.console.get("/operations/drift"))["last_sweep_at"] > swept

    await eventually(swept_again, "swept again")
    for tab in ("needs_you", "closed", "debug"):
        assert (await world.console.get("/reviews", tab=tab, thread_id=thread))["reviews"] == []


async def test_a_typed_resume_that_failed_leaves_the_question(world: World) -> None:
    """Item 9: another client's bad answer; the row reads `error`, and the question is still asked."""
    thread = await world.ask("typed", type="integer", question="How many?")
    review = await world.console.review(thread)
    await world.run(thread, "typed", command={"resume": {review["interrupt_id"]: "many"}})
    async with world.server.sdk() as client:
        assert (await client.threads.get(thread))["status"] == "error"
    assert (await world.console.review(thread))["id"] == review["id"]
    assert (await world.decide(review["id"], "many")).status_code == 422
    assert (await world.decide(review["id"], 3)).status_code == 200
    await world.console.reaches(review["id"], "finished")
    assert world.done() == [("answered", 3)]


async def test_reminder_escalation_and_default(world: World) -> None:
    """Item 10 by the clock of a real console; a person racing with the expiry is
    tests/stationmaster/reviews/test_timers.py."""
    thread = await world.ask("plain", question={"kind": "expiring"})
    review = await world.console.review(thread)
    lea = await world.token("lea", "leads")
    async with world.console.client(lea) as http:
        assert (await http.get(f"/reviews/{review['id']}")).status_code == 404
        await world.console.reaches(review["id"], "finished")
        after = (await http.get(f"/reviews/{review['id']}")).json()
    assert review["opened_at"] < after["remind_at"] <= after["reminded_at"]
    assert (
        after["reminded_at"]
        < after["due_at"]
        <= after["escalated_at"]
        < after["expires_at"]
        <= after["decided_at"]
    )
    assert (after["decided_by"], after["groups"]) == ("policy:expiry", ["desk", "leads"])
    late = await world.decide(review["id"], "mine", lea)
    assert (late.status_code, late.json()["by"]) == (409, "policy:expiry")
    assert world.done() == [("answered", "by default")]


async def test_two_people_are_two_people(world: World) -> None:
    """Item 11: the same credential twice is refused, another token of the same person too; an edit goes back."""
    thread = await world.ask("plain", question={"needs": "two", "amount_usd": 50})
    review = await world.console.review(thread)
    ann, ben = await world.token("ann"), await world.token("ben")
    first = await world.decide(review["id"], {"amount_usd": 50}, ann)
    assert (first.status_code, first.json()["state"], first.json()["first_by"]) == (200, "open", "ann")
    for again in (ann, await world.token("ann")):
        refused = await world.decide(review["id"], {"amount_usd": 50}, again, console=1)
        assert (refused.status_code, refused.json()["code"]) == (409, "second_person_needed")
    changed = await world.decide(review["id"], {"amount_usd": 30}, ben)
    assert (changed.json()["state"], changed.json()["first_by"]) == ("open", "ben")
    assert world.done() == []
    confirmed = await world.decide(review["id"], {"amount_usd": 30}, ann)
    assert (confirmed.json()["first_by"], confirmed.json()["decided_by"]) == ("ben", "ann")
    await world.console.reaches(review["id"], "finished")
    assert world.done() == [("answered", {"amount_usd": 30})]


async def test_another_group_gets_404_everywhere(world: World) -> None:
    """Item 13 on a real process, each route that takes a review's id, as the routes themselves say;
    tests/stationmaster/console/api/test_who_may.py lists them all."""
    thread = await world.ask("plain", question="Between us?")
    review = await world.console.review(thread)
    stranger = await world.token("bob", "other")
    paths = (await world.console.get("/openapi.json"))["paths"]
    tried = 0
    async with world.console.client(stranger) as http:
        for path, methods in paths.items():
            for method in methods if "{review_id}" in path else ():
                bodies: dict[str, Any] = {
                    "decide": {"decision": "answer", "answer": 1}, "comments": {"body": "x"},
                    "settle": {"action": "look_again"},
                }  # fmt: skip
                body = bodies.get(path.rpartition("/")[2])
                response = await http.request(method.upper(), path.format(review_id=review["id"]), json=body)
                assert (response.status_code, response.json()["code"]) == (404, "not_found"), path
                tried += 1
        for tab in ("needs_you", "waiting", "closed"):
            listed = await http.get("/reviews", params={"tab": tab, "limit": 200})
            assert review["id"] not in listed.text
        many = {"ids": [review["id"]], "decision": "answer"}
        assert (await http.post("/reviews/decide", json=many)).json()["results"][0]["problem"][
            "status"
        ] == 404
        assert review["id"] not in (await http.get("/audit")).text
        for path in ("", "/payload.json", "/thread"):
            assert (await http.get(f"{world.console.url}/reviews/{review['id']}{path}")).status_code == 404
    assert tried >= 7
    assert (await world.console.get(f"/reviews/{review['id']}"))["state"] == "open"
    assert world.done() == []
