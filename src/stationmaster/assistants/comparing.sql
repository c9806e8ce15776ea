-- name: runs
-- Runs of a canary by arm: how many, on how many threads, how they ended, how long they took.
select arm,
    count(*)::int as runs,
    count(distinct thread_id)::int as threads,
    count(*) filter (where status in ('error', 'timeout'))::int as errors,
    percentile_cont(array[0.5, 0.95]) within group (order by extract(epoch from ended_at - started_at)::float8)
        filter (where status = 'success' and ended_at >= started_at) as seconds,
    array_agg(distinct version) filter (where version is not null) as versions,
    max(coalesce(ended_at, kept_at)) as last_at
from assistants.canary_runs
where canary_id = :canary_id
group by arm;

-- name: answers
-- What people said to the questions that runs of a canary asked, by arm. An edit is a yes with changes.
select arm,
    count(*)::int as asked,
    count(*) filter (where decided_by is not null)::int as decided,
    count(*) filter (where decision in ('approve', 'continue') and edits is null)::int as approved,
    count(*) filter (where decision = 'edit' or (decision = 'approve' and edits is not null))::int as edited,
    count(*) filter (where decision in ('reject', 'ignore'))::int as rejected,
    count(*) filter (where state = 'open')::int as waiting
from reviews.reviews
join assistants.canary_runs using (run_id)
where canary_id = :canary_id and not debug
group by arm;

-- name: newest_threads
-- The threads of each arm that ran last, up to :most an arm.
select arm, thread_id from (
    select arm, thread_id, row_number() over (partition by arm order by max(kept_at) desc, thread_id) as place
    from assistants.canary_runs
    where canary_id = :canary_id
    group by arm, thread_id
) as placed
where place <= :most;
