"""`stationmaster shop documents`, `sanctions`, `transactions`: what they change, what they print, what they refuse."""

import json
from pathlib import Path

import psycopg
import pytest
from typer.testing import CliRunner, Result

from stationmaster.cli.shop import app
from stationmaster.shop.documents import DocumentRefused
from stationmaster.shop.treasury import ListRefused


@pytest.fixture
def here(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The commands run in an empty directory, on this test's database."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STATIONMASTER_DATABASE_URI", database)
    return database


def shop(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_documents_are_added_replaced_and_listed(here: str, tmp_path: Path) -> None:
    letter = tmp_path / "A letter!.md"
    letter.write_text("Dear team")
    assert shop("documents", "list").output.startswith("none: ")
    assert shop("documents", "add", str(letter)).output == "A-letter: added\n"
    letter.write_text("Dear all")
    assert shop("documents", "add", str(letter), "--title", "The letter").output == "A-letter: replaced\n"
    (listed,) = json.loads(shop("documents", "list", "--json").output)
    assert (listed["document_id"], listed["title"], listed["bytes"]) == ("A-letter", "The letter", 8)
    assert "The letter" in shop("documents", "list").output
    assert json.loads(shop("documents", "list", "--json", "--tenant", "other").output) == []


def test_what_is_no_document_is_refused(here: str, tmp_path: Path) -> None:
    table = tmp_path / "table.xlsx"
    table.write_bytes(b"x")
    assert isinstance(shop("documents", "add", str(table)).exception, DocumentRefused)
    letter = tmp_path / "letter.txt"
    letter.write_text("x")
    assert "no id of a document" in str(shop("documents", "add", str(letter), "--id", "a b").exception)
    letter.write_bytes(b"x" * (20 * 1024 * 1024 + 1))
    assert "split it" in str(shop("documents", "add", str(letter)).exception)
    assert "was published" in str(shop("documents", "report", "letter").exception)


def test_a_list_is_loaded_whole_and_replaced_whole(here: str, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("entry,name,account\nE1,Vostok Ltd,\nE1,Восток,RU02\nE2,Halcyon,\n", encoding="utf-8")
    assert shop("sanctions", "load", str(file), "--list", "EU").output == (
        "EU: 3 names of 2 entries, instead of 0 names\n"
    )
    file.write_text("entry,name\nE3,Gazanprombank\n")
    assert "instead of 3 names" in shop("sanctions", "load", str(file), "--list", "EU").output
    with psycopg.connect(here) as conn:
        rows = conn.execute("select entry, name_key from treasury.sanctions").fetchall()
    assert rows == [("E3", "gazanprombank")]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "line 1: the columns must be"),
        (b"name\nx\n", "line 1: the columns must be"),
        (b"entry,name\n", "has no rows"),
        (b"entry,name\nE1,\n", "line 2: entry and name must be there"),
        (b"entry,name\nE1,GmbH\n", "line 2: no name can be compared"),
        (b"entry,name\nE1,\xff\n", "no CSV in UTF-8"),
    ],
)
def test_what_is_no_list_changes_nothing(here: str, tmp_path: Path, content: bytes, why: str) -> None:
    with psycopg.connect(here) as conn:
        conn.execute("insert into treasury.sanctions (entry, list, name) values ('E0', 'EU', 'Old Name')")
    file = tmp_path / "list.csv"
    file.write_bytes(content)
    refused = shop("sanctions", "load", str(file), "--list", "EU").exception
    assert isinstance(refused, ListRefused)
    assert why in str(refused)
    with psycopg.connect(here) as conn:
        assert conn.execute("select entry from treasury.sanctions").fetchall() == [("E0",)]


_ENTER = """
insert into treasury.transactions (key, request, kind, amount_usd, beneficiary, account, reference, requested_by,
                                   signatures_needed, digest)
values (%(key)s, 'r', 'payment', 50, 'Ada Ltd', 'DE893704', %(key)s, 'rosa', 0, repeat('0', 64))
returning transaction_id"""


def under_way(uri: str, key: str) -> str:
    """A payment that the bank has not answered for; its number."""
    with psycopg.connect(uri) as conn:
        row = conn.execute(_ENTER, {"key": key}).fetchone()
        conn.execute("update treasury.transactions set status = 'executing' where key = %s", (key,))
    assert row is not None
    return str(row[0])


def test_what_the_bank_left_open_is_settled_by_hand(here: str) -> None:
    assert shop("transactions", "list").output == "none: no transaction was asked for\n"
    one, two = under_way(here, "INV-1"), under_way(here, "INV-2")
    listed = json.loads(shop("transactions", "list", "--status", "executing", "--json").output)
    assert [row["reference"] for row in listed] == ["INV-2", "INV-1"]
    assert (
        shop("transactions", "settle", one, "--executed", "tx_1").output == f"transaction {one}: executed\n"
    )
    assert (
        shop("transactions", "settle", two, "--failed", "unknown there").output
        == f"transaction {two}: failed\n"
    )
    assert "Ada Ltd" in shop("transactions", "list").output
    assert "is not under way" in str(shop("transactions", "settle", one, "--failed", "no").exception)
    assert "either --executed" in str(shop("transactions", "settle", one).exception)
    assert "is not under way" in str(
        shop("transactions", "settle", two, "--executed", "x", "--tenant", "other").exception
    )
