-- name: renew
-- Still in hand: a worker that says so no more has died.
update reviews.reviews set worked_until = now() + make_interval(secs => :lease_s)
where id = any(:ids::uuid[]) and worked_by = :worker and worked_until > now() and phase = 'moving';
