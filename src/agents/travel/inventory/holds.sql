-- name: expire()!
-- What nobody came back for is free again.
select travel.expire();

-- name: agree(offer_id, kind, agreed_by)!
-- The traveller's yes to an offer.
insert into travel.agreements (offer_id, kind, agreed_by) values (:offer_id, :kind, :agreed_by)
on conflict do nothing;

-- name: one_at_a_time(tenant, thread_id)
-- Two runs for one thread make one hold.
select pg_advisory_xact_lock(hashtextextended('travel:' || :tenant || ':' || :thread_id, 0));

-- name: by_key(tenant, key)^
-- The hold of a request, if there is one.
select * from travel.holds where tenant = :tenant and key = :key;

-- name: live(tenant, thread_id)^
-- What is held for a thread.
select * from travel.holds
where tenant = :tenant and thread_id = :thread_id and status = 'held' and expires_at > now();

-- name: let_go(tenant, thread_id)^
-- Ends what is held for a thread; no row comes back where nothing is.
update travel.holds set status = 'released'
where tenant = :tenant and thread_id = :thread_id and status = 'held'
returning *;

-- name: one_traveller_at_a_time(tenant, traveller)
-- As the table does for a hold; here before anything of the thread's earlier one is touched.
select pg_advisory_xact_lock(hashtextextended('travel.holds:' || :tenant || ':' || :traveller, 0));

-- name: lock_hold(tenant, thread_id)
-- What is held for a thread, before its seats: so does whoever ends it because it expired.
select from travel.holds where tenant = :tenant and thread_id = :thread_id and status = 'held' for update;

-- name: lock_flights(tenant, thread_id, offer_id)
-- The flights that a thread gives back and takes, all in one order: else two that change places wait for each other.
select from travel.flights
where flight_id in (
    select unnest(array[outbound_id, inbound_id]) from travel.offers
    where offer_id = :offer_id or offer_id in (
        select offer_id from travel.holds where tenant = :tenant and thread_id = :thread_id and status = 'held'
    )
)
order by flight_id for update;

-- name: lock_nights(tenant, thread_id, offer_id)
-- The same of rooms.
select from travel.room_nights n
where exists (
    select from travel.offers o
    where n.hotel_id = o.hotel_id and n.night >= o.check_in and n.night < o.check_out
      and (o.offer_id = :offer_id or o.offer_id in (
          select offer_id from travel.holds where tenant = :tenant and thread_id = :thread_id and status = 'held'
      ))
)
order by hotel_id, night for update;

-- name: hold(offer_id)^
-- Takes the seats and rooms of an offer; all else of the row is the offer's.
insert into travel.holds (offer_id) values (:offer_id)
returning *;

-- name: offer_of(hold_id)^
-- The offer that a hold was made of, and where its trip begins.
select o.*, p.city, p.zone
from travel.offers o
join travel.holds h using (offer_id)
join travel.flights f on f.flight_id = o.outbound_id
join travel.places p on p.code = f.origin
where h.hold_id = :hold_id;

-- name: share_exceeded(offer_id)^
-- Why an offer's traveller can't hold it beside their other trips.
select travel.share_exceeded(o) as says from travel.offers o where o.offer_id = :offer_id;

-- name: others_held(tenant, traveller, thread_id)
-- What a traveller has held on other threads, the first to end first.
select h.hold_id, h.expires_at, o.city as origin, d.city as destination, o.zone
from travel.holds h
join travel.offers made using (offer_id)
join travel.flights f on f.flight_id = made.outbound_id
join travel.places o on o.code = f.origin
join travel.places d on d.code = f.destination
where h.tenant = :tenant and h.traveller = :traveller and h.status = 'held' and h.expires_at > now()
  and h.thread_id <> :thread_id
order by h.expires_at, h.hold_id
limit 20;
