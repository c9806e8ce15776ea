-- name: deliveries
-- Webhooks, newest first. Of an unreadable one its beginning is shown, to find out who sent what.
SELECT delivery_id, received_at, state, thread_id, run_id, run_status, repeats, tries, done_at, error,
    octet_length(body) AS bytes,
    CASE WHEN state = 'unreadable' THEN encode(substring(body FROM 1 FOR 500), 'escape') END AS beginning
FROM webhooks.deliveries
WHERE (CAST(:state AS text) IS NULL OR state = :state)
    AND (CAST(:before AS bigint) IS NULL OR delivery_id < :before)
ORDER BY delivery_id DESC
LIMIT :limit;

-- name: delivery^
-- One webhook.
SELECT state FROM webhooks.deliveries WHERE delivery_id = :delivery_id;

-- name: delivery_counts
-- How many webhooks of the last day are in which state; all that still wait.
SELECT state, count(*) AS n FROM webhooks.deliveries
WHERE state = 'new' OR received_at > now() - interval '1 day'
GROUP BY state;

-- name: refusals
-- What was turned away within a day, by reason.
SELECT reason, CAST(sum(n) AS bigint) AS n FROM webhooks.refusals
WHERE hour > now() - interval '1 day'
GROUP BY reason;
