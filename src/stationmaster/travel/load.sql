-- Each statement takes a JSON array of rows and returns a row for each one that it wrote: added or changed.

-- name: places(rows)
-- Adds places, or brings them up to date; where a row says nothing of other names, those that there are stay.
insert into travel.places as t (code, city, country, zone, aliases)
select code, city, country, zone, coalesce(aliases, '{}')
from jsonb_to_recordset(:rows) as r (code text, city text, country text, zone text, aliases text[])
on conflict (code) do update
set city = excluded.city, country = excluded.country, zone = excluded.zone,
    aliases = case when excluded.aliases = '{}' then t.aliases else excluded.aliases end
where (t.city, t.country, t.zone) is distinct from (excluded.city, excluded.country, excluded.zone)
   or excluded.aliases <> '{}' and excluded.aliases <> t.aliases
returning xmax = 0 as added;

-- name: flights(tenant, rows)
-- Adds flights, or brings arrival, price and seats up to date.
insert into travel.flights as t (tenant, number, origin, destination, departs, arrives, leaves_at, lands_at, price_usd, seats)
select :tenant, number, origin, destination, departs, arrives, leaves_at, lands_at, price_usd, seats
from jsonb_to_recordset(:rows) as r (
    number text, origin text, destination text, departs timestamp, arrives timestamp, leaves_at timestamptz,
    lands_at timestamptz, price_usd numeric, seats smallint
)
on conflict (tenant, number, departs) do update
set arrives = excluded.arrives, leaves_at = excluded.leaves_at, lands_at = excluded.lands_at,
    price_usd = excluded.price_usd, seats = excluded.seats
where (t.arrives, t.leaves_at, t.lands_at, t.price_usd, t.seats)
    is distinct from (excluded.arrives, excluded.leaves_at, excluded.lands_at, excluded.price_usd, excluded.seats)
returning xmax = 0 as added;

-- name: hotels(tenant, rows)
-- Adds hotels, or brings up to date how many sleep in a room.
insert into travel.hotels as t (tenant, place, name, sleeps)
select :tenant, place, name, sleeps
from jsonb_to_recordset(:rows) as r (place text, name text, sleeps smallint)
on conflict (tenant, place, name) do update set sleeps = excluded.sleeps
where t.sleeps <> excluded.sleeps
returning xmax = 0 as added;

-- name: nights(tenant, rows)
-- Adds a hotel's nights, or brings price and rooms up to date.
insert into travel.room_nights as t (hotel_id, tenant, night, price_usd, rooms)
select h.hotel_id, :tenant, r.night, r.price_usd, r.rooms
from jsonb_to_recordset(:rows) as r (place text, hotel text, night date, price_usd numeric, rooms smallint)
join travel.hotels h on h.tenant = :tenant and h.place = r.place and h.name = r.hotel
on conflict (hotel_id, night) do update set price_usd = excluded.price_usd, rooms = excluded.rooms
where (t.price_usd, t.rooms) is distinct from (excluded.price_usd, excluded.rooms)
returning xmax = 0 as added;

-- name: visas(rows)
-- Adds visa rules, or brings them up to date.
insert into travel.visa_rules as t (passport, destination, requirement, max_days, note)
select passport, destination, requirement, max_days, note
from jsonb_to_recordset(:rows) as r (passport text, destination text, requirement text, max_days smallint, note text)
on conflict (passport, destination) do update
set requirement = excluded.requirement, max_days = excluded.max_days, note = excluded.note
where (t.requirement, t.max_days, t.note) is distinct from (excluded.requirement, excluded.max_days, excluded.note)
returning xmax = 0 as added;
