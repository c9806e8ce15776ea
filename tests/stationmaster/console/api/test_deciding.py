"""Answers over HTTP: one wins among many, repeats are one, identity is the credential's, bulk only where allowed."""

import asyncio
from datetime import datetime
from typing import Any

import httpx
import pytest

from stationmaster.reviews.database import Pool
from tests.stationmaster.console.serving import open_review, somebody

ANSWER = {"decision": "answer", "answer": "yes"}


async def post(
    http: httpx.AsyncClient, review: str, verb: str, body: Any = None, **headers: str
) -> httpx.Response:
    return await http.post(f"/api/v1/reviews/{review}/{verb}", json=body, headers=headers)


async def test_of_twenty_answers_to_two_processes_one_wins(pool: Pool, two_consoles: tuple[str, str]) -> None:
    review = await open_review(pool)
    people = [await somebody(pool, two_consoles[n % 2], f"user{n}", role="reviewer") for n in range(20)]
    try:
        answers = await asyncio.gather(
            *(
                post(http, review, "decide", {"decision": "answer", "answer": n})
                for n, http in enumerate(people)
            )
        )
        won = [response for response in answers if response.status_code == 200]
        lost = [response.json() for response in answers if response.status_code == 409]
        assert (len(won), len(lost)) == (1, 19)
        winner = won[0].json()
        assert winner["state"] == "decided" and winner["decided_by"] == f"user{winner['answer']}"
        for told in lost:
            assert (told["code"], told["by"]) == ("already_decided", winner["decided_by"])
            assert datetime.fromisoformat(told["at"]) == datetime.fromisoformat(winner["decided_at"])
            assert winner["decided_by"] in told["detail"]
        history = (await people[0].get(f"/api/v1/reviews/{review}/history")).json()
        assert [entry["action"] for entry in history].count("decided") == 1
    finally:
        for http in people:
            await http.aclose()


@pytest.mark.slow
async def test_the_same_request_with_its_key_is_one_answer(pool: Pool, two_consoles: tuple[str, str]) -> None:
    review, other = await open_review(pool), await open_review(pool)
    async with await somebody(pool, two_consoles[0], "ann") as ann:
        beside = httpx.AsyncClient(base_url=two_consoles[1], headers=ann.headers, trust_env=False)
        async with beside:
            answers = await asyncio.gather(
                *(
                    post(http, review, "decide", ANSWER, **{"Idempotency-Key": "k1"})
                    for http in (ann, beside) * 5
                )
            )
            assert {response.status_code for response in answers} == {200}, [r.text for r in answers]
            assert len({response.json()["decided_at"] for response in answers}) == 1
            reused = await post(
                ann, review, "decide", {**ANSWER, "answer": "no"}, **{"Idempotency-Key": "k1"}
            )
            assert (reused.status_code, reused.json()["code"]) == (422, "idempotency_key_reused")
            elsewhere = await post(ann, other, "decide", ANSWER, **{"Idempotency-Key": "k1"})
            assert elsewhere.status_code == 422
            again = await post(ann, review, "decide", ANSWER)
            assert again.status_code == 409
        history = (await ann.get(f"/api/v1/reviews/{review}/history")).json()
    assert [entry["action"] for entry in history] == ["decided"]


@pytest.mark.parametrize("claim", ["decided_by", "by", "who", "user", "actor", "identity", "groups"])
async def test_who_acts_is_never_read_from_the_body(pool: Pool, console: str, claim: str) -> None:
    review = await open_review(pool)
    async with await somebody(pool, console, "ann") as http:
        response = await post(http, review, "decide", {**ANSWER, claim: "zoe"}, **{"X-User": "zoe"})
        assert response.status_code == 422 and claim in response.text and "zoe" not in response.text
        done = await http.post(
            f"/api/v1/reviews/{review}/decide?{claim}=zoe", json=ANSWER, headers={"X-User": "zoe"}
        )
    assert done.json()["decided_by"] == "ann"


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b'"x"', b"null",
        b'{"decision": 5}', b'{"decision": ""}', b'{"decision": "answer", "fields": []}',
        b'{"decision": "answer", "answer": NaN}', b'{"decision": "answer", "fields": {"a": [Infinity]}}',
        b'{"decision": "answer", "answer": 1, "reason": "a\\u0000b"}', b'{"decision": "a\\u0000"}',
        b'{"decision": "answer", "answer": 1, "reason": "\\ud83d"}', b"\xff\xfe", b"[" * 100_000,
        b'{"decision": "answer", "undo_s": 61}',
    ],
)  # fmt: skip
async def test_bodies_that_do_not_fit(pool: Pool, console: str, body: bytes) -> None:
    review = await open_review(pool)
    async with await somebody(pool, console, "ann") as http:
        headers = {"Content-Type": "application/json"}
        response = await http.post(f"/api/v1/reviews/{review}/decide", content=body, headers=headers)
        assert response.status_code in {400, 422}, response.text
        assert response.headers["content-type"] == "application/problem+json"
        assert (await http.get(f"/api/v1/reviews/{review}")).json()["state"] == "open"


@pytest.mark.parametrize(
    "answer", [0, 1.0, 12345678901234567890, "", None, [], {"a": 1.50}, "a\x00b", "🙂", False]
)
async def test_an_answer_keeps_its_type(pool: Pool, console: str, answer: Any) -> None:
    review = await open_review(pool)
    async with await somebody(pool, console, "ann") as http:
        given = (await post(http, review, "decide", {"decision": "answer", "answer": answer})).json()
    assert given["answer"] == answer and type(given["answer"]) is type(answer)


async def test_claim_release_undo_and_remarks(pool: Pool, console: str) -> None:
    review = await open_review(pool)
    async with (
        await somebody(pool, console, "ann") as ann,
        await somebody(pool, console, "zoe") as zoe,
        await somebody(pool, console, "lea", role="lead") as lea,
    ):
        assert (await post(ann, review, "claim")).json()["claimed_by"] == "ann"
        taken = await post(zoe, review, "claim")
        assert (taken.status_code, taken.json()["code"], taken.json()["by"]) == (409, "claimed", "ann")
        assert (await post(zoe, review, "decide", ANSWER)).json()["code"] == "claimed"
        assert (await post(zoe, review, "release")).status_code == 409
        assert (await post(lea, review, "release")).json()["claimed_by"] is None
        assert (await post(zoe, review, "comments", {"body": "who has <b>this</b>?"})).status_code == 201
        remarks = (await post(ann, review, "comments", {"body": "I do"})).json()
        assert [(remark["author"], remark["body"]) for remark in remarks] == [
            ("zoe", "who has <b>this</b>?"), ("ann", "I do"),
        ]  # fmt: skip
        assert (await post(zoe, review, "decide", {**ANSWER, "undo_s": 60})).json()["state"] == "decided"
        assert (await post(ann, review, "undo")).json()["code"] == "too_late"
        assert (await post(zoe, review, "undo")).json()["state"] == "open"
        assert (await post(ann, review, "decide", {**ANSWER, "undo_s": 0})).json()["decided_by"] == "ann"
        assert (await post(ann, review, "undo")).status_code == 409
        history = (await ann.get(f"/api/v1/reviews/{review}/history")).json()
    assert [(entry["actor"], entry["action"]) for entry in history] == [
        ("ann", "claimed"), ("lea", "released"), ("zoe", "commented"), ("ann", "commented"), ("zoe", "decided"),
        ("zoe", "undone"), ("ann", "decided"),
    ]  # fmt: skip


async def test_a_closed_question_says_what_became_of_it(pool: Pool, console: str) -> None:
    review, newer = await open_review(pool), await open_review(pool)
    async with pool.connection() as conn:
        await conn.execute(
            "UPDATE reviews.reviews SET state = 'superseded', closed_at = now(), replaced_by = %s WHERE id = %s",
            (newer, review),
        )
    async with await somebody(pool, console, "ann") as http:
        told = await post(http, review, "decide", ANSWER)
        assert (told.status_code, told.json()["code"]) == (409, "stale")
        assert (told.json()["state"], told.json()["replaced_by"]) == ("superseded", newer)
        assert (await http.get(f"/api/v1/reviews/{newer}")).json()["state"] == "open"


LOW: dict[str, Any] = {"risk": "low", "policy": '{"bulk_allowed": true}'}


async def decide_many(http: httpx.AsyncClient, ids: list[str], **more: Any) -> httpx.Response:
    body = {"ids": ids, "decision": "answer", "fields": {"answer": "yes"}, **more}
    return await http.post("/api/v1/reviews/decide", json=body)


async def test_many_are_answered_where_their_policy_allows_it(pool: Pool, console: str) -> None:
    allowed = [await open_review(pool, **LOW) for _ in range(3)]
    refused = [
        await open_review(pool),
        await open_review(pool, risk="high", policy=LOW["policy"]),
        await open_review(pool, risk="low", policy='{"bulk_allowed": false}'),
        await open_review(pool, **LOW, two_person=True),
    ]
    hidden = await open_review(pool, groups=("other",), **LOW)
    async with await somebody(pool, console, "ann") as http:
        whole = await decide_many(http, [*allowed, refused[0]], all_or_nothing=True)
        assert (whole.status_code, whole.json()["code"]) == (403, "not_in_bulk")
        assert (await decide_many(http, [*allowed, hidden], all_or_nothing=True)).status_code == 404
        states = [(await http.get(f"/api/v1/reviews/{review}")).json()["state"] for review in allowed]
        assert states == ["open"] * 3
        results = (await decide_many(http, [*allowed, allowed[0], *refused, hidden, "x"])).json()["results"]
    outcome = {result["id"]: result.get("problem", {}).get("code", result.get("state")) for result in results}
    assert outcome == {
        **dict.fromkeys(allowed, "decided"), **dict.fromkeys(refused, "not_in_bulk"),
        hidden: "not_found", "x": "not_found",
    }  # fmt: skip


@pytest.mark.slow
async def test_many_at_once_by_two_people_are_each_answered_once(
    pool: Pool, two_consoles: tuple[str, str]
) -> None:
    ids = [await open_review(pool, **LOW) for _ in range(20)]
    async with (
        await somebody(pool, two_consoles[0], "ann") as ann,
        await somebody(pool, two_consoles[1], "zoe") as zoe,
    ):
        both = await asyncio.gather(decide_many(ann, ids), decide_many(zoe, list(reversed(ids))))
    results = [result for response in both for result in response.json()["results"]]
    assert sum(result["ok"] for result in results) == 20
    assert {result["problem"]["code"] for result in results if not result["ok"]} <= {"already_decided"}


@pytest.mark.parametrize("ids", [[], ["x"] * 0, [str(n) for n in range(101)], "x", [1]])
async def test_how_many_is_many(pool: Pool, console: str, ids: Any) -> None:
    async with await somebody(pool, console, "ann") as http:
        assert (await decide_many(http, ids)).status_code == 422
