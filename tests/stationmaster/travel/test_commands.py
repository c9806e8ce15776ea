"""`stationmaster travel`: what the commands print, and how they end."""

from pathlib import Path

import psycopg
import pytest
from typer.testing import CliRunner, Result

from stationmaster.cli.travel import app
from stationmaster.shop.reading import ImportRefused
from stationmaster.shop.travel import DAYS
from tests.stationmaster.travel.inventory import Files, rows, sizes


@pytest.fixture
def here(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The commands run in an empty directory, on this test's database."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STATIONMASTER_DATABASE_URI", database)
    return database


def travel(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_import_says_what_it_did(here: str, tmp_path: Path) -> None:
    directory = Files(tmp_path).write()
    first = travel("import", str(directory), "--tenant", "north")
    assert first.output.splitlines() == [
        "places: 2 added, 0 changed, 0 as they were",
        "flights: 2 added, 0 changed, 0 as they were",
        "hotels: 1 added, 0 changed, 0 as they were",
        "nights: 2 added, 0 changed, 0 as they were",
        "visas: 2 added, 0 changed, 0 as they were",
    ]
    assert "flights: 0 added, 0 changed, 2 as they were" in travel(
        "import", str(directory), "--tenant", "north"
    ).output  # fmt: skip
    assert rows(here, "select distinct tenant from travel.flights") == [{"tenant": "north"}]


def test_a_bad_import_lists_the_rows(here: str, tmp_path: Path) -> None:
    files = Files(tmp_path)
    files.rows["flights"][1] = files.rows["flights"][1].replace(",9", ",many")
    refused = travel("import", str(files.write()))
    (line,) = refused.output.splitlines()
    assert line.startswith(
        "flights.csv, row 2 (NO71 2034-06-18 07:20): seats: Input should be a valid integer"
    )
    assert isinstance(refused.exception, ImportRefused)
    assert str(refused.exception).startswith("1 problem in")
    assert travel("import", "nowhere").exit_code == 2


def test_seed_adds_what_has_come_and_corrects_what_older_ones_had_wrong(here: str) -> None:
    assert travel("seed").output.startswith("travel: made-up flights and rooms for the next 120 days")
    filled = sizes(here)
    with psycopg.connect(here) as conn:
        conn.execute("update travel.flights set arrives = arrives + interval '1 hour' where number = 'SM91'")
        conn.execute("update travel.flights set price_usd = 1, taken = 1 where number = 'SM41'")
        conn.execute("delete from travel.flights where number = 'SM71'")
        conn.execute(
            "delete from travel.room_nights where night = (select max(night) from travel.room_nights)"
        )
    assert travel("seed").exit_code == 0
    assert sizes(here) == filled
    takes = rows(
        here,
        "select distinct lands_at - leaves_at as takes from travel.flights where number in ('SM91', 'SM92')",
    )
    assert [row["takes"].total_seconds() / 3600 for row in takes] == [13]
    kept = rows(
        here, "select count(*) from travel.flights where number = 'SM41' and price_usd = 1 and taken = 1"
    )
    assert kept == [{"count": DAYS}]
