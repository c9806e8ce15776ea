"""Exports and the operators' routes: what was done, whole and checkable; what came in, went wrong, or got stuck."""

import asyncio
import json
import threading
from pathlib import Path

import pytest
from pydantic import SecretStr

from stationmaster.reviews import audit
from stationmaster.reviews.access import users
from stationmaster.reviews.database import Pool
from tests.stationmaster.cli.running import in_process
from tests.stationmaster.console.serving import anybody, open_review, served, settings_for, somebody

AUDIT_KEY = "a key that signs audits"

INBOX = {
    "action_request": {"action": "refund", "args": {"order": "88123", "amount": 40.0, "note": "a\x00b"}},
    "config": {"allow_ignore": True, "allow_respond": True, "allow_edit": True, "allow_accept": True},
}


async def test_the_exported_audit_is_verified_without_the_database(pool: Pool, console: str) -> None:
    async with await somebody(pool, console, "lea", role="lead", groups=("*",)) as lea:
        for _ in range(3):
            review = await open_review(pool)
            await lea.post(f"/api/v1/reviews/{review}/claim")
            body = {"decision": "answer", "answer": "yes"}
            assert (await lea.post(f"/api/v1/reviews/{review}/decide", json=body)).status_code == 200
        response = await lea.get("/api/v1/audit/export")
        verdict = (await lea.get("/api/v1/audit/verify")).json()
    assert response.headers["content-type"].startswith("application/x-ndjson")
    assert "attachment" in response.headers["content-disposition"]
    lines = response.text.splitlines()
    checked = audit.verify(lines)
    assert isinstance(checked, audit.Verified) and checked.entries == 7
    assert isinstance(audit.verify([lines[0].replace("lea", "eve"), *lines[1:]]), audit.Broken)
    assert (verdict["ok"], verdict["entries"]) == (True, 7)
    assert json.loads(lines[-2])["action"] == "exported"


async def test_a_changed_audit_is_found_out(pool: Pool, console: str) -> None:
    async with await somebody(pool, console, "root", role="admin") as root:
        review = await open_review(pool)
        await root.post(f"/api/v1/reviews/{review}/claim")
        await root.post(f"/api/v1/reviews/{review}/release")
        async with pool.connection() as conn:
            await conn.execute("ALTER TABLE reviews.audit DISABLE TRIGGER ALL")
            await conn.execute("UPDATE reviews.audit SET actor = 'eve' WHERE seq = 1")
        verdict = (await root.get("/api/v1/audit/verify")).json()
    assert (verdict["ok"], verdict["seq"], verdict["how"]) == (False, 1, "changed")


async def test_a_signed_export_is_verified_with_the_key_by_the_command(
    pool: Pool, database: str, tmp_path: Path
) -> None:
    settings = settings_for(database, tmp_path, audit_key=SecretStr(AUDIT_KEY))
    async with (
        served(settings) as url,
        await somebody(pool, url, "lea", role="lead", groups=("*",)) as lea,
    ):
        exported = (await lea.get("/api/v1/audit/export")).text
    file = tmp_path / "audit.jsonl"
    file.write_text(exported)

    def verified(key: str) -> dict[str, object]:
        arguments = ("reviews", "audit", "verify", str(file), "--json")
        return json.loads(in_process(*arguments, cwd=tmp_path, env={"STATIONMASTER_AUDIT_KEY": key}).stdout)

    found = await asyncio.to_thread(verified, AUDIT_KEY)
    assert (found["ok"], found["signed"], found["entries"]) == (True, True, 1)
    found = await asyncio.to_thread(verified, "another key, as long")
    assert (found["ok"], found["how"]) == (False, "forged_head")


async def test_a_long_audit_is_verified_in_parts_and_beside_the_loop(
    pool: Pool, console: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The console runs in this test's loop: what is hashed in its thread keeps everybody else waiting."""
    async with pool.connection() as conn:
        await conn.execute(
            "INSERT INTO reviews.audit_pending (actor, action, detail, opening)"
            """ SELECT 'ann', 'decided', '{"n":1}', '{"action":"decided","actor":"ann"' FROM generate_series(1, 1200)"""
        )
    hashed_in: set[int] = set()
    holds = audit.Entry.holds

    def noting(entry: audit.Entry) -> bool:
        hashed_in.add(threading.get_ident())
        return holds(entry)

    monkeypatch.setattr(audit.Entry, "holds", noting)
    async with await somebody(pool, console, "root", role="admin") as root:
        assert (await root.get("/api/v1/audit/verify")).json()["entries"] == 1200
    assert hashed_in and threading.get_ident() not in hashed_in


async def test_the_audit_is_searched_page_by_page_in_scope(pool: Pool, console: str) -> None:
    mine, theirs = await open_review(pool), await open_review(pool, groups=("other",))
    async with (
        await somebody(pool, console, "ann") as ann,
        await somebody(pool, console, "ben", groups=("other",)) as ben,
    ):
        await ben.post(f"/api/v1/reviews/{theirs}/claim")
        for verb in ("claim", "release") * 3:
            await ann.post(f"/api/v1/reviews/{mine}/{verb}")
        seen: list[int] = []
        before: int | None = None
        while True:
            parameters = {"limit": 2} | ({"before": before} if before else {})
            page = (await ann.get("/api/v1/audit", params=parameters)).json()
            seen += [entry["seq"] for entry in page["entries"]]
            if (before := page["next"]) is None:
                break
        assert seen == [7, 6, 5, 4, 3, 2]
        assert (await ann.get("/api/v1/audit", params={"actor": "ben"})).json()["entries"] == []
        assert (await ann.get("/api/v1/audit", params={"review_id": theirs})).status_code == 404
        found = (await ann.get("/api/v1/audit", params={"action": "claimed", "review_id": mine})).json()
    assert [entry["seq"] for entry in found["entries"]] == [6, 4, 2]


async def test_edits_are_exported_with_before_and_after(pool: Pool, console: str) -> None:
    review = await open_review(pool, payload=[INBOX], shape="agent_inbox")
    other = await open_review(pool, payload=[INBOX], shape="agent_inbox", groups=("other",))
    async with (
        await somebody(pool, console, "lea", role="lead") as lea,
        await somebody(pool, console, "ben", role="lead", groups=("other",)) as ben,
    ):
        form = (await lea.get(f"/api/v1/reviews/{review}")).json()["form"]
        edit = next(choice for choice in form if choice["decision"] == "edit")
        amount = next(field for field in edit["fields"] if field["value"] == 40.0)["name"]
        for http, which in ((lea, review), (ben, other)):
            body = {"decision": "edit", "fields": {amount: 25.5}, "reason": "half of it arrived"}
            response = await http.post(f"/api/v1/reviews/{which}/decide", json=body)
            assert response.status_code == 200, response.text
        lines = (await lea.get("/api/v1/edits")).text.splitlines()
        assert (await lea.get("/api/v1/edits", params={"graph": "nope"})).text == ""
        assert (await lea.get("/api/v1/edits", params={"since": "2999-01-01T00:00:00Z"})).text == ""
    assert len(lines) == 1
    found = json.loads(lines[0])
    assert found["review_id"] == review and found["decided_by"] == "lea" and found["payload"] == [INBOX]
    assert [(change["before"], change["after"]) for change in found["edits"].values()] == [(40.0, 25.5)]


async def test_operators_see_deliveries_drift_and_what_is_stuck(pool: Pool, console: str) -> None:
    stuck = await open_review(pool)
    async with pool.connection() as conn:
        await conn.execute(
            "INSERT INTO webhooks.deliveries (dedup_key, sender, body, state, error)"
            " VALUES ('a', 'bearer', %s, 'unreadable', 'no JSON')",
            (b"\xffno json",),
        )
        await conn.execute(
            "INSERT INTO webhooks.deliveries (dedup_key, sender, body, thread_id) VALUES ('b', 'bearer', '{}', 't')"
        )
        await conn.execute("INSERT INTO webhooks.refusals VALUES ('signature', date_trunc('hour', now()), 3)")
        await conn.execute(
            "UPDATE reviews.reviews SET needs_person = true, note = 'look' WHERE id = %s", (stuck,)
        )
    async with await somebody(pool, console, "root", role="admin") as root:
        found = (await root.get("/api/v1/operations/deliveries")).json()
        drift = (await root.get("/api/v1/operations/drift")).json()
        waiting = (await root.get("/api/v1/operations/stuck")).json()
        unread = (await root.get("/api/v1/operations/deliveries", params={"state": "unreadable"})).json()
    assert [row["state"] for row in found["deliveries"]] == ["new", "unreadable"]
    assert (found["counts"], found["refused_today"]) == ({"new": 1, "unreadable": 1}, {"signature": 3})
    assert unread["deliveries"][0]["beginning"] == "\\377no json"
    assert drift["counters"]["missed"]["n"] == 0 and drift["lag_s"] is None
    assert [(review["id"], review["note"]) for review in waiting] == [(stuck, "look")]


async def test_what_operators_do_and_who_signs_in_is_on_record(pool: Pool, console: str) -> None:
    async with pool.connection() as conn:
        await conn.execute(
            "INSERT INTO webhooks.deliveries (dedup_key, sender, body, state, error, thread_id)"
            " VALUES ('a', 'bearer', '{}', 'failed', 'no', 't')"
        )
    await users.add(pool, "sue", roles=["reviewer"], password="correct horse battery")
    async with anybody(console) as sue:
        form = {"name": "sue", "password": "correct horse battery"}
        assert (await sue.post("/sign-in", data=form)).status_code == 303
    async with await somebody(pool, console, "root", role="admin") as root:
        assert (await root.post("/api/v1/operations/deliveries/1/retry")).status_code == 200
        found = (await root.get("/api/v1/audit")).json()["entries"]
    assert [(entry["actor"], entry["action"]) for entry in found] == [
        ("root", "retried"),
        ("sue", "signed_in"),
    ]
    assert (found[0]["detail"], found[1]["detail"]["via"]) == ({"delivery_id": 1}, "password")


async def test_the_thread_of_a_drift_is_for_those_who_see_every_group(pool: Pool, console: str) -> None:
    async with pool.connection() as conn:
        await conn.execute(
            "UPDATE reviews.drift SET n = 1, last_thread = 't', last_at = now() WHERE name = 'missed'"
        )
    async with (
        await somebody(pool, console, "root", role="admin") as root,
        await somebody(pool, console, "lea", role="lead") as lea,
    ):
        seen = [
            (await who.get("/api/v1/operations/drift")).json()["counters"]["missed"] for who in (root, lea)
        ]
    assert [(row["n"], row["last_thread"]) for row in seen] == [(1, "t"), (1, None)]
