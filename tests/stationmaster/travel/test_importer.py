"""Importing an inventory: everything or nothing, each bad row named, twice the same as once; nobody loses a seat."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from psycopg.errors import CheckViolation

from agents.travel import inventory
from stationmaster.shop.reading import ImportRefused
from stationmaster.travel.importer import import_inventory
from tests.stationmaster.travel.inventory import ALL_NEW, FILES, Files, hold, rows, sizes


@pytest.fixture
def files(tmp_path: Path) -> Files:
    directory = tmp_path / "inventory"
    directory.mkdir()
    return Files(directory)


async def imported(uri: str, directory: Path, tenant: str = "main") -> dict[str, tuple[int, int]]:
    """What was added and changed of each table, where anything was."""
    done = await import_inventory(uri, directory, tenant)
    return {table: (one.added, one.changed) for table, one in done.items() if one.added or one.changed}


async def refused(uri: str, directory: Path, tenant: str = "main") -> list[str]:
    before = sizes(uri)
    with pytest.raises(ImportRefused) as caught:
        await import_inventory(uri, directory, tenant)
    assert sizes(uri) == before
    return [str(problem) for problem in caught.value.problems]


async def test_an_inventory_is_loaded_and_the_same_again_changes_nothing(database: str, files: Files) -> None:
    assert await imported(database, files.write()) == {table: (many, 0) for table, many in ALL_NEW.items()}
    assert sizes(database) == ALL_NEW
    assert await imported(database, files.directory) == {}
    found = rows(
        database, "select lands_at - leaves_at as takes, price_usd::text from travel.flights order by number"
    )
    assert [row["takes"] for row in found] == [timedelta(hours=18), timedelta(hours=17, minutes=55)]
    assert found[0]["price_usd"] == "640.50"
    (place,) = rows(database, "select aliases from travel.places where code = 'OSL'")
    assert place["aliases"] == ["norway", "christiania"]


async def test_what_changed_is_brought_up_to_date_and_the_rest_stays(database: str, files: Files) -> None:
    await imported(database, files.write())
    files.rows["flights"][1] = files.rows["flights"][1].replace("640.50,9", "599,12")
    files.rows["places"][1] = "OSL,Oslo,NO,Europe/Oslo,"  # without other names, those that it has stay
    files.rows["visas"][2] = "IN,US,required,,An interview is needed."
    files.rows["nights"].pop()
    assert await imported(database, files.write()) == {"flights": (0, 1), "visas": (0, 1)}
    assert sizes(database) == ALL_NEW
    (place,) = rows(database, "select aliases from travel.places where code = 'OSL'")
    assert place["aliases"] == ["norway", "christiania"]


async def test_json_is_taken_as_well_and_single_files(database: str, files: Files) -> None:
    await imported(database, files.write())
    files.only("visas")
    (files.directory / "visas.csv").unlink()
    flights = [
        {
            "number": "NO73", "origin": "OSL", "destination": "HNL", "departs": "2034-07-01T07:20+02:00",
            "arrives": "2034-07-01T13:20", "price_usd": 640.1, "seats": 3,
        }
    ]  # fmt: skip
    (files.directory / "flights.json").write_text(json.dumps(flights))
    (files.directory / "places.json").write_text(
        json.dumps(
            [
                {
                    "code": "OSL",
                    "city": "Oslo",
                    "country": "NO",
                    "zone": "Europe/Oslo",
                    "aliases": ["Kristiania"],
                }
            ]
        )
    )
    assert await imported(database, files.directory) == {"flights": (1, 0), "places": (0, 1)}
    (found,) = rows(database, "select price_usd::text, seats from travel.flights where number = 'NO73'")
    assert found == {"price_usd": "640.10", "seats": 3}


async def test_a_spreadsheet_s_csv_is_read(database: str, files: Files) -> None:
    table = "\ufeffCODE;city;country;zone\r\nOSL;Oslo;NO;Europe/Oslo\r\n;;;\r\nHNL;Honolulu;US;Pacific/Honolulu\r\n"
    (files.directory / "places.csv").write_bytes(table.replace("CODE", "code").encode())
    assert await imported(database, files.directory) == {"places": (2, 0)}


async def test_each_tenant_has_its_own(database: str, files: Files) -> None:
    await imported(database, files.write())
    assert await imported(database, files.directory, "north") == {
        "flights": (2, 0), "hotels": (1, 0), "nights": (2, 0)
    }  # fmt: skip
    hold(database, seats=9, rooms=4)
    files.rows["flights"][1] = files.rows["flights"][1].replace(",9", ",1")
    (problem,) = await refused(database, files.write())
    assert "9 are held or sold" in problem
    assert await imported(database, files.directory, "north") == {"flights": (0, 1)}


async def test_seats_and_rooms_never_fall_below_what_is_held(database: str, files: Files) -> None:
    await imported(database, files.write())
    hold(database, seats=5, rooms=3)
    for table in ("flights", "nights"):
        files.rows[table] = [line.replace(",9", ",4").replace(",205,4", ",200,2") for line in FILES[table]]
    files.rows["hotels"][1] = files.rows["hotels"][1].replace(",2", ",1")
    assert await refused(database, files.write()) == [
        "flights.csv, row 2 (NO71 2034-06-18 07:20): seats: 5 are held or sold, so it can't be 4",
        "flights.csv, row 3 (NO72 2034-06-25 18:00): seats: 5 are held or sold, so it can't be 4",
        "hotels.csv, row 2 (HNL Kahala, by the sea): sleeps: 2 sleep in rooms that are held or sold, so it can't be 1",
        "nights.csv, row 2 (HNL Kahala, by the sea 2034-06-18): rooms: 3 are held or sold, so it can't be 2",
        "nights.csv, row 3 (HNL Kahala, by the sea 2034-06-19): rooms: 3 are held or sold, so it can't be 2",
    ]
    files.rows["hotels"] = list(FILES["hotels"])
    files.rows["flights"] = [line.replace(",9", ",5") for line in FILES["flights"]]
    files.rows["nights"] = [line.replace(",205,4", ",200,3") for line in FILES["nights"]]
    assert await imported(database, files.write()) == {"flights": (0, 2), "nights": (0, 2)}


async def test_what_expired_is_held_no_longer(database: str, files: Files) -> None:
    await imported(database, files.write())
    hold(database, seats=5, rooms=3)
    with psycopg.connect(database) as conn:
        conn.execute("alter table travel.holds disable trigger holds_move")
        conn.execute("update travel.holds set expires_at = now()")
        conn.execute("alter table travel.holds enable trigger holds_move")
    files.rows["flights"] = [line.replace(",9", ",1") for line in FILES["flights"]]
    assert await imported(database, files.write()) == {"flights": (0, 2)}


async def test_a_flight_stays_what_it_is(database: str, files: Files) -> None:
    await imported(database, files.write())
    files.rows["flights"][1] = "NO71,HNL,OSL,2034-06-18 07:20,2034-06-19 13:20,640.50,9"
    (problem,) = await refused(database, files.write())
    assert "row 2 (NO71 2034-06-18 07:20): origin: the agency has this flight from OSL to HNL" in problem


@pytest.mark.parametrize(
    ("table", "line", "says"),
    [
        ("places", "oslo,Oslo,NO,Europe/Oslo,", "row 2 (oslo): code: String should match pattern"),
        ("places", "OSL,Oslo,NO,Europe/Olso,", "'Europe/Olso' is no time zone: did you mean Europe/Oslo?"),
        ("places", "OSL,Oslo,NO,CET,", "zone: Value error, 'CET' is a rule and no place"),
        ("places", "OSL,,NO,Europe/Oslo,", "city: Field required"),
        ("places", "OSL,Oslo,NO,Europe/Oslo,a,b", "more cells than the heading"),
        ("flights", "NO71,OSL,XXX,2034-06-18 07:20,2034-06-18 13:20,640,9", "destination: there is no place XXX"),
        ("flights", "NO71,OSL,OSL,2034-06-18 07:20,2034-06-18 13:20,640,9", "destination: is where it begins"),
        ("flights", "NO71,OSL,HNL,2034-06-18,2034-06-18 13:20,640,9", "departs: Value error, must be a local time"),
        ("flights", "NO71,OSL,HNL,1718000000,2034-06-18 13:20,640,9", "departs: Value error, must be a local time"),
        ("flights", "NO71,OSL,HNL,2034-13-18 07:20,2034-06-18 13:20,640,9", "departs: Value error, month must be"),
        ("flights", "NO71,OSL,HNL,2034-06-18 07:20,9999-12-31 23:59,640,9", "the year must be 2000 to 2199"),
        ("flights", "NO71,OSL,HNL,0001-01-01 00:00,2034-06-18 13:20,640,9", "departs: Value error, the year must"),
        ("flights", "NO71,OSL,HNL,2034-06-18 13:20,2034-06-18 00:50,640,9", "arrives: is not after it departs"),
        ("flights", "NO71,OSL,HNL,2034-06-18 07:20,2034-06-20 13:20,640,9", "arrives: 66 hours after it departs"),
        ("flights", "NO71,OSL,HNL,2034-03-26 02:30,2034-03-26 13:20,640,9", "clocks in Europe/Oslo are put forward"),
        ("flights", "NO71,OSL,HNL,2034-10-29 02:30,2034-10-29 13:20,640,9", "show it twice: add +02:00 or +01:00"),
        ("flights", "NO71,OSL,HNL,2034-06-18 07:20Z,2034-06-18 13:20,640,9", "it is 2034-06-18 09:20 in Eur"),
        ("flights", "NO71,OSL,HNL,2034-06-18 07:20,2034-06-18 13:20,-1,9", "price_usd: Input should be greater than 0"),
        ("flights", "NO71,OSL,HNL,2034-06-18 07:20,2034-06-18 13:20,NaN,9", "price_usd: Input should be a finite"),
        ("flights", "NO71,OSL,HNL,2034-06-18 07:20,2034-06-18 13:20,640.001,9", "price_usd: Decimal input should"),
        ("flights", "NO71,OSL,HNL,2034-06-18 07:20,2034-06-18 13:20,640,-1", "seats: Input should be greater"),
        ("flights", "NO71,OSL,HNL,2034-06-18 07:20,2034-06-18 13:20,640,99999", "seats: Input should be less"),
        ("hotels", "XXX,Casa,2", "row 2 (XXX Casa): place: there is no place XXX"),
        ("hotels", "HNL,Casa,12", "sleeps: Input should be less"),
        ("nights", "HNL,Casa,2034-06-18,205,4", "row 2 (HNL Casa 2034-06-18): hotel: there is no 'Casa' in HNL"),
        ("nights", 'HNL,"Kahala, by the sea",18.06.2034,205,4', "night: Value error, must be a date"),
        ("nights", 'HNL,"Kahala, by the sea",0001-01-01,205,4', "night: Value error, the year must be"),
        ("visas", "NO,US,maybe,,", "requirement: Input should be 'none', 'on_arrival', 'eta' or 'required'"),
        ("visas", "NO,US,eta,0,", "max_days: Input should be greater"),
    ],
)  # fmt: skip
async def test_a_bad_row_is_named_and_nothing_is_imported(
    travel_tables: str, files: Files, table: str, line: str, says: str
) -> None:
    good = FILES[table][-1].replace("NO72", "NO79").replace("IN,US", "GB,US").replace("06-19", "06-21")
    (problem,) = await refused(travel_tables, files.only(table, line, good))
    assert problem.startswith(f"{table}.csv, row 2 (")
    assert says in problem


async def test_all_that_is_wrong_is_said_at_once_and_once(database: str, files: Files) -> None:
    files.rows["places"][1] = files.rows["places"][1].replace("Europe", "Erope")
    files.rows["flights"].append(files.rows["flights"][1].replace("2034-06-18 07:20", "2034-06-18T07:20:00"))
    files.rows["visas"][1] = files.rows["visas"][1].replace("eta", "perhaps")
    problems = await refused(database, files.write())
    assert [problem.partition(")")[0] for problem in problems] == [
        "flights.csv, row 4 (NO71 2034-06-18 07:20",
        "places.csv, row 2 (OSL",
        "visas.csv, row 2 (NO US",
    ]
    assert "row 2 is of the same: keep one of them" in problems[0]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("flights.csv", b"", "flights.csv: has no heading: begin it with number,origin"),
        ("flights.csv", b"number,origin\n", "flights.csv: has no column destination, departs"),
        ("visas.csv", b"passport,destination,requirement,max_day\n", "visas.csv: has a column 'max_day'"),
        ("visas.csv", b"passport,passport,destination,requirement\n", "visas.csv: has passport twice"),
        ("hotels.csv", b"place,name,sleeps\nHNL,\xff,2\n", "hotels.csv: can't be read"),
        ("hotels.json", b"{}", "hotels.json: must hold one JSON list of rows"),
        ("hotels.json", b"[{", "hotels.json: can't be read"),
        ("hotels.json", b"[7]", "hotels.json, row 1: Input should be a valid dictionary"),
        ("hotels.json", b'[{"place": "HNL", "name": "C", "sleeps": 2, "sleeps": 3}]', "key 'sleeps' is there twice"),
        ("hotels.json", b'[{"place": "HNL", "name": "C\\u0000", "sleeps": 2}]', "a database can't store"),
        ("hotels.json", b'[{"place": "HNL", "name": "C", "sleeps": true}]', "sleeps: Value error, must be a number"),
        ("hotels.json", b'[{"place": "HNL", "name": "C", "sleeps": 1e999999999}]', "1e999999999 is no amount"),
        ("hotels.json", b'[{"place": "HNL", "name": "C", "sleeps": 1e99999999999999999999}]', "is no amount"),
        ("hotels.json", b'[{"place": "HNL", "name": "C\\ud800", "sleeps": 2}]', "row 1 (HNL C\\ud800): name"),
        ("other.csv", b"", "places, flights, hotels, nights, visas: none of them is there"),
    ],
)  # fmt: skip
async def test_a_file_that_is_none(
    travel_tables: str, files: Files, name: str, content: bytes, says: str
) -> None:
    (files.directory / name).write_bytes(content)
    (problem,) = await refused(travel_tables, files.directory)
    assert says in problem


async def test_one_file_in_two_forms_is_refused(database: str, files: Files) -> None:
    (files.write() / "hotels.json").write_text("[]")
    assert await refused(database, files.directory) == [
        "hotels.csv: hotels.json is there as well: keep one of them"
    ]


async def test_what_no_check_foresaw_is_said_by_the_tables(database: str, files: Files) -> None:
    """A place's zone is corrected, and a flight that is there leaves in an hour that does not come."""
    files.rows["flights"][1] = "NO71,OSL,HNL,2034-03-26 03:30,2034-03-26 10:20,640.50,9"
    await imported(database, files.write())
    (problem,) = await refused(database, files.only("places", "OSL,Oslo,NO,Europe/Athens,"))
    assert problem.startswith(
        "the agency: its rules don't allow it: flight NO71: there is no 2034-03-26 03:30"
    )


async def test_the_graph_finds_what_was_loaded(agents_on_database: str, files: Files) -> None:
    await imported(agents_on_database, files.write())
    assert (await inventory.place("Christiania"))["code"] == "OSL"
    found, _ = await inventory.flights(
        "main", {"origin": "OSL", "destination": "HNL"}, {"depart_on": "2034-06-18", "return_on": None}
    )
    assert [(one["number"], one.get("minutes")) for one in found] == [("NO71", 1080)]
    (stay,) = await inventory.stays("main", {"destination": "HNL"}, "2034-06-18", "2034-06-20")
    assert stay["total_usd"] == 410.0


async def test_an_import_beside_those_who_hold_takes_nobody_s_seat(database: str, files: Files) -> None:
    """Travellers take the seats while the agency cuts them: each flight ends with at least as many as are gone."""
    await imported(database, files.write())
    files.rows["flights"] = [line.replace(",9", ",4") for line in FILES["flights"]]
    files.write()

    async def cut() -> bool:
        try:
            await import_inventory(database, files.directory, "main")
        except ImportRefused:
            return False
        return True

    async def take() -> bool:
        try:
            await asyncio.to_thread(hold, database, seats=2, rooms=1)
        except CheckViolation:
            return False
        return True

    results = await asyncio.gather(*(take() for _ in range(5)), cut(), *(take() for _ in range(4)))
    (row,) = rows(database, "select seats, taken from travel.flights where number = 'NO71'")
    assert row["taken"] == 2 * (sum(results[:5]) + sum(results[6:])) > 0
    assert row["seats"] == (4 if results[5] else 9) >= row["taken"]
