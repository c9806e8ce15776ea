-- name: search
-- Threads by id, status, metadata, values, and what the caller may see.
SELECT thread_id, created_at, updated_at, state_updated_at, metadata, config, status, values, interrupts, error
FROM server.threads
WHERE (:ids::uuid[] IS NULL OR thread_id = ANY (:ids::uuid[]))
    AND (:status::text IS NULL OR status = :status::text)
    AND (:metadata::jsonb IS NULL OR metadata @> :metadata::jsonb)
    AND (:values::jsonb IS NULL OR values @> :values::jsonb)
    AND server.passes(metadata, :filter);

-- name: count
-- How many there are of them.
SELECT count(*) AS total FROM server.threads
WHERE (:status::text IS NULL OR status = :status::text)
    AND (:metadata::jsonb IS NULL OR metadata @> :metadata::jsonb)
    AND (:values::jsonb IS NULL OR values @> :values::jsonb)
    AND server.passes(metadata, :filter);

-- name: find
-- One thread, if the caller may see it.
SELECT thread_id, created_at, updated_at, state_updated_at, metadata, config, status, values, interrupts, error,
    ttl_strategy, ttl_minutes, expires_at
FROM server.threads WHERE thread_id = :thread_id AND server.passes(metadata, :filter);

-- name: exists
-- Whether there is such a thread and the caller may see it.
SELECT thread_id FROM server.threads WHERE thread_id = :thread_id AND server.passes(metadata, :filter);

-- name: insert
-- A new thread; no row if there is one with this id.
INSERT INTO server.threads (thread_id, metadata, ttl_strategy, ttl_minutes, expires_at)
VALUES (:thread_id, :metadata, :strategy, :minutes, now() + :minutes::double precision * interval '1 minute')
ON CONFLICT (thread_id) DO NOTHING RETURNING *;

-- name: patch
-- Merge metadata, and set the time to live anew if one is given.
UPDATE server.threads SET
    metadata = metadata || :metadata::jsonb, updated_at = clock_timestamp(),
    ttl_strategy = coalesce(:strategy, ttl_strategy), ttl_minutes = coalesce(:minutes, ttl_minutes),
    expires_at = now() + coalesce(:minutes, ttl_minutes) * interval '1 minute'
WHERE thread_id = :thread_id AND server.passes(metadata, :filter) RETURNING *;

-- name: delete
-- A thread with whatever there is of it.
SELECT server.delete_thread(:thread_id, false) AS deleted
FROM server.threads WHERE thread_id = :thread_id AND server.passes(metadata, :filter);

-- name: copy
-- A new thread with the metadata, values and questions of another.
INSERT INTO server.threads (thread_id, metadata, config, values, interrupts, status, settled)
SELECT :copy, metadata, '{}', values, interrupts, settled, settled FROM server.threads
WHERE thread_id = :thread_id AND server.passes(metadata, :filter) RETURNING *;

-- name: copy_checkpoints
-- And its checkpoints.
SELECT server.copy_checkpoints(:thread_id::text, :copy::text);

-- name: visible
-- Those of some threads that the caller may see.
SELECT thread_id FROM server.threads WHERE thread_id = ANY (:ids::uuid[]) AND server.passes(metadata, :filter);

-- name: hold
-- Nobody else changes the thread, or makes a run of it, until the transaction is over.
SELECT thread_id FROM server.threads WHERE thread_id = :thread_id FOR UPDATE;

-- name: set_state
-- What a change of state from outside makes of the thread, which is held, and has no run in flight.
UPDATE server.threads SET
    settled = :settled, values = :values, interrupts = :interrupts, error = NULL,
    updated_at = clock_timestamp(), state_updated_at = clock_timestamp(), status = :settled
WHERE thread_id = :thread_id;

-- name: graph_of
-- The graph of a thread: as its metadata says, else of one of its runs.
SELECT coalesce(t.metadata ->> 'graph_id', (
    SELECT r.kwargs -> 'config' -> 'configurable' ->> 'graph_id' FROM server.runs r
    WHERE r.thread_id = t.thread_id LIMIT 1
)) AS graph_id FROM server.threads t WHERE t.thread_id = :thread_id;

-- name: in_flight
-- The runs in flight on a thread.
SELECT run_id FROM server.runs WHERE thread_id = :thread_id AND status IN ('pending', 'running');
