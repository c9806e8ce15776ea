-- name: delete
-- A thread with whatever there is of it.
SELECT server.delete_thread(:thread_id, false) AS deleted;

-- name: expired
-- Threads past their time to live. One at work or with a pending question is left alone.
SELECT thread_id, ttl_strategy FROM server.threads
WHERE expires_at < now() AND status IN ('idle', 'error') AND interrupts = '{}'
ORDER BY expires_at LIMIT :limit;

-- name: again
-- A thread that stays after its history is gone starts its time anew.
UPDATE server.threads SET expires_at = now() + ttl_minutes * interval '1 minute' WHERE thread_id = :thread_id;
