-- name: readable
-- Whether the caller may see a thread.
SELECT 1 AS yes FROM server.threads WHERE thread_id = :thread_id AND server.passes(metadata, :filter);

-- name: standing
-- How a run stands, whether its events can be asked for again, and whether it was begun and ended a while ago: then
-- the event of its end must be there.
SELECT status, origin, epoch, coalesce((kwargs ->> 'resumable')::boolean, false) AS resumable,
    epoch > 0 AND updated_at < now() - interval '1 minute' AS long_ago FROM server.runs
WHERE run_id = :run_id AND thread_id = :thread_id;
