-- name: free_expired()
-- What nobody came back for is no longer held.
select travel.expire();

-- name: zones()
-- The places that are known, and their time zones.
select code, zone from travel.places;

-- name: hotels_of(tenant)
-- The hotels of an agency.
select place, name from travel.hotels where tenant = :tenant;

-- name: lock_flights(tenant, rows)
-- Flights that an import is about to change, in the order in which holds take them.
select from travel.flights
where tenant = :tenant and (number, departs) in (
    select number, departs from jsonb_to_recordset(:rows) as r (number text, departs timestamp)
)
order by flight_id for update;

-- name: lock_nights(tenant, rows)
-- The same of rooms.
select from travel.room_nights n
join travel.hotels h using (hotel_id)
where h.tenant = :tenant and (h.place, h.name, n.night) in (
    select place, hotel, night from jsonb_to_recordset(:rows) as r (place text, hotel text, night date)
)
order by n.hotel_id, n.night for update of n;

-- name: flight_conflicts(tenant, rows)
-- Rows that would take seats from who has them, or make another flight of one: place of the row, what is wrong.
select n.row, format('origin: the agency has this flight from %%s to %%s, and it stays what it is: take another number',
                     f.origin, f.destination) as what
from jsonb_to_recordset(:rows) as n (row integer, number text, departs timestamp, origin text, destination text)
join travel.flights f on f.tenant = :tenant and f.number = n.number and f.departs = n.departs
where (f.origin, f.destination) <> (n.origin, n.destination)
union all
select n.row, format('seats: %%s are held or sold, so it can''t be %%s', f.taken, n.seats)
from jsonb_to_recordset(:rows) as n (row integer, number text, departs timestamp, seats integer)
join travel.flights f on f.tenant = :tenant and f.number = n.number and f.departs = n.departs
where f.taken > n.seats;

-- name: night_conflicts(tenant, rows)
-- The same of rooms.
select n.row, format('rooms: %%s are held or sold, so it can''t be %%s', r.taken, n.rooms) as what
from jsonb_to_recordset(:rows) as n (row integer, place text, hotel text, night date, rooms integer)
join travel.hotels h on h.tenant = :tenant and h.place = n.place and h.name = n.hotel
join travel.room_nights r on r.hotel_id = h.hotel_id and r.night = n.night
where r.taken > n.rooms;

-- name: hotel_conflicts(tenant, rows)
-- Hotels whose rooms would become too small for who has them.
select n.row, format('sleeps: %%s sleep in rooms that are held or sold, so it can''t be %%s', h.sleeps, n.sleeps) as what
from jsonb_to_recordset(:rows) as n (row integer, place text, name text, sleeps integer)
join travel.hotels h on h.tenant = :tenant and h.place = n.place and h.name = n.name
where n.sleeps < h.sleeps
  and exists (select from travel.room_nights r where r.hotel_id = h.hotel_id and r.taken > 0 and r.night >= current_date - 1);
