"""Days and hours are those of the places: today, a flight's time, check-in, what has left; and clocks that are changed.

On Kiritimati it is always a day later than in Pago Pago, 25 hours: whatever the hour of a test, their dates differ.
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import psycopg
import pytest
from psycopg.errors import CheckViolation

from agents.shared.zones import NoSuchZone
from agents.travel import inventory
from agents.travel.context import Context
from agents.travel.inventory import SoldOut
from agents.travel.wording import lasting
from tests.agents.travel.agency import Agency, day
from tests.agents.travel.offering import TRIP, agreed, draft_of
from tests.agents.travel.traveller import APPROVE, Traveller, calls_of

EARLY, LATE = "Pacific/Kiritimati", "Pacific/Pago_Pago"
SUMMER_BEGINS, SUMMER_ENDS = "2034-03-26", "2034-10-29"
"""In Berlin 02:00 becomes 03:00, and 03:00 becomes 02:00."""


@pytest.fixture
def islands(agency: Agency) -> Agency:
    agency.place("CXI", "Kiritimati", EARLY)
    agency.place("PPG", "Pago Pago", LATE, country="AS")
    return agency


def there(zone: str, **later: float) -> datetime:
    return datetime.now(UTC).astimezone(ZoneInfo(zone)) + timedelta(**later)


def clock(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"


async def test_tomorrow_is_read_by_the_clock_of_where_the_trip_begins(islands: Agency) -> None:
    rosa = Traveller(islands, context=Context(model="offline:rules", timezone=EARLY))
    values = await rosa.say("Hello")
    assert values["today"] == there(EARLY).date().isoformat()
    values = await rosa.say("One way from Pago Pago to Kiritimati tomorrow, German passport")
    assert values["today"] == there(LATE).date().isoformat()
    assert values["trip"]["depart_on"] == there(LATE, days=1).date().isoformat()
    assert calls_of(values).count("note_trip") == 2  # by the desk's clock first, and then by the place's
    values = await rosa.say("Rather in two days")
    assert values["trip"]["depart_on"] == there(LATE, days=2).date().isoformat()
    assert calls_of(values).count("note_trip") == 1


async def test_a_day_is_past_where_it_is_past(islands: Agency) -> None:
    rosa = Traveller(islands)
    await rosa.say(f"One way from Kiritimati to Pago Pago on {there(LATE).date()}")
    assert f"is past; today is {there(EARLY).date()}" in await rosa.reply()


async def test_a_zone_that_is_none_fails_loudly(agency: Agency) -> None:
    rosa = Traveller(agency, context=Context(model="offline:rules", timezone="Mars/Olympus"))
    with pytest.raises(NoSuchZone, match="Mars/Olympus"):
        await rosa.say("Hello")


async def test_what_has_left_is_told_by_the_place_s_clock(islands: Agency) -> None:
    """An hour ago on Kiritimati is half a day ahead of UTC's clock, and in an hour in Pago Pago long past for it."""
    left, leaves = there(EARLY, hours=-1), there(LATE, hours=1)
    gone = islands.flies("SM11", "CXI-PPG", clock(left), clock(left - timedelta(hours=22)))
    coming = islands.flies("SM12", "PPG-CXI", clock(leaves), clock(leaves + timedelta(hours=28)))
    out, back = (
        {**TRIP, "origin": "CXI", "destination": "PPG"},
        {**TRIP, "origin": "PPG", "destination": "CXI"},
    )
    day_of = {"depart_on": clock(left)[:10], "return_on": None}
    assert await inventory.flights(islands.tenant, out, day_of) == ([], [])  # pyright: ignore[reportArgumentType]
    day_of = {"depart_on": clock(leaves)[:10], "return_on": None}
    (found,), _ = await inventory.flights(islands.tenant, back, day_of)  # pyright: ignore[reportArgumentType]
    assert (found["id"], found.get("minutes"), found["departs"]) == (f"F{coming}", 180, clock(leaves))
    with pytest.raises(SoldOut, match="has left"):
        await inventory.quote(islands.tenant, draft_of(gone), TRIP)
    await agreed(islands, "t", draft_of(coming), passports=["KI"])
    islands.execute(
        "update travel.flights set departs = departs - interval '90 minutes' where flight_id = %s", coming
    )
    with pytest.raises(SoldOut, match="no longer on sale"):
        await inventory.hold(islands.tenant, "t")


async def test_a_way_back_that_leaves_the_day_before_by_the_calendar(islands: Agency) -> None:
    """Out at noon of the 10th, there in the afternoon of the 9th, back in the evening."""
    out = islands.flies("SM11", "CXI-PPG", "2034-01-10 12:00", "2034-01-09 15:00")
    back = islands.flies("SM12", "PPG-CXI", "2034-01-09 20:00", "2034-01-11 01:00")
    quoted = await inventory.quote(islands.tenant, draft_of(out, back), TRIP)
    assert [line.split()[0] for line in quoted.lines] == ["SM11", "SM12"]
    assert quoted.lines[0].endswith("2034-01-10 12:00, arrives 2034-01-09 15:00 local time, 4 h")
    assert quoted.lines[1].endswith("local time, 4 h")


async def test_a_night_flight_checks_in_on_the_day_that_it_is_there(agency: Agency) -> None:
    agency.flies("SM91", "BER-TYO", f"{day(10)} 13:00", f"{day(11)} 09:00")
    agency.flies("SM92", "TYO-BER", f"{day(14)} 11:00", f"{day(14)} 17:00")
    agency.hotel("Sumida", 8, 12, place="TYO", usd=100)
    rosa = Traveller(agency)
    values = await rosa.say(f"Berlin to Tokyo, {day(10)} to {day(14)}, German passport, at most $900 in all")
    asked = await rosa.asked()
    assert asked["itinerary"][2] == f"Sumida, 1 room, {day(11)} to {day(14)}"
    assert (asked["amount_usd"], values["visa"]["requirement"]) == (500.0, "none")
    values = await rosa.answer(APPROVE)
    until, city = values["hold"]["expires_at"].split(", ")
    left = datetime.fromisoformat(until).replace(tzinfo=ZoneInfo("Europe/Berlin")) - datetime.now(UTC)
    assert timedelta(minutes=28) < left <= timedelta(minutes=30)
    assert city == "Berlin time"


@pytest.mark.parametrize(
    ("departs", "arrives", "takes"),
    [
        ("2034-01-10 23:00", "2034-01-11 01:00", "3 h"),
        (f"{SUMMER_BEGINS} 01:30", f"{SUMMER_BEGINS} 05:30", "4 h"),
        (f"{SUMMER_ENDS} 00:30", f"{SUMMER_ENDS} 03:30", "5 h"),
        (f"{SUMMER_BEGINS} 00:10", f"{SUMMER_BEGINS} 00:55", "1 h 45 min"),
    ],
)
async def test_how_long_a_flight_takes_when_clocks_are_changed(
    agency: Agency, departs: str, arrives: str, takes: str
) -> None:
    flight = agency.flies("SM11", "BER-LIS", departs, arrives)
    (line,) = (await inventory.quote(agency.tenant, draft_of(flight), TRIP)).lines
    assert line == f"SM11 Berlin to Lisbon, {departs}, arrives {arrives} local time, {takes}"


@pytest.mark.parametrize(
    ("departs", "arrives", "constraint"),
    [
        (f"{SUMMER_BEGINS} 02:30", f"{SUMMER_BEGINS} 08:00", "flights_departs"),
        (f"{SUMMER_BEGINS} 00:10", f"{SUMMER_BEGINS} 01:30", "flights_arrives"),
        ("2034-01-10 12:00", "2034-01-10 11:00", "flights_take_time"),
    ],
)
def test_a_time_that_no_clock_shows_is_no_flight(
    agency: Agency, departs: str, arrives: str, constraint: str
) -> None:
    with pytest.raises(CheckViolation) as refused:
        agency.flies("SM11", "BER-LIS", departs, arrives)
    assert refused.value.diag.constraint_name == constraint


def test_an_hour_that_comes_twice_is_told_apart_by_its_moment(agency: Agency) -> None:
    for number, moment in (("SM11", "00:30Z"), ("SM13", "01:30Z")):
        agency.execute(
            "insert into travel.flights (tenant, number, origin, destination, departs, arrives, leaves_at, price_usd, "
            "seats) values (%s, %s, 'BER', 'ROM', %s, %s, %s, 100, 9)",
            agency.tenant, number, f"{SUMMER_ENDS} 02:30", f"{SUMMER_ENDS} 05:00", f"{SUMMER_ENDS} {moment}",
        )  # fmt: skip
    found = agency.rows(
        "select lands_at - leaves_at as takes from travel.flights where tenant = %s order by number",
        agency.tenant,
    )
    assert [row["takes"] for row in found] == [timedelta(hours=3, minutes=30), timedelta(hours=2, minutes=30)]


def test_a_place_whose_zone_is_corrected_moves_its_flights(agency: Agency) -> None:
    agency.place("ZZA", "Somewhere", "UTC")
    agency.flies("SM11", "ZZA-LIS", "2034-01-10 12:00", "2034-01-10 20:00")
    agency.flies("SM12", "LIS-ZZA", "2034-01-12 12:00", "2034-01-12 20:00")
    agency.execute("update travel.places set zone = 'Asia/Kolkata' where code = 'ZZA'")
    found = agency.rows(
        "select departs::text, lands_at - leaves_at as takes from travel.flights where tenant = %s order by number",
        agency.tenant,
    )
    assert [row["takes"] for row in found] == [
        timedelta(hours=13, minutes=30),
        timedelta(hours=2, minutes=30),
    ]
    assert found[0]["departs"] == "2034-01-10 12:00:00"


@pytest.mark.parametrize("zone", ["CET", "Europe/Nowhere", "EST5EDT", "A/B+3", "+02:00", "", "europe/berlin"])
def test_what_is_no_zone_is_refused(agency: Agency, zone: str) -> None:
    with pytest.raises(psycopg.DataError if zone == "Europe/Nowhere" else CheckViolation):
        agency.place("ZZB", "Nowhere", zone)


@pytest.mark.parametrize(
    ("minutes", "said"), [(0, "0 min"), (45, "45 min"), (60, "1 h"), (800, "13 h 20 min"), (1500, "25 h")]
)
def test_how_long_in_words(minutes: int, said: str) -> None:
    assert lasting(minutes) == said
