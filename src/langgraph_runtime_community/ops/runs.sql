-- name: accept
-- A new run, and the runs in flight on its thread.
SELECT * FROM server.accept_run(
    :run, :thread, :assistant, :kwargs, :metadata, :user, :strategy, :alone, :create, :after, :session,
    :filter, :assistant_filter, :worker, :origin, :cron, :slot, :notify, :ttl
);

-- name: find
-- One run of a thread, if the caller may see the thread.
SELECT r.run_id, r.thread_id, r.assistant_id, r.created_at, r.updated_at, r.status, r.metadata, r.kwargs,
    r.multitask_strategy, r.langsmith_session_name
FROM server.runs r JOIN server.threads t USING (thread_id)
WHERE r.run_id = :run_id AND r.thread_id = :thread_id AND server.passes(t.metadata, :filter);

-- name: search
-- The runs of a thread, newest first.
SELECT r.run_id, r.thread_id, r.assistant_id, r.created_at, r.updated_at, r.status, r.metadata, r.kwargs,
    r.multitask_strategy, r.langsmith_session_name
FROM server.runs r JOIN server.threads t USING (thread_id)
WHERE r.thread_id = :thread_id AND (:status::text IS NULL OR r.status = :status::text)
    AND r.metadata @> :metadata::jsonb AND server.passes(t.metadata, :filter)
ORDER BY r.created_at DESC, r.run_id DESC LIMIT :limit OFFSET :offset;

-- name: delete
-- A run with what it left in the checkpoints, if the caller may see its thread.
SELECT deleted, undone FROM server.delete_run(:run_id, :thread_id, :filter);

-- name: stats
-- How long the queue is, and how long runs have waited in it, in seconds.
SELECT
    count(*) FILTER (WHERE status = 'pending') AS n_pending,
    count(*) FILTER (WHERE status = 'running') AS n_running,
    max(waited) AS pending_runs_wait_time_max_secs,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY waited) AS pending_runs_wait_time_med_secs,
    max(waited) FILTER (WHERE unblocked AND waited > 0) AS pending_unblocked_runs_wait_time_max_secs
FROM (
    SELECT r.status,
        CASE WHEN r.status = 'pending' THEN extract(epoch FROM now() - r.created_at)::double precision END AS waited,
        NOT EXISTS (
            SELECT FROM server.runs o WHERE o.thread_id = r.thread_id AND o.status = 'running'
        ) AS unblocked
    -- Apart, so that each has its index.
    FROM (
        SELECT * FROM server.runs WHERE status = 'pending' UNION ALL SELECT * FROM server.runs WHERE status = 'running'
    ) r
) q;

-- name: claim
-- Runs for this worker.
SELECT * FROM server.claim_runs(:worker, :limit);

-- name: has_saved
-- Whether a run has saved a checkpoint of its own: then it goes on from there; and whether a task has taken its answer.
SELECT EXISTS (
    SELECT FROM public.checkpoints
    WHERE thread_id = :thread_id::text AND checkpoint_ns = '' AND metadata ->> 'run_id' = :run_id::text
) AS yes, EXISTS (
    SELECT FROM public.checkpoint_writes
    WHERE thread_id = :thread_id::text AND run_id = :run_id::uuid AND channel = '__resume__'
        AND task_id <> '00000000-0000-0000-0000-000000000000'
) AS answered;

-- name: forget_answer
-- The answer that is for whichever question comes next, of a run that has used it.
DELETE FROM public.checkpoint_writes
WHERE thread_id = :thread_id::text AND run_id = :run_id::uuid AND channel = '__resume__'
    AND task_id = '00000000-0000-0000-0000-000000000000'
    AND EXISTS (SELECT FROM server.runs r WHERE r.run_id = :run_id::uuid AND r.epoch = :epoch AND r.status = 'running');
