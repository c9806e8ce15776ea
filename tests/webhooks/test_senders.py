"""Who is known: signatures, bearers, this machine; nothing of anybody else is kept but a count."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.webhooks.receiving import OLDER, SECRET, WHSEC, Reception, bearer, hook, signed

MINUTE = timedelta(minutes=1)
STRANGER = "a-secret-that-is-not-ours"


@pytest.mark.parametrize("secret", [WHSEC, SECRET, OLDER])
async def test_a_signature_by_any_of_the_secrets_is_known(guarded: Reception, secret: str) -> None:
    body = hook()
    response = await guarded.post(body, signed(body, secret))
    assert response.status_code == 204
    (row,) = await guarded.rows()
    assert (row["sender"], bytes(row["body"]), row["dedup_key"]) == ("signature", body, "id:msg_1")


@pytest.mark.parametrize("secret", [SECRET, WHSEC, OLDER])
async def test_a_bearer_of_any_of_the_secrets_is_known(guarded: Reception, secret: str) -> None:
    assert (await guarded.post(hook(), bearer(secret))).status_code == 204
    (row,) = await guarded.rows()
    assert row["sender"] == "bearer"


async def test_one_right_signature_among_several_is_enough_while_a_sender_rotates(guarded: Reception) -> None:
    body = hook()
    strangers = signed(body, STRANGER)["webhook-signature"]
    headers = signed(body)
    headers["webhook-signature"] = f"v1a,AAAA {strangers} {headers['webhook-signature']}"
    assert (await guarded.post(body, headers)).status_code == 204


@pytest.mark.parametrize("ago", [4.9 * MINUTE, -4.9 * MINUTE])
async def test_a_clock_may_differ_by_almost_five_minutes(guarded: Reception, ago: timedelta) -> None:
    body = hook()
    assert (await guarded.post(body, signed(body, ago=ago))).status_code == 204


BODY = hook("11111111-1111-1111-1111-111111111111")


def but(**changed: str | None) -> dict[str, str]:
    """A right signature of BODY, with headers changed, or left out where None."""
    headers: dict[str, str | None] = {**signed(BODY)}
    headers |= {f"webhook-{name}": value for name, value in changed.items()}
    return {name: value for name, value in headers.items() if value is not None}


# Made when the test runs: a signature lasts five minutes.
FORGED: dict[str, tuple[Callable[[], dict[str, str]], str]] = {
    "no credential": (dict, "no_credential"),
    "an altered id": (lambda: but(id="msg_2"), "bad_signature"),
    "a signature without an id": (lambda: but(id=None), "no_credential"),
    "a signature without a time": (lambda: but(timestamp=None), "no_credential"),
    "an id and a time without a signature": (lambda: but(signature=None), "no_credential"),
    "an empty signature": (lambda: but(signature=""), "no_credential"),
    "an id without end": (lambda: signed(BODY, message_id="m" * 300), "bad_signature"),
    "a signature of another body": (lambda: signed(BODY + b" "), "bad_signature"),
    "a signature by a stranger": (lambda: signed(BODY, STRANGER), "bad_signature"),
    "another version of signature": (
        lambda: but(signature=signed(BODY)["webhook-signature"].replace("v1,", "v2,")),
        "bad_signature",
    ),
    "no version of signature": (lambda: but(signature="AAAA"), "bad_signature"),
    "a signature that is no base64": (lambda: but(signature="v1,%%%"), "bad_signature"),
    "a time that is no number": (lambda: but(timestamp="soon"), "bad_signature"),
    "a time that is not a number": (lambda: but(timestamp="nan"), "too_old"),
    "an endless time": (lambda: but(timestamp="inf"), "too_new"),
    "a wrong bearer": (lambda: bearer(STRANGER), "wrong_secret"),
    "half a bearer": (lambda: bearer(SECRET[:-1]), "wrong_secret"),
    "a bearer without a secret": (lambda: {"authorization": "Bearer"}, "no_credential"),
    "another scheme": (lambda: {"authorization": f"Basic {SECRET}"}, "no_credential"),
    "a right bearer beside a forged signature": (
        lambda: {**signed(BODY, STRANGER), **bearer()},
        "bad_signature",
    ),
}


@pytest.mark.parametrize("case", FORGED)
async def test_forged_is_401_and_nothing_is_kept_but_a_count(guarded: Reception, case: str) -> None:
    headers, reason = FORGED[case]
    response = await guarded.post(BODY, headers())
    assert (response.status_code, response.json()["code"]) == (401, reason)
    assert await guarded.refusals(1) == {reason: 1}
    assert await guarded.rows() == []


@pytest.mark.parametrize(("ago", "reason"), [(5.1 * MINUTE, "too_old"), (-5.1 * MINUTE, "too_new")])
async def test_a_signature_of_another_time_is_refused(
    guarded: Reception, ago: timedelta, reason: str
) -> None:
    body = hook()
    response = await guarded.post(body, signed(body, ago=ago))
    assert (response.status_code, response.json()["code"]) == (401, reason)
    assert await guarded.rows() == []


async def test_a_replayed_time_with_a_new_one_written_over_it_is_refused(guarded: Reception) -> None:
    body = hook()
    old = signed(body, ago=10 * MINUTE)
    fresh = {**old, "webhook-timestamp": signed(body)["webhook-timestamp"]}
    assert (await guarded.post(body, fresh)).status_code == 401


async def test_a_flood_of_forged_deliveries_is_counted_to_the_last(guarded: Reception) -> None:
    for _ in range(50):
        await guarded.post(BODY, bearer(STRANGER))
    assert await guarded.refusals(50) == {"wrong_secret": 50}


async def test_without_a_secret_this_machine_is_served(unguarded: Reception) -> None:
    assert (await unguarded.post(hook())).status_code == 204
    assert (await unguarded.post(hook(), bearer("whatever-the-server-sends"))).status_code == 204
    assert {row["sender"] for row in await unguarded.rows()} == {"loopback"}


@pytest.mark.parametrize(
    "header",
    [
        {"x-forwarded-for": "127.0.0.1"},
        {"Forwarded": "for=127.0.0.1"},
        {"Via": "1.1 proxy"},
        {"origin": "http://127.0.0.1"},
        {"host": "rebound.example"},
    ],
)
async def test_without_a_secret_no_proxy_and_no_page_is_served(
    unguarded: Reception, header: dict[str, str]
) -> None:
    response = await unguarded.post(hook(), header)
    assert (response.status_code, response.json()["code"]) == (401, "not_local")
    assert "LG_WEBHOOK_SECRET" in response.json()["detail"]
    assert await unguarded.rows() == []
