-- name: add_place(code, city, country, aliases)!
-- A place that is flown to.
insert into travel.places (code, city, country, aliases) values (:code, :city, :country, :aliases)
on conflict do nothing;

-- name: add_visa_rule(passport, destination, requirement, max_days, note)!
-- What holders of a passport need for a country.
insert into travel.visa_rules (passport, destination, requirement, max_days, note)
values (:passport, :destination, :requirement, :max_days, :note)
on conflict do nothing;

-- name: add_flights(number, origin, destination, leaves, hours, fare_usd, seats, days)!
-- A flight a day from tomorrow on; fuller days cost a quarter more.
insert into travel.flights (number, origin, destination, departs, arrives, price_usd, seats)
select :number, :origin, :destination, day + (:leaves)::time, day + (:leaves)::time + make_interval(hours => :hours),
       round(:fare_usd * case when extract(isodow from day) >= 5 then 1.25 else 1 end, 2), :seats
from generate_series(current_date + 1, current_date + :days, '1 day') as day
on conflict do nothing;

-- name: add_hotel(place, name, sleeps)^
-- A hotel; no row comes back when it is there already.
insert into travel.hotels (place, name, sleeps) values (:place, :name, :sleeps)
on conflict do nothing
returning hotel_id;

-- name: add_nights(hotel_id, price_usd, rooms, days)!
-- Its rooms, night by night, priced as flights are.
insert into travel.room_nights (hotel_id, night, price_usd, rooms)
select :hotel_id, night::date,
       round(:price_usd * case when extract(isodow from night) in (5, 6) then 1.25 else 1 end, 2), :rooms
from generate_series(current_date, current_date + :days, '1 day') as night
on conflict do nothing;
