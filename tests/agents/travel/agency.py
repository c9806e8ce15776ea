"""The travel agency's tables as tests see them: a tenant of a test's own, its flights and rooms, and what is held."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from psycopg.rows import dict_row

TODAY = datetime.now(UTC).date()


def day(ahead: int) -> str:
    """The ISO date so many days from now."""
    return (TODAY + timedelta(days=ahead)).isoformat()


@dataclass(frozen=True)
class Agency:
    """What one tenant sells; `held` and `taken` count what is gone of it."""

    uri: str
    tenant: str

    def flight(
        self,
        number: str,
        ahead: int,
        *,
        usd: float = 100,
        seats: int = 9,
        way: str = "BER-LIS",
        at: str = "08:00",
    ) -> int:
        """Add a flight so many days from now; its id."""
        origin, destination = way.split("-")
        departs = f"{day(ahead)} {at}"
        return self.one(
            "insert into travel.flights (tenant, number, origin, destination, departs, arrives, price_usd, seats) "
            "values (%s, %s, %s, %s, %s, %s::timestamp + interval '3 hours', %s, %s) returning flight_id",
            self.tenant, number, origin, destination, departs, departs, usd, seats,
        )["flight_id"]  # fmt: skip

    def place(self, code: str, city: str, zone: str, country: str = "KI") -> None:
        """A place beside the demo's; all tests share them."""
        self.execute(
            "insert into travel.places (code, city, country, zone) values (%s, %s, %s, %s) on conflict do nothing",
            code, city, country, zone,
        )  # fmt: skip

    def flies(self, number: str, way: str, departs: str, arrives: str, *, usd: float = 100) -> int:
        """Add a flight by the clocks of its places; its id."""
        origin, destination = way.split("-")
        return self.one(
            "insert into travel.flights (tenant, number, origin, destination, departs, arrives, price_usd, seats) "
            "values (%s, %s, %s, %s, %s, %s, %s, 9) returning flight_id",
            self.tenant, number, origin, destination, departs, arrives, usd,
        )["flight_id"]  # fmt: skip

    def share(self, *, holds: int = 5, seats: int = 18) -> None:
        """How much one of its travellers may have held at once."""
        self.execute(
            "insert into travel.limits (tenant, max_holds, max_seats) values (%s, %s, %s)",
            self.tenant,
            holds,
            seats,
        )

    def let_expire(self) -> None:
        """The time of all that is held is over; nobody has looked yet."""
        self.execute("alter table travel.holds disable trigger holds_move")
        self.execute(
            "update travel.holds set expires_at = now() where tenant = %s and status = 'held'", self.tenant
        )
        self.execute("alter table travel.holds enable trigger holds_move")

    def hotel(
        self,
        name: str,
        ahead: int,
        nights: int,
        *,
        usd: float = 50,
        rooms: int = 5,
        place: str = "LIS",
        sleeps: int = 2,
    ) -> int:
        """Add a hotel with rooms from so many days from now on; its id."""
        hotel_id = self.one(
            "insert into travel.hotels (tenant, place, name, sleeps) values (%s, %s, %s, %s) returning hotel_id",
            self.tenant, place, name, sleeps,
        )["hotel_id"]  # fmt: skip
        for night in range(nights):
            self.execute(
                "insert into travel.room_nights (hotel_id, tenant, night, price_usd, rooms) "
                "values (%s, %s, %s, %s, %s)",
                hotel_id, self.tenant, day(ahead + night), usd, rooms,
            )  # fmt: skip
        return hotel_id

    def week(self, *, seats: int = 9, rooms: int = 5) -> None:
        """A small offer: out in 10 days for $100, back in 14 for $120, a hotel for $50 a night; and dearer ones."""
        self.flight("SM11", 10, seats=seats)
        self.flight("SM13", 10, usd=180, seats=seats, at="17:00")
        self.flight("SM12", 14, usd=120, seats=seats, way="LIS-BER")
        self.hotel("Casa", 8, 12, rooms=rooms)
        self.hotel("Palacio", 8, 12, usd=190, rooms=rooms)

    def holds(self, thread_id: str | None = None) -> list[dict[str, Any]]:
        """The tenant's holds, or a thread's, oldest first."""
        return self.rows(
            "select * from travel.holds where tenant = %s and thread_id = coalesce(%s, thread_id) order by 1",
            self.tenant, thread_id,
        )  # fmt: skip

    def statuses(self, thread_id: str | None = None) -> list[str]:
        return [row["status"] for row in self.holds(thread_id)]

    def taken(self) -> tuple[int, int]:
        """Seats and room nights that are gone."""
        row = self.one(
            "select (select coalesce(sum(taken), 0) from travel.flights where tenant = %s)::int as seats, "
            "(select coalesce(sum(taken), 0) from travel.room_nights where tenant = %s)::int as nights",
            self.tenant, self.tenant,
        )  # fmt: skip
        return row["seats"], row["nights"]

    def offers(self, thread_id: str) -> list[dict[str, Any]]:
        return self.rows(
            "select * from travel.offers where tenant = %s and thread_id = %s order by 1",
            self.tenant,
            thread_id,
        )

    def agreements(self, thread_id: str) -> list[tuple[str, str]]:
        """Kind and name of each yes on a thread."""
        found = self.rows(
            "select kind, agreed_by from travel.agreements join travel.offers using (offer_id) where tenant = %s "
            "and thread_id = %s order by agreed_at",
            self.tenant,
            thread_id,
        )
        return [(row["kind"], row["agreed_by"]) for row in found]

    def dead_letters(self, thread_id: str) -> list[dict[str, Any]]:
        return self.rows("select * from shop.dead_letters where thread_id = %s order by 1", thread_id)

    def price(self, number: str, usd: float) -> None:
        """A flight costs something else from now on."""
        self.execute(
            "update travel.flights set price_usd = %s where tenant = %s and number = %s",
            usd,
            self.tenant,
            number,
        )

    def execute(self, statement: Any, *params: object) -> None:
        with psycopg.connect(self.uri) as conn:
            conn.execute(statement, params)

    def rows(self, query: Any, *params: object) -> list[dict[str, Any]]:
        with psycopg.connect(self.uri) as conn, conn.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query, params).fetchall()

    def one(self, query: Any, *params: object) -> dict[str, Any]:
        (row,) = self.rows(query, *params)
        return row
