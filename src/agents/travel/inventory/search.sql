-- name: place(name)^
-- A place by its code, its city, or another name of it.
select code, city, country, zone from travel.places
where code = upper(:name) or lower(city) = lower(:name) or lower(:name) = any(aliases)
order by code limit 1;

-- name: cities()
-- All places, for whoever asked for one that is not there.
select city from travel.places order by city;

-- name: flights(tenant, origin, destination, day, seats, most)
-- Flights of a day (by the clock of the place that they leave) with enough seats, cheapest first.
select flight_id, number, origin, destination, departs, arrives, leaves_at, lands_at, price_usd, seats - taken as seats_left
from travel.flights
where tenant = :tenant and origin = :origin and destination = :destination
  and departs >= (:day)::date and departs < (:day)::date + 1 and leaves_at > now() and seats - taken >= :seats
order by price_usd, departs
limit :most;

-- name: nearby(tenant, origin, destination, depart_on, return_on, days, seats)
-- The cheapest fare there (and back, the same number of days later) on the days around, as far as there are seats.
with shifts as (select shift from generate_series(-(:days)::int, (:days)::int) as shift where shift <> 0),
fares as (
    select shift,
        (select min(price_usd) from travel.flights
         where tenant = :tenant and origin = :origin and destination = :destination and seats - taken >= :seats
           and departs >= (:depart_on)::date + shift and departs < (:depart_on)::date + shift + 1
           and leaves_at > now()) as there,
        (select min(price_usd) from travel.flights
         where tenant = :tenant and origin = :destination and destination = :origin and seats - taken >= :seats
           and departs >= (:return_on)::date + shift and departs < (:return_on)::date + shift + 1) as back
    from shifts
)
select (:depart_on)::date + shift as depart_on, (:return_on)::date + shift as return_on,
       there + coalesce(back, 0) as fare_usd
from fares
where there is not null and ((:return_on)::date is null or back is not null)
order by fare_usd, abs(shift), shift;

-- name: stays(tenant, place, check_in, check_out, travellers, most)
-- Hotels with enough rooms in every night, cheapest first.
select h.hotel_id, h.name, ceil((:travellers)::numeric / h.sleeps)::int as rooms,
       sum(n.price_usd) * ceil((:travellers)::numeric / h.sleeps) as total_usd
from travel.hotels h
join travel.room_nights n using (hotel_id)
where h.tenant = :tenant and h.place = :place and n.night >= (:check_in)::date and n.night < (:check_out)::date
  and n.rooms - n.taken >= ceil((:travellers)::numeric / h.sleeps)
group by h.hotel_id, h.name, h.sleeps
having count(*) = (:check_out)::date - (:check_in)::date
order by total_usd, h.name
limit :most;
