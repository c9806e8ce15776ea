"""A small inventory in the form that `travel import` takes, ways to write and break it, and somebody who holds it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

FILES = {
    "places": [
        "code,city,country,zone,aliases",
        "OSL,Oslo,NO,Europe/Oslo,norway; Christiania",
        "HNL,Honolulu,US,Pacific/Honolulu,",
    ],
    "flights": [
        "number,origin,destination,departs,arrives,price_usd,seats",
        "NO71,OSL,HNL,2034-06-18 07:20,2034-06-18 13:20,640.50,9",
        "NO72,HNL,OSL,2034-06-25 18:00,2034-06-26 23:55,612,9",
    ],
    "hotels": ["place,name,sleeps", 'HNL,"Kahala, by the sea",2'],
    "nights": [
        "place,hotel,night,price_usd,rooms",
        'HNL,"Kahala, by the sea",2034-06-18,205,4',
        'HNL,"Kahala, by the sea",2034-06-19,205,4',
    ],
    "visas": [
        "passport,destination,requirement,max_days,note",
        "NO,US,eta,90,Apply for ESTA.",
        "IN,US,required,,",
    ],
}
ALL_NEW = {"places": 2, "flights": 2, "hotels": 1, "nights": 2, "visas": 2}


@dataclass
class Files:
    """The files in a directory: `rows` are lines, the first one the heading."""

    directory: Path
    rows: dict[str, list[str]] = field(
        default_factory=lambda: {name: list(lines) for name, lines in FILES.items()}
    )

    def write(self) -> Path:
        for name, lines in self.rows.items():
            (self.directory / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return self.directory

    def only(self, name: str, *lines: str) -> Path:
        """One file, with these rows below the right heading."""
        self.rows = {name: [FILES[name][0], *lines]}
        for path in self.directory.iterdir():
            path.unlink()
        return self.write()


def rows(uri: str, query: Any, *params: object) -> list[dict[str, Any]]:
    with psycopg.connect(uri) as conn, conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query, params).fetchall()


def sizes(uri: str) -> dict[str, int]:
    """How many rows the five tables have."""
    (row,) = rows(
        uri,
        "select (select count(*) from travel.places) as places, (select count(*) from travel.flights) as flights, "
        "(select count(*) from travel.hotels) as hotels, (select count(*) from travel.room_nights) as nights, "
        "(select count(*) from travel.visa_rules) as visas",
    )
    return row


_OFFER = """
insert into travel.offers (tenant, thread_id, turn, digest, traveller, travellers, outbound_id, inbound_id, hotel_id,
    check_in, check_out, rooms, visa, total_usd, hold_minutes)
select 'main', gen_random_uuid(), 1, repeat('a', 64), gen_random_uuid(), %(seats)s, a.flight_id, b.flight_id,
    h.hotel_id, '2034-06-18', '2034-06-20', %(rooms)s, 'none',
    (a.price_usd + b.price_usd) * %(seats)s + 2 * 205 * %(rooms)s, 30
from travel.flights a, travel.flights b, travel.hotels h
where a.number = 'NO71' and b.number = 'NO72' and 'main' = all(array[a.tenant, b.tenant, h.tenant])
returning offer_id"""


def hold(uri: str, *, seats: int, rooms: int) -> None:
    """Somebody holds seats of NO71 and NO72, and rooms of both nights."""
    with psycopg.connect(uri, autocommit=True) as conn:  # an offer is there before anybody says yes to it
        offer = conn.execute(_OFFER, {"seats": seats, "rooms": rooms}).fetchone()
        conn.execute(
            "insert into travel.agreements (offer_id, kind, agreed_by) values (%s, 'hold', 'rosa')", offer
        )
        conn.execute("insert into travel.holds (offer_id) values (%s)", offer)
