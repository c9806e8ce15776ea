-- name: outgoing_counts
-- Events and messages on their way out: how many wait, were tried in vain so far, were given up within a week.
SELECT 'event' AS kind, count(*) FILTER (WHERE state = 'waiting') AS waiting,
    count(*) FILTER (WHERE state = 'waiting' AND tries > 0) AS retrying, count(*) FILTER (WHERE state = 'failed') AS failed
FROM reviews.outbox WHERE state = 'waiting' OR (state = 'failed' AND created_at > now() - interval '7 days')
UNION ALL
SELECT 'message', count(*) FILTER (WHERE state = 'waiting'),
    count(*) FILTER (WHERE state = 'waiting' AND tries > 0), count(*) FILTER (WHERE state = 'failed')
FROM reviews.notifications WHERE state = 'waiting' OR (state = 'failed' AND created_at > now() - interval '7 days');

-- name: outgoing_troubled
-- The newest events and messages that did not go out at the first try.
SELECT * FROM (
    (SELECT 'event' AS kind, url AS target, kind AS about, review_id, state, tries, next_try_at, created_at, last_error
     FROM reviews.outbox WHERE state = 'failed' OR (state = 'waiting' AND tries > 0) ORDER BY created_at DESC LIMIT 50)
    UNION ALL
    (SELECT 'message', "group", kind, review_id, state, tries, next_try_at, created_at, last_error
     FROM reviews.notifications WHERE state = 'failed' OR (state = 'waiting' AND tries > 0) ORDER BY created_at DESC LIMIT 50)
) AS troubled ORDER BY created_at DESC LIMIT 50;

-- name: deliveries_troubled
-- The newest webhooks that could not be read or worked on; of an unreadable one its beginning.
SELECT delivery_id, received_at, state, thread_id, run_id, tries, error, octet_length(body) AS bytes,
    CASE WHEN state = 'unreadable' THEN encode(substring(body FROM 1 FOR 400), 'escape') END AS beginning
FROM webhooks.deliveries WHERE state IN ('unreadable', 'failed') ORDER BY delivery_id DESC LIMIT 50;

-- name: delivery_counts
-- Webhooks of the last day by state, and all that still wait.
SELECT state, count(*) AS n FROM webhooks.deliveries
WHERE state = 'new' OR received_at > now() - interval '1 day' GROUP BY state;

-- name: refusals
-- What was turned away within a day, by reason.
SELECT reason, CAST(sum(n) AS bigint) AS n FROM webhooks.refusals
WHERE hour > now() - interval '1 day' GROUP BY reason ORDER BY reason;
