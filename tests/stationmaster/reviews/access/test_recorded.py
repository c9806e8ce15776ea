"""Who may do what is changed on record; no secret is."""

import json

from stationmaster.reviews import audit
from stationmaster.reviews.access import sessions, tokens, users
from stationmaster.reviews.database import Pool

BY = "command:users"
PASSWORD = "correct horse battery"
EVERYTHING: dict[str, object] = {"every_group": True, "own_groups": []}


async def entries(pool: Pool) -> list[audit.Entry]:
    async with pool.connection() as conn:
        return (await audit.search(conn, EVERYTHING))[::-1]


async def test_changes_of_users_and_tokens_are_on_record(pool: Pool) -> None:
    await users.add(pool, "Ann", groups=["support"], password=PASSWORD, by=BY)
    await users.set_groups(pool, "ann", ["*"], by=BY)
    await users.set_roles(pool, "ann", ["lead"], by=BY)
    await users.set_password(pool, "ann", PASSWORD + "!", by=BY)
    made, _ = await tokens.create(pool, "ann", "ci", days=30, by=BY)
    await tokens.revoke(pool, "ann", "ci", by=BY)
    cookie = await sessions.start(pool, "ann", hours=1, address="127.0.0.1", agent="x", via="password")
    await users.remove(pool, "ann", by=BY)
    found = await entries(pool)
    assert [(entry.action, entry.actor, entry.detail) for entry in found] == [
        ("user_added", BY, {"user": "ann", "roles": ["reviewer"], "groups": ["support"], "password": True}),
        ("groups_set", BY, {"user": "ann", "groups": ["*"]}),
        ("roles_set", BY, {"user": "ann", "roles": ["lead"]}),
        ("password_set", BY, {"user": "ann"}),
        ("token_made", BY, {"user": "ann", "label": "ci", "days": 30}),
        ("token_revoked", BY, {"user": "ann", "label": "ci"}),
        ("signed_in", "ann", {"via": "password", "address": "127.0.0.1"}),
        ("user_removed", BY, {"user": "ann"}),
    ]
    text = json.dumps([entry.line() for entry in found])
    assert not [secret for secret in (PASSWORD, made, cookie) if secret in text]
    assert {entry.action for entry in found} <= audit.ACTIONS
