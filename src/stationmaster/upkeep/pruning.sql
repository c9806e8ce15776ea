-- name: ripe
-- Threads that may go.
SELECT thread_id FROM upkeep.ripe(now() - :days * interval '1 day') ORDER BY thread_id;

-- name: lock
-- Hold a batch of them: no run begins there until this transaction ends. One that somebody holds is left for later.
SELECT thread_id FROM server.threads WHERE thread_id = ANY (:threads::uuid[]) ORDER BY thread_id FOR UPDATE SKIP LOCKED;

-- name: still_ripe
-- Those of a batch that may still go, now that nothing can change.
SELECT thread_id, stays, export FROM upkeep.ripe(now() - :days * interval '1 day', :threads::uuid[]);

-- name: drop_webhooks
-- Remove the webhooks of threads: what was given up holds their values.
DELETE FROM server.outbox WHERE thread_id = ANY (:threads::uuid[]);

-- name: drop
-- Remove threads with whatever there is of them.
SELECT count(*) AS threads, coalesce(sum(upkeep.drop_thread(thread_id)), 0)::bigint AS bytes
FROM unnest(:threads::uuid[]) AS thread_id;

-- name: trim
-- Remove the history of threads that stay.
SELECT count(*) AS threads, coalesce(sum(upkeep.trim_thread(thread_id)), 0)::bigint AS bytes
FROM unnest(:threads::uuid[]) AS thread_id;

-- name: forget_webhooks
-- Webhooks that were given up so long ago.
DELETE FROM server.outbox WHERE dead_at < now() - :days * interval '1 day' RETURNING hook_id;
