"""Who is let in: every rule of admission, as a decision over a request's scope."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stationmaster.loopback import is_loopback
from stationmaster.server.admission import NotAdmitted, Policy, admit

KEY = "right-key-of-sixteen"
OPEN = Policy(origins=frozenset({"https://studio.example"}))
OPEN_WITH_LOCAL_KEY = Policy(keys=(("local", KEY),))
KEYED = Policy(keys=(("ci", KEY), ("local", "another-right-key")), open_on_loopback=False)


def request(
    client: str | None = "127.0.0.1", host: str | None = "127.0.0.1:2024", **headers: str
) -> dict[str, Any]:
    """A scope; header names are written with underscores."""
    named = {
        **({"host": host} if host else {}),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    return {
        "type": "http",
        "client": (client, 5000) if client else None,
        "headers": [(name.encode(), value.encode()) for name, value in named.items()],
    }


@pytest.mark.parametrize(
    "scope",
    [
        request(),
        request(client="127.8.9.10"),
        request(client="::1", host="[::1]:2024"),
        request(client="::ffff:127.0.0.1"),
        request(host="localhost:2024"),
        request(host="LOCALHOST"),
        request(origin="http://127.0.0.1:2024"),  # the server's own docs page
        request(origin="https://studio.example"),
        request(x_api_key=""),
        request(authorization=""),
        request(authorization="Bearer "),  # of a client whose key is not set
        # Studio sends its user's LangSmith token and says so.
        request(
            authorization="Bearer of-langsmith", x_auth_scheme="langsmith", origin="https://studio.example"
        ),
    ],
)
def test_without_a_key_this_machine_is_served(scope: dict[str, Any]) -> None:
    assert admit(scope, OPEN) == "local"


@pytest.mark.parametrize(
    ("scope", "reason"),
    [
        (request(client="192.168.1.7"), "only this machine"),
        (request(client=None), "only this machine"),
        (request(client="testclient"), "only this machine"),
        (request(forwarded="for=127.0.0.1"), "relayed"),
        (request(x_forwarded_for="127.0.0.1"), "relayed"),
        (request(x_forwarded_host="localhost"), "relayed"),
        (request(x_forwarded_proto="https"), "relayed"),
        (request(x_real_ip="127.0.0.1"), "relayed"),
        (request(via="1.1 proxy"), "relayed"),
        (request(cf_connecting_ip="127.0.0.1"), "relayed"),
        (request(host="evil.example"), "Host"),
        (request(host="evil.example:2024"), "Host"),
        (request(host="127.0.0.1.evil.example"), "Host"),
        (request(host="0.0.0.0:2024"), "Host"),
        (request(host="[::1"), "Host"),
        (request(host=None), "Host"),
        (request(origin="https://evil.example"), "origin https://evil.example"),
        (request(origin="http://localhost:3000"), "origin"),
        (request(origin="http://127.0.0.1"), "origin"),
        (request(origin="null"), "origin"),
        (request(origin="https://studio.example.evil.example"), "origin"),
        (request(x_auth_scheme="langsmith", client="10.0.0.1"), "only this machine"),
        (request(x_auth_scheme="langsmith", origin="https://evil.example"), "origin"),
    ],
)
def test_without_a_key_nobody_else_is_served(scope: dict[str, Any], reason: str) -> None:
    with pytest.raises(NotAdmitted, match=reason):
        admit(scope, OPEN)


@pytest.mark.parametrize("policy", [OPEN, OPEN_WITH_LOCAL_KEY, KEYED])
@pytest.mark.parametrize(
    "headers",
    [
        {"x_api_key": "wrong"},
        {"x_api_key": KEY[:-1]},
        {"x_api_key": KEY + "x"},
        {"x_api_key": "schlüssel"},
        {"authorization": "Bearer wrong"},
        {"authorization": f"Basic {KEY}"},
    ],
)
def test_a_wrong_key_is_refused_even_from_this_machine(policy: Policy, headers: dict[str, str]) -> None:
    with pytest.raises(NotAdmitted, match="not one of this server's"):
        admit(request(**headers), policy)


@pytest.mark.parametrize("policy", [OPEN_WITH_LOCAL_KEY, KEYED])
@pytest.mark.parametrize(
    "headers",
    [
        {"x_api_key": KEY},
        {"authorization": f"Bearer {KEY}"},
        {"authorization": f"bearer  {KEY}"},
        {"x_api_key": KEY, "authorization": "Bearer of-somebody-else"},
        {
            "x_api_key": KEY,
            "client": "203.0.113.9",
            "host": "agents.example",
            "x_forwarded_for": "203.0.113.10",
        },
        {"x_api_key": KEY, "origin": "https://app.example", "host": "agents.example"},
    ],
)
def test_a_right_key_is_enough_from_anywhere(policy: Policy, headers: dict[str, str]) -> None:
    assert admit(request(**headers), policy) == ("ci" if policy is KEYED else "local")


def test_once_a_key_is_configured_loopback_is_closed() -> None:
    with pytest.raises(NotAdmitted, match="x-api-key"):
        admit(request(), KEYED)
    with pytest.raises(NotAdmitted, match="not one of"):
        admit(request(authorization="Bearer of-langsmith", x_auth_scheme="langsmith"), KEYED)
    # Studio can be told to send a key of ours along.
    assert admit(request(x_api_key=KEY, x_auth_scheme="langsmith"), KEYED) == "ci"


def test_no_message_and_no_repr_repeats_a_key() -> None:
    with pytest.raises(NotAdmitted) as refusal:
        admit(request(x_api_key="secret-that-was-sent"), KEYED)
    assert "secret-that-was-sent" not in str(refusal.value)
    assert KEY not in repr(KEYED)


@given(st.text(alphabet=st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=40))
def test_no_other_value_than_the_key_is_accepted(value: str) -> None:
    scope = {"type": "http", "client": ("127.0.0.1", 1), "headers": [(b"x-api-key", value.encode("latin-1"))]}
    with pytest.raises(NotAdmitted):
        admit(scope, KEYED)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("", False),
        ("10.0.0.1", False),
        ("example.com", False),
        ("2130706433", False),
        (None, False),
        ("127.1", False),
    ],
)
def test_loopback(host: str | None, expected: bool) -> None:
    assert is_loopback(host) is expected
