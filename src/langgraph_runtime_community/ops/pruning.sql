-- name: delete
-- A thread with whatever there is of it.
SELECT server.delete_thread(:thread_id, false) AS deleted;

-- name: expired
-- Threads past their time to live. One at work or with a pending question is left alone; whether there is one says
-- the newest checkpoint too, for the row may have been left behind.
SELECT t.thread_id, t.ttl_strategy FROM server.threads t
WHERE t.expires_at < now() AND t.status IN ('idle', 'error') AND t.interrupts = '{}' AND NOT EXISTS (
    SELECT FROM public.checkpoint_writes w
    WHERE w.thread_id = t.thread_id::text AND w.checkpoint_ns = '' AND w.channel = '__interrupt__'
        AND w.checkpoint_id = (
            SELECT max(c.checkpoint_id) FROM public.checkpoints c
            WHERE c.thread_id = w.thread_id AND c.checkpoint_ns = ''
        )
)
ORDER BY t.expires_at LIMIT :limit;

-- name: delete_expired
-- One of them, judged again while nothing can begin there: a run that came in between keeps its thread.
WITH held AS (
    SELECT thread_id FROM server.threads
    WHERE thread_id = :thread_id AND expires_at < now() AND status IN ('idle', 'error') AND interrupts = '{}' FOR UPDATE
)
SELECT server.delete_thread(thread_id, false) AS deleted FROM held;

-- name: again
-- A thread that stays after its history is gone starts its time anew.
UPDATE server.threads SET expires_at = now() + ttl_minutes * interval '1 minute' WHERE thread_id = :thread_id;
