-- name: dead
-- Webhooks that were given up, the newest first.
SELECT hook_id, run_id, thread_id, url, payload ->> 'status' AS status, tries, last_error, created_at, dead_at
FROM server.outbox WHERE dead_at IS NOT NULL ORDER BY dead_at DESC, hook_id LIMIT :limit;

-- name: count
-- How many there are.
SELECT count(*) AS dead FROM server.outbox WHERE dead_at IS NOT NULL;

-- name: known
-- Which of these were given up.
SELECT hook_id FROM server.outbox WHERE dead_at IS NOT NULL AND hook_id = ANY (:hooks::uuid[]);

-- name: replay
-- Try them again, for another day; under the id that they had, so that a receiver drops what it has already.
UPDATE server.outbox SET dead_at = NULL, tries = 0, next_at = now(), created_at = now()
WHERE dead_at IS NOT NULL AND (:hooks::uuid[] IS NULL OR hook_id = ANY (:hooks::uuid[]))
RETURNING hook_id, run_id, url;
