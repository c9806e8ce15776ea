-- name: expire()!
-- What nobody came back for is free again. Rows that somebody else is at work on are theirs to end.
update travel.holds set status = 'expired'
where hold_id in (
    select hold_id from travel.holds where status = 'held' and expires_at <= now() order by hold_id for update skip locked
);

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

-- name: hold(offer_id)^
-- Takes the seats and rooms of an offer; all else of the row is the offer's.
insert into travel.holds (offer_id) values (:offer_id)
returning *;

-- name: offer_of(hold_id)^
-- The offer that a hold was made of.
select o.* from travel.offers o join travel.holds h using (offer_id) where h.hold_id = :hold_id;
