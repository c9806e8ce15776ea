-- name: insert
-- A new cron.
INSERT INTO server.crons (
    cron_id, assistant_id, thread_id, on_run_completed, end_time, schedule, timezone, user_id, payload, metadata,
    enabled, next_run_date
) VALUES (
    :cron_id, :assistant_id, :thread_id, :on_run_completed, :end_time, :schedule, :timezone, :user_id, :payload,
    :metadata, :enabled, :next_run_date
) RETURNING *;

-- name: assistant
-- Whether the caller may use the assistant.
SELECT 1 AS yes FROM server.assistants WHERE assistant_id = :assistant_id AND server.passes(metadata, :filter);

-- name: thread
-- Whether the caller may use the thread.
SELECT 1 AS yes FROM server.threads WHERE thread_id = :thread_id AND server.passes(metadata, :filter);

-- name: find
-- One cron, if the caller may see it.
SELECT * FROM server.crons WHERE cron_id = :cron_id AND server.passes(metadata, :filter);

-- name: lock
-- The same, for a change.
SELECT * FROM server.crons WHERE cron_id = :cron_id AND server.passes(metadata, :filter) FOR UPDATE;

-- name: update
-- A cron as it shall be from now on.
UPDATE server.crons SET
    schedule = :schedule, timezone = :timezone, end_time = :end_time, enabled = :enabled,
    on_run_completed = :on_run_completed, payload = :payload, metadata = :metadata, next_run_date = :next_run_date,
    updated_at = clock_timestamp(), claimed_until = 'epoch'
WHERE cron_id = :cron_id RETURNING *;

-- name: delete
-- Remove a cron with its slots; runs that it made stay.
DELETE FROM server.crons WHERE cron_id = :cron_id AND server.passes(metadata, :filter) RETURNING cron_id;

-- name: claim
-- A cron that is due, for this process for a while; the slot's own row makes sure that it is used once.
UPDATE server.crons c SET claimed_until = now() + interval '30 seconds'
FROM (
    SELECT cron_id FROM server.crons
    WHERE enabled AND next_run_date <= now() AND claimed_until < now() AND (end_time IS NULL OR end_time >= now())
    ORDER BY next_run_date LIMIT 1 FOR UPDATE SKIP LOCKED
) due
WHERE c.cron_id = due.cron_id RETURNING c.*, now() AS now;

-- name: advance
-- The next time of a cron whose slot was used; nothing if it was moved meanwhile.
UPDATE server.crons SET next_run_date = :next_run_date, claimed_until = 'epoch'
WHERE cron_id = :cron_id AND next_run_date = :slot AND next_run_date < :next_run_date;

-- name: retire
-- Crons whose end has come are off.
UPDATE server.crons SET enabled = false, updated_at = clock_timestamp() WHERE enabled AND end_time < now();

-- name: search
-- Crons by assistant, thread, whether they are on, metadata; and what the caller may see of them and their threads.
SELECT c.* FROM server.crons c LEFT JOIN server.threads t USING (thread_id)
WHERE (:assistant_id::uuid IS NULL OR c.assistant_id = :assistant_id::uuid)
    AND (:thread_id::uuid IS NULL OR c.thread_id = :thread_id::uuid)
    AND (:enabled::boolean IS NULL OR c.enabled = :enabled::boolean)
    AND c.metadata @> :metadata::jsonb AND server.passes(c.metadata, :filter)
    AND (c.thread_id IS NULL OR server.passes(t.metadata, :thread_filter));

-- name: now
-- What time it is.
SELECT now() AS now;
