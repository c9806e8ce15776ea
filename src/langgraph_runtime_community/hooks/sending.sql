-- name: claim
-- Webhooks that are due, but for receivers that are busy; nobody else tries them for a minute.
UPDATE server.outbox o SET next_at = now() + interval '60 seconds', tries = o.tries + 1
FROM (
    SELECT hook_id FROM server.outbox WHERE dead_at IS NULL AND next_at <= now()
        AND split_part(url, '/', 3) <> ALL (:busy::text[])
    ORDER BY next_at LIMIT :limit FOR UPDATE SKIP LOCKED
) due
WHERE o.hook_id = due.hook_id
RETURNING o.*, split_part(o.url, '/', 3) AS receiver,
    o.tries >= :least AND now() - o.created_at > :keep * interval '1 second' AS last;

-- name: sent
-- It arrived.
DELETE FROM server.outbox WHERE hook_id = :hook_id;

-- name: failed
-- It did not; again later, or never.
UPDATE server.outbox SET
    next_at = now() + :delay * interval '1 second', last_error = :error, dead_at = CASE WHEN :dead THEN now() END
WHERE hook_id = :hook_id;
