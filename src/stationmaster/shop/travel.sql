-- name: add_place(code, city, country, zone, aliases)!
-- A place that is flown to.
insert into travel.places (code, city, country, zone, aliases) values (:code, :city, :country, :zone, :aliases)
on conflict do nothing;

-- name: add_visa_rule(passport, destination, requirement, max_days, note)!
-- What holders of a passport need for a country.
insert into travel.visa_rules (passport, destination, requirement, max_days, note)
values (:passport, :destination, :requirement, :max_days, :note)
on conflict do nothing;

-- name: add_flights(number, origin, destination, leaves, hours, fare_usd, seats, days)!
-- A flight a day from tomorrow on, which takes so many hours; fuller days cost a quarter more. One that is there keeps
-- its price and its seats, and is put right about when it arrives.
insert into travel.flights as f (number, origin, destination, departs, arrives, price_usd, seats)
select :number, o.code, d.code, day + (:leaves)::time,
       ((day + (:leaves)::time) at time zone o.zone + make_interval(hours => :hours)) at time zone d.zone,
       round(:fare_usd * case when extract(isodow from day) >= 5 then 1.25 else 1 end, 2), :seats
from travel.places o, travel.places d, generate_series(1, :days) as ahead,
     lateral (select (now() at time zone o.zone)::date + ahead as day) as days
where o.code = :origin and d.code = :destination
on conflict (tenant, number, departs) do update set arrives = excluded.arrives
where f.arrives <> excluded.arrives and f.origin = excluded.origin and f.destination = excluded.destination;

-- name: add_hotel(place, name, sleeps)!
-- A hotel.
insert into travel.hotels (place, name, sleeps) values (:place, :name, :sleeps)
on conflict do nothing;

-- name: add_nights(place, name, price_usd, rooms, days)!
-- Its rooms from tonight on, night by night, priced as flights are.
insert into travel.room_nights (hotel_id, night, price_usd, rooms)
select hotel_id, night, round(:price_usd * case when extract(isodow from night) in (5, 6) then 1.25 else 1 end, 2), :rooms
from travel.hotels h
join travel.places p on p.code = h.place, generate_series(0, :days) as ahead,
     lateral (select (now() at time zone p.zone)::date + ahead as night) as nights
where h.tenant = 'main' and h.place = :place and h.name = :name
on conflict do nothing;
