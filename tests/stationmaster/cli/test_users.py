"""`stationmaster users`: what it prints, what it refuses, and that no password is ever an argument."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stationmaster.cli.__main__ import app
from stationmaster.console import record
from stationmaster.console.record import ConsoleRecord
from stationmaster.errors import StationmasterError

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def place(database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STATIONMASTER_DATABASE_URI", database)


def users(*arguments: str, given: str | None = None) -> str:
    """What the command prints; its StationmasterError is raised."""
    done = CliRunner().invoke(app, ["users", *arguments], input=given)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def found(*arguments: str, given: str | None = None) -> Any:
    return json.loads(users(*arguments, "--json", given=given))


def test_a_user_from_beginning_to_end() -> None:
    added = found(
        "add", "Ann", "--group", "money", "--group", "desk", "--role", "lead", given=f"{PASSWORD}\n"
    )
    assert (added["name"], added["roles"], added["groups"]) == ("ann", ["lead"], ["desk", "money"])
    assert added["has_password"] and "password_hash" not in added
    assert [user["name"] for user in found("list")] == ["ann"]
    assert "desk, money" in users("list")
    assert "groups desk, money; roles lead" in users("groups", "ann")
    assert found("groups", "ann", "mail", "--role", "reader")["groups"] == ["mail"]
    assert found("groups", "ann", "--none")["groups"] == []
    assert "changed" in users("passwd", "ann", given="another good password\n")
    assert found("sign-out", "ann") == {"user": "ann", "ended": 0}
    assert "removed" in users("remove", "ann")
    assert users("list").startswith("none: `stationmaster users add NAME`")


def test_tokens_are_shown_once() -> None:
    users("add", "bot", "--no-password", "--role", "reader")
    made = found("token", "create", "bot", "nightly export", "--days", "1")
    assert made["token"].startswith("smt_") and made["expires_at"]
    assert users("token", "create", "bot", "other", "--days", "0").strip().startswith("smt_")
    listed = found("token", "list", "bot")
    assert {token["label"]: token["expires_at"] is None for token in listed} == {
        "nightly export": False, "other": True,
    }  # fmt: skip
    assert made["token"] not in json.dumps(listed) + users("token", "list")
    users("token", "revoke", "bot", "other")
    with pytest.raises(StationmasterError, match="no valid token"):
        users("token", "revoke", "bot", "other")


def test_a_link_names_the_console_as_people_reach_it(monkeypatch: pytest.MonkeyPatch) -> None:
    users("add", "ann", "--no-password")
    assert users("link", "ann").startswith("http://127.0.0.1:2025/sign-in/link/sml_")
    monkeypatch.setenv("STATIONMASTER_PUBLIC_URL", "https://console.example/")
    made = found("link", "ann", "--minutes", "5")
    assert made["url"].startswith("https://console.example/sign-in/link/sml_") and made["user"] == "ann"


def test_a_link_leads_to_the_console_that_runs(tmp_path: Path) -> None:
    users("add", "ann", "--no-password")
    there = ConsoleRecord("http://127.0.0.1:4711", 1, "2026-11-30", "http://127.0.0.1:4710", "key")
    with record.claim(tmp_path):
        record.write_record(tmp_path, there)
        assert users("link", "ann", "--data-dir", str(tmp_path)).startswith("http://127.0.0.1:4711/sign-in/")
    assert users("link", "ann", "--data-dir", str(tmp_path)).startswith("http://127.0.0.1:2025/sign-in/")


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        (("add", "a b"), f"{PASSWORD}\n", "no user's name"),
        (("add", "ann"), "short\n", "12 to 1024"),
        (("add", "ann"), "", "standard input"),
        (("add", "ann", "--role", "god"), f"{PASSWORD}\n", "no role"),
        (("remove", "nobody"), None, "no user nobody"),
        (("passwd", "nobody"), f"{PASSWORD}\n", "no user nobody"),
        (("groups", "nobody"), None, "no user nobody"),
        (("link", "nobody"), None, "no user nobody"),
        (("token", "create", "nobody", "x"), None, "no user nobody"),
        (("token", "revoke", "nobody", "x"), None, "no valid token"),
    ],
)
def test_refusals_say_what_to_do(arguments: tuple[str, ...], given: str | None, said: str) -> None:
    with pytest.raises(StationmasterError, match=said) as refused:
        users(*arguments, given=given)
    assert refused.value.exit_code == 2 and ":" in str(refused.value)


def test_a_password_can_be_no_argument() -> None:
    for arguments in (
        ["add", "ann", PASSWORD],
        ["add", "ann", "--password", PASSWORD],
        ["passwd", "ann", PASSWORD],
    ):
        done = CliRunner().invoke(app, ["users", *arguments])
        assert done.exit_code == 2
