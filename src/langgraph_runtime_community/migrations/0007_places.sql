-- A run that was begun keeps its place: one that waits for its next attempt is not overtaken by those behind it, which
-- would go on from its half state. What waits on a thread has one order, whatever the hour: those that were begun,
-- then by the time of their making, which for a run that was put off is the time that it was put off to.
CREATE OR REPLACE FUNCTION server.claim_runs(p_worker uuid, p_limit integer) RETURNS SETOF server.runs
LANGUAGE sql AS $$
    UPDATE server.runs r SET
        status = 'running', worker_id = p_worker, claimed_at = clock_timestamp(), updated_at = clock_timestamp(),
        attempt = r.attempt + 1, epoch = r.epoch + 1, stream_base = server.stream_base(r.thread_id)
    FROM (
        SELECT run_id FROM server.runs p
        WHERE p.status = 'pending' AND p.due_at <= now()
            AND NOT EXISTS (SELECT FROM server.runs o WHERE o.thread_id = p.thread_id AND o.status = 'running')
            AND NOT EXISTS (
                SELECT FROM server.runs o
                WHERE o.thread_id = p.thread_id AND o.status = 'pending'
                    AND (o.epoch = 0, o.created_at, o.run_id) < (p.epoch = 0, p.created_at, p.run_id)
            )
        ORDER BY p.due_at, p.run_id LIMIT p_limit FOR UPDATE SKIP LOCKED
    ) picked
    WHERE r.run_id = picked.run_id RETURNING r.*
$$;
