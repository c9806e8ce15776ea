"""`stationmaster shop`: what the commands print, and how they end."""

import json
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from typer.testing import CliRunner

from stationmaster.cli.shop import app
from stationmaster.shop.importer import ImportRefused
from tests.stationmaster.shop.export import Export


@pytest.fixture
def here(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The commands run in an empty directory, on this test's database."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STATIONMASTER_DATABASE_URI", database)
    return database


def test_seed_says_what_it_did(here: str) -> None:
    first, again = CliRunner().invoke(app, ["seed"]), CliRunner().invoke(app, ["seed"])
    assert first.output == "shop: seeded with 327 customers, 1007 orders and 46 help articles\n"
    assert again.output.startswith("shop: already seeded on 2")
    assert (first.exit_code, again.exit_code) == (0, 0)


def test_import_says_what_it_did(here: str, export: Export) -> None:
    first = CliRunner().invoke(app, ["import", str(export.directory)])
    assert first.exit_code == 0, first.output
    assert "orders: 3 added, 0 changed, 0 as they were\n" in first.output
    assert "the files hold no dates" in first.output
    again = CliRunner().invoke(app, ["import", str(export.directory)])
    assert "orders: 0 added, 0 changed, 3 as they were\n" in again.output
    assert "the files hold no dates" not in again.output


def test_a_bad_import_lists_the_rows_and_ends_with_2(here: str, export: Export) -> None:
    export.change("orders", "#W7000001", "status", to="lost")
    export.change("orders", "#W7000003", "user_id", to="nobody")
    command = [sys.executable, "-m", "stationmaster.cli", "shop", "import", str(export.directory)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "orders.json, row 1 (#W7000001): status: Input should be 'pending', 'processed', 'delivered' or 'cancelled'",
        "orders.json, row 3 (#W7000003): user_id: unknown user nobody",
        f"error: 2 problems in {export.directory}, nothing was imported: correct the rows and import again",
    ]
    assert isinstance(CliRunner().invoke(app, ["import", str(export.directory)]).exception, ImportRefused)


def test_a_directory_that_is_not_there_is_wrong_usage() -> None:
    assert CliRunner().invoke(app, ["import", "nowhere"]).exit_code == 2


def test_the_ledger_is_shown_by_ticket(here: str, export: Export) -> None:
    CliRunner().invoke(app, ["import", str(export.directory)])
    with psycopg.connect(here) as conn:
        conn.execute(
            "insert into shop.refunds (idempotency_key, order_id, ticket_id, amount_usd, provider, reference) "
            "values ('k', 'W7000003', '[T]-1', 31.05, 'ledger', 'R-1'), ('l', 'W7000003', 'U-1', 1, 'ledger', 'R-2')"
        )
    shown = CliRunner().invoke(app, ["ledger", "--ticket", "[T]"])
    assert ["[T]-1", "W7000003", "$31.05", "R-1"] in [line.split()[3:] for line in shown.output.splitlines()]
    assert "R-2" not in shown.output
    last = shown.output.splitlines()[-1]
    assert last == "$31.05 in 1 refund; duplicates 0, holds 0, mails 0, dead letters 0"
    narrow = CliRunner().invoke(app, ["ledger"], env={"COLUMNS": "40"})
    assert "…" not in narrow.output
    printed = json.loads(CliRunner().invoke(app, ["ledger", "--json"]).output)
    assert (printed["refunds"], printed["total_usd"]) == (2, 32.05)
    assert [row["reference"] for row in printed["rows"]] == ["R-1", "R-2"]
    ticket, reference = str(uuid4()), "R-0123456789AB"
    with psycopg.connect(here) as conn:
        conn.execute(
            "insert into shop.refunds (idempotency_key, order_id, ticket_id, amount_usd, provider, reference) "
            "values ('m', 'W7000003', %s, 1.5, 'ledger', %s)",
            (ticket, reference),
        )
    lines = CliRunner().invoke(app, ["ledger", "--ticket", ticket], env={"COLUMNS": "80"}).output.splitlines()
    assert len(lines) == 3 and ticket in lines[1] and lines[1].rstrip().endswith(reference)
