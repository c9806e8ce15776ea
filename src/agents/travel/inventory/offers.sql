-- name: flights_of(tenant, ids)
-- The flights of an offer, in the order in which they are flown.
select f.flight_id, f.number, f.departs, f.arrives, f.leaves_at, f.lands_at, f.price_usd, f.seats - f.taken as seats_left,
       o.city as origin, d.city as destination, o.country as origin_country, d.country, f.origin as origin_code, f.destination as destination_code,
       f.leaves_at > now() as to_come
from travel.flights f
join travel.places o on o.code = f.origin
join travel.places d on d.code = f.destination
where f.tenant = :tenant and f.flight_id = any(:ids)
order by f.leaves_at;

-- name: stay_of(tenant, hotel_id, check_in, check_out)^
-- A hotel with its nights: how many there are, what a room costs for all of them, how many are free in each.
select h.name, h.sleeps, h.place, count(n.night) as nights, sum(n.price_usd) as usd, min(n.rooms - n.taken) as rooms_left
from travel.hotels h
left join travel.room_nights n
  on n.hotel_id = h.hotel_id and n.night >= (:check_in)::date and n.night < (:check_out)::date
where h.tenant = :tenant and h.hotel_id = :hotel_id
group by h.hotel_id;

-- name: newest(tenant, thread_id)^
-- What was offered last on the thread, and whether somebody has agreed to it.
select o.*, exists (select from travel.agreements a where a.offer_id = o.offer_id and a.kind = 'hold') as agreed
from travel.offers o
where o.tenant = :tenant and o.thread_id = :thread_id
order by o.offer_id desc
limit 1;

-- name: traveller(tenant, thread_id, turn, for_others)^
-- Who asked first in this request. Somebody who answers for others goes on for whoever was asked last on the thread.
select traveller from travel.offers
where tenant = :tenant and thread_id = :thread_id and (turn = :turn or :for_others)
order by turn = :turn desc, case when turn = :turn then offer_id else -offer_id end
limit 1;

-- name: keep(tenant, thread_id, turn, digest, traveller, travellers, outbound_id, inbound_id, hotel_id, check_in, check_out, rooms, visa, total_usd, hold_minutes, max_holds)!
-- What the traveller is shown.
insert into travel.offers (tenant, thread_id, turn, digest, traveller, travellers, outbound_id, inbound_id, hotel_id,
    check_in, check_out, rooms, visa, total_usd, hold_minutes, max_holds)
values (:tenant, :thread_id, :turn, :digest, :traveller, :travellers, :outbound_id, :inbound_id, :hotel_id,
    :check_in, :check_out, :rooms, :visa, :total_usd, :hold_minutes, :max_holds);
