"""An agency's tables from before places had time zones: the migration gives them their moments, and takes no seat."""

import shutil
from datetime import timedelta
from pathlib import Path

from stationmaster.postgres import migrate
from stationmaster.postgres.migrate import DIRECTORY
from tests.agents.travel.agency import Agency

ZONES = "0028_travel_zones.sql"


async def older(uri: str, directory: Path) -> Agency:
    """Places, flights and a hold, as a release before wrote them."""
    for path in sorted(DIRECTORY.glob("*.sql")):
        if path.name < ZONES:
            shutil.copy(path, directory)
    await migrate(uri, directory)
    agency = Agency(uri, "main")
    agency.execute(
        "insert into travel.places (code, city, country) values "
        "('BER', 'Berlin', 'DE'), ('TYO', 'Tokyo', 'JP'), ('XXX', 'Somewhere', 'XX')"
    )
    agency.execute(
        "insert into travel.flights (number, origin, destination, departs, arrives, price_usd, seats) values "
        "('SM1', 'BER', 'TYO', '2034-01-10 13:00', '2034-01-11 02:00', 100, 9), "
        "('SM2', 'XXX', 'BER', '2034-03-26 01:10', '2034-03-26 02:30', 100, 9)"  # which no clock shows in Berlin
    )
    agency.execute(
        "insert into travel.offers (thread_id, turn, digest, traveller, travellers, outbound_id, visa, total_usd, "
        "hold_minutes) select 't', 1, repeat('a', 64), 'rosa', 2, flight_id, 'none', 200, 30 from travel.flights "
        "where number = 'SM1'"
    )
    agency.execute(
        "insert into travel.agreements (offer_id, kind, agreed_by) select offer_id, 'hold', 'rosa' from travel.offers"
    )
    agency.execute("insert into travel.holds (offer_id) select offer_id from travel.offers")
    return agency


async def test_what_is_there_goes_on_with_zones_and_moments(empty_database: str, tmp_path: Path) -> None:
    agency = await older(empty_database, tmp_path)
    assert ZONES in await migrate(empty_database)
    zones = agency.rows("select zone from travel.places order by code")
    assert [row["zone"] for row in zones] == ["Europe/Berlin", "Asia/Tokyo", "UTC"]
    found = agency.rows(
        "select lands_at - leaves_at as takes, departs::text from travel.flights order by number"
    )
    assert [row["takes"] for row in found] == [timedelta(hours=5), timedelta(minutes=20)]
    assert found[0]["departs"] == "2034-01-10 13:00:00"
    assert agency.taken() == (2, 0)
    agency.execute("update travel.holds set status = 'released'")
    assert agency.taken() == (0, 0)
