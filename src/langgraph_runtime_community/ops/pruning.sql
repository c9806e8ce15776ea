-- name: delete
-- A thread with whatever there is of it.
SELECT server.delete_thread(:thread_id, false) AS deleted;

-- name: expired
-- Threads past their time to live, as far as they may go.
SELECT t.thread_id, t.ttl_strategy FROM server.threads t WHERE t.expires_at < now() AND server.may_expire(t)
ORDER BY t.expires_at LIMIT :limit;

-- name: hold_expired
-- One of them, judged again while nothing can begin there: a run or cron that came in between keeps its thread. The
-- lock first: what is judged in the same statement is judged by what was there before the wait for it.
SELECT thread_id FROM server.threads WHERE thread_id = :thread_id FOR UPDATE;

-- name: still_expired
-- Whether it may still go, once it is held.
SELECT 1 AS yes FROM server.threads t WHERE t.thread_id = :thread_id AND t.expires_at < now() AND server.may_expire(t);

-- name: again
-- A thread that stays after its history is gone starts its time anew.
UPDATE server.threads SET expires_at = now() + ttl_minutes * interval '1 minute' WHERE thread_id = :thread_id;
