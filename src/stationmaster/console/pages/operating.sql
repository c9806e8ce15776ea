-- name: outgoing_counts
-- Events and notices that some receiver has not accepted yet: waiting, tried in vain so far, dead.
SELECT o.medium, count(*) FILTER (WHERE d.state = 'waiting') AS waiting,
    count(*) FILTER (WHERE d.state = 'waiting' AND d.last_error IS NOT NULL) AS retrying,
    count(*) FILTER (WHERE d.state = 'dead') AS dead
FROM reviews.dispatches AS d JOIN reviews.outbox AS o USING (message_id)
WHERE d.state <> 'sent' GROUP BY o.medium;

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
