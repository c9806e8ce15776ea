-- name: accept
-- A new run under conditions, and the runs in flight on its thread.
SELECT * FROM server.accept_guarded(
    :guard, :run, :thread, :assistant, :kwargs, :metadata, :user, :strategy, :alone, :create, :after, :session,
    :filter, :assistant_filter, :worker, :origin, :cron, :slot, :notify, :ttl
);

-- name: mark
-- What changes with the thread's state, and a run in flight.
SELECT server.state_mark(:thread_id) AS mark, (
    SELECT r.run_id FROM server.runs r
    WHERE r.thread_id = :thread_id AND r.status IN ('pending', 'running') LIMIT 1
) AS busy;

-- name: spared
-- A slot that was used up without a run.
SELECT 1 AS yes FROM server.cron_slots WHERE cron_id = :cron_id AND slot = :slot AND run_id IS NULL;

-- name: of_key
-- What a key stands for; no thread where the run is gone.
SELECT k.request, k.run_id, r.thread_id FROM server.run_keys k LEFT JOIN server.runs r USING (run_id)
WHERE k.owner = :owner AND k.key = :key;

-- name: forget_keys
-- Keys that nobody repeats any more.
DELETE FROM server.run_keys WHERE created_at < now() - :keep * interval '1 second';
