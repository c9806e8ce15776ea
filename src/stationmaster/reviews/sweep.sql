-- name: due^
-- Take the turn to sweep, if it is due: one process at a time.
update reviews.sweep s set last_sweep_at = now()
from (select watermark, last_full_at, last_sweep_at from reviews.sweep for update) as before
where before.last_sweep_at is null or before.last_sweep_at <= now() - make_interval(secs => :every_s)
returning before.watermark,
    before.last_full_at is null or before.last_full_at <= now() - make_interval(secs => :full_every_s) as full;

-- name: unfinished_threads
-- Threads that somebody still has to answer on, or whose answers are on their way.
select distinct thread_id from reviews.reviews where phase in ('open', 'moving');

-- name: done
-- How far this sweep came, and the oldest change that nobody had told us.
update reviews.sweep set
    watermark = coalesce(:watermark, watermark),
    last_full_at = case when :full then now() else last_full_at end,
    lag_s = :lag_s;
