-- name: store
-- Keep deliveries, each once: a repeated one is counted on the first. Tells the workers of new ones. In the order of
-- their keys, so that two processes with the same ones can't wait for each other. Of runs under a canary it is kept
-- how they ended, in the same statement: the delivery itself is forgotten some day.
with stored as (
    insert into webhooks.deliveries
        (dedup_key, sender, body, state, thread_id, run_id, run_status, error, repeats)
    select * from unnest(
        :dedup_key::text[], :sender::text[], :body::bytea[], :state::text[], :thread_id::text[], :run_id::text[],
        :run_status::text[], :error::text[], :repeats::integer[]
    ) as given (dedup_key, sender, body, state, thread_id, run_id, run_status, error, repeats)
    order by dedup_key
    on conflict (dedup_key) do update set repeats = deliveries.repeats + excluded.repeats + 1
    returning xmax = 0 as is_new
),
of_canaries as (
    insert into assistants.canary_runs
        (run_id, thread_id, canary_id, arm, assistant, version, status, created_at, started_at, ended_at)
    select run_id, thread_id, canary_id, arm, assistant, version, run_status, created_at, started_at, ended_at
    from unnest(
        :run_id::text[], :thread_id::text[], :canary_id::text[], :arm::text[], :assistant::text[],
        :version::integer[], :run_status::text[], :created_at::timestamptz[], :started_at::timestamptz[],
        :ended_at::timestamptz[]
    ) as given (
        run_id, thread_id, canary_id, arm, assistant, version, run_status, created_at, started_at, ended_at)
    where canary_id is not null
    order by run_id
    on conflict (run_id) do nothing
)
select pg_notify('webhooks', '') where exists (select from stored where is_new);

-- name: count_refusals
-- Add to the counts of this hour.
insert into webhooks.refusals (reason, hour, n)
select reason, date_trunc('hour', now()), n from unnest(:reasons::text[], :counts::bigint[]) as refused (reason, n)
on conflict (reason, hour) do update set n = refusals.n + excluded.n;

-- name: claim
-- Take what is due, the oldest first, for a while: whoever dies with it gives it back by the clock.
with due as materialized (
    select delivery_id from webhooks.deliveries
    where state = 'new' and next_try_at <= now() and (worked_until is null or worked_until < now())
    order by next_try_at, delivery_id
    limit :amount
    for update skip locked
)
update webhooks.deliveries
set tries = tries + 1, worked_until = now() + make_interval(secs => :lease_s)
from due where deliveries.delivery_id = due.delivery_id
returning deliveries.delivery_id, thread_id, run_id, tries;

-- name: finish
-- Worked on: the thread was read after these had come.
update webhooks.deliveries set state = 'done', done_at = now(), worked_until = null, error = null
where delivery_id = any(:delivery_ids) and state = 'new';

-- name: postpone
-- Did not work out; the reason is shown, and it is tried again after a pause that doubles.
update webhooks.deliveries
set worked_until = null, error = :error,
    next_try_at = now() + make_interval(secs => least(:cap_s, :base_s * power(2, tries - 1)))
where delivery_id = any(:delivery_ids) and state = 'new';

-- name: hold
-- Not its fault: the Agent Server is away. Tried again after a pause, and this try does not count.
update webhooks.deliveries
set worked_until = null, error = :error, tries = tries - 1, next_try_at = now() + make_interval(secs => :pause_s)
where delivery_id = any(:delivery_ids) and state = 'new';

-- name: give_up
-- Never works out: kept with the reason, for a person to look at.
update webhooks.deliveries set state = 'failed', worked_until = null, error = :error
where delivery_id = any(:delivery_ids) and state = 'new';

-- name: retry
-- A person wants another try of one that failed.
update webhooks.deliveries set state = 'new', tries = 0, next_try_at = now(), error = null
where delivery_id = :delivery_id and state = 'failed'
returning delivery_id, pg_notify('webhooks', '');

-- name: forget
-- Drop the bodies of long ago; what failed or could not be read stays longer.
delete from webhooks.deliveries
where (state = 'done' and done_at < now() - make_interval(days => :done_days))
   or (state in ('failed', 'unreadable') and received_at < now() - make_interval(days => :bad_days));

-- name: forget_canaries
-- Drop how runs of canaries of long ago ended.
delete from assistants.canary_runs where kept_at < now() - make_interval(days => :days);
