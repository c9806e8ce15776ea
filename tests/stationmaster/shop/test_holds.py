"""`stationmaster shop holds`: what a provider has not confirmed is listed, and given back by hand."""

import json
from pathlib import Path

import psycopg
import pytest
from typer.testing import CliRunner

from stationmaster.cli.shop import app

HELD = """INSERT INTO shop.refund_holds (idempotency_key, order_id, ticket_id, amount_usd)
    SELECT 'refund:' || order_id, order_id, 'ticket-' || order_id, 12.5 FROM shop.orders
    WHERE paid_usd - refunded_usd - held_usd > 20 ORDER BY order_id LIMIT 2 RETURNING idempotency_key, order_id"""


@pytest.fixture
def shop(seeded_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The commands run in an empty directory, on a shop of this test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STATIONMASTER_DATABASE_URI", seeded_database)
    return seeded_database


def hold_two(uri: str) -> list[tuple[str, str]]:
    with psycopg.connect(uri, autocommit=True) as conn:
        return conn.execute(HELD).fetchall()


def held_of(uri: str, order_id: str) -> float:
    with psycopg.connect(uri) as conn:
        row = conn.execute(
            "SELECT held_usd::float8 FROM shop.orders WHERE order_id = %s", (order_id,)
        ).fetchone()
    assert row is not None
    return row[0]


def holds(*arguments: str, given: str | None = None):
    return CliRunner().invoke(app, ["holds", *arguments], input=given)


def test_nothing_is_held(shop: str) -> None:
    assert holds("list").output.startswith("none: every refund")
    assert json.loads(holds("list", "--json").output) == []


def test_what_is_held_is_listed_and_given_back(shop: str) -> None:
    (key, order), (other, _) = hold_two(shop)
    assert [row["key"] for row in json.loads(holds("list", "--json").output)] == [key, other]
    assert key in holds("list").output and "12.50" in holds("list").output
    assert [
        row["key"] for row in json.loads(holds("list", "--ticket", f"ticket-{order}", "--json").output)
    ] == [key]
    assert held_of(shop, order) == 12.5
    kept = holds("release", key, given="n\n")
    assert kept.exit_code == 1 and held_of(shop, order) == 12.5
    done = holds("release", key, given="y\n")
    assert (done.exit_code, held_of(shop, order)) == (0, 0)
    assert f"released: 12.50 USD of order {order}, ticket ticket-{order}" in done.output
    assert [row["key"] for row in json.loads(holds("list", "--json").output)] == [other]
    assert json.loads(holds("release", other, "--yes", "--json").output)["amount_usd"] == 12.5


def test_a_key_that_holds_nothing_is_said(shop: str) -> None:
    done = holds("release", "nope", "--yes")
    assert "nothing is held under nope" in str(done.exception)
