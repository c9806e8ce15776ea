-- name: open
-- What is at work or waits for a person or for its turn, of one cron, oldest first.
select * from crons.ticks where cron = :cron and outcome in ('running', 'waiting', 'queued') order by id;

-- name: at_slot^
-- What was decided for a slot.
select * from crons.ticks where cron = :cron and planned_at = :planned_at and outcome <> 'lost';

-- name: decided
-- Slots from this one on that were decided already; a row of missed ones stands for all between its two times.
select planned_at, last_planned_at from crons.ticks
where cron = :cron and outcome <> 'lost' and last_planned_at >= :since;

-- name: add^
-- Note a tick; nothing when the slot is decided already, or another one waits for its turn.
insert into crons.ticks (
    cron, cron_id, assistant_id, trigger, planned_at, last_planned_at, slots, at, outcome, reason, run_id, thread_id,
    fresh, keep_days, started_by, ended_at)
values (
    :cron, :cron_id, :assistant_id, :trigger, :planned_at, :last_planned_at, :slots, :at, :outcome, :reason, :run_id,
    :thread_id, :fresh, :keep_days, :started_by,
    case when :outcome in ('running', 'waiting', 'queued') then null else CAST(:at as timestamptz) end)
on conflict do nothing
returning *;

-- name: start_queued^
-- The turn of a slot that waited has come: it has this run now. Nothing when somebody else was faster.
update crons.ticks set outcome = 'running', reason = null, run_id = :run_id, thread_id = :thread_id, at = now(), look_at = now()
where id = :id and outcome = 'queued'
returning *;

-- name: drop_queued^
-- A slot that waited will not come to its turn.
update crons.ticks set outcome = 'skipped', reason = :reason, ended_at = now()
where id = :id and outcome = 'queued'
returning *;

-- name: settle^
-- What became of a run. A tick that has ended stays as it is.
update crons.ticks set
    outcome = :outcome, reason = :reason, thread_id = coalesce(:thread_id, thread_id),
    ended_at = case when :outcome in ('running', 'waiting') then null else now() end,
    look_at = now() + make_interval(secs => :pause_s)
where id = :id and outcome in ('running', 'waiting')
returning *;

-- name: due
-- Open ticks that should be looked at, taken for a while: another process takes others.
update crons.ticks t set look_at = now() + interval '30 seconds'
from (
    select id from crons.ticks where outcome in ('running', 'waiting') and look_at <= now()
    order by look_at limit :limit for update skip locked
) as taken
where t.id = taken.id
returning t.*;

-- name: unfinished
-- Runs of all crons that have not ended.
select * from crons.ticks where outcome in ('running', 'waiting') order by id;

-- name: get^
-- One tick.
select * from crons.ticks where id = :id;

-- name: queued
-- Slots that wait for their turn.
select * from crons.ticks where outcome = 'queued' order by id;

-- name: page_of
-- A page of one cron's ticks, newest first, older than `before`.
select * from crons.ticks where cron = :cron and id < :before order by id desc limit :limit;

-- name: page_of_all
-- A page of all ticks, newest first, older than `before`.
select * from crons.ticks where id < :before order by id desc limit :limit;

-- name: newest
-- The newest tick of each of these crons, whatever became of it.
select tick.* from unnest(:crons::text[]) as named(cron)
cross join lateral (select * from crons.ticks where ticks.cron = named.cron order by id desc limit 1) as tick;

-- name: recent_ends
-- How the last `most` runs of each of these crons ended, newest first.
select tick.* from unnest(:crons::text[]) as named(cron)
cross join lateral (
    select * from crons.ticks
    where ticks.cron = named.cron and outcome in ('success', 'error', 'cancelled', 'lost', 'waiting')
    order by id desc limit :most) as tick
order by tick.cron, tick.id desc;

-- name: ripe
-- Threads that crons made for themselves, whose runs ended longer ago than they are kept.
select * from crons.ticks
where fresh and pruned_at is null and thread_id is not null
    and ended_at <= :now - make_interval(days => keep_days) and id > :after
order by id limit :limit;

-- name: pruned
-- The thread of this tick is gone.
update crons.ticks set pruned_at = now() where id = :id;

-- name: forget
-- The record of slots of long ago, once their threads are gone.
delete from crons.ticks
where ended_at < now() - make_interval(days => :days) and (not fresh or pruned_at is not null or thread_id is null);
