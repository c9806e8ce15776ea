-- name: readable
-- Whether the caller may see a thread.
SELECT 1 AS yes FROM server.threads WHERE thread_id = :thread_id AND server.passes(metadata, :filter);

-- name: standing
-- How a run stands, and whether its events can be asked for again.
SELECT status, origin, epoch, coalesce((kwargs ->> 'resumable')::boolean, false) AS resumable FROM server.runs
WHERE run_id = :run_id AND thread_id = :thread_id;
