-- A run that is handed back or lost keeps what its last attempt failed with: its end can say so, and the next attempt
-- knows whether clients were told all that was saved.

-- {epoch, attempt, error, told}. `told`: the worker handed it back itself, all its events kept.
ALTER TABLE server.runs ADD COLUMN trouble jsonb;

-- Put a run that this worker has back into the queue. Not counted: a drain hands back what did not fail; what failed
-- before that stays noted.
CREATE FUNCTION server.hand_back(
    p_run uuid, p_epoch bigint, p_counted boolean, p_delay double precision, p_error text
) RETURNS boolean LANGUAGE sql AS $$
    WITH back AS (
        UPDATE server.runs SET
            status = 'pending', worker_id = NULL, updated_at = clock_timestamp(),
            attempt = attempt - CASE WHEN p_counted THEN 0 ELSE 1 END,
            due_at = clock_timestamp() + p_delay * interval '1 second',
            trouble = CASE WHEN p_counted THEN jsonb_build_object(
                'epoch', epoch, 'attempt', attempt, 'error', p_error, 'told', true
            ) ELSE trouble END
        WHERE run_id = p_run AND epoch = p_epoch AND status = 'running' RETURNING 1
    ), told AS (
        SELECT pg_notify('stationmaster_server', 'q') FROM back WHERE p_delay <= 0
    )
    SELECT EXISTS (SELECT FROM back) AND (SELECT count(*) >= 0 FROM told)
$$;

-- Give the runs of dead workers, and those that a living one has lost sight of, back to the queue.
-- One that was to be cancelled ends instead. Returns the runs with their threads and what became of them.
DROP FUNCTION server.recover_orphans(uuid, uuid[]);
CREATE FUNCTION server.recover_orphans(p_worker uuid, p_held uuid[])
RETURNS TABLE (run_id uuid, thread_id uuid, status text) LANGUAGE plpgsql AS $$
DECLARE
    orphan record;
BEGIN
    FOR orphan IN
        SELECT r.run_id, r.thread_id, r.cancel, r.epoch, CASE
            WHEN r.worker_id = p_worker THEN 'its worker lost sight of it'
            ELSE concat('its process', ' (' || w.host || ', pid ' || w.pid || ')', ' ended or fell silent')
        END AS error
        FROM server.runs r LEFT JOIN server.workers w USING (worker_id)
        WHERE r.status = 'running' AND (
            w.alive_until IS NULL OR w.alive_until < now()
            OR r.worker_id = p_worker AND r.run_id <> ALL (p_held) AND r.claimed_at < now() - interval '20 seconds'
        )
    LOOP
        PERFORM FROM server.threads t WHERE t.thread_id = orphan.thread_id FOR UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND;
        IF orphan.cancel = 'rollback' THEN
            DELETE FROM server.runs r WHERE r.run_id = orphan.run_id AND r.epoch = orphan.epoch AND r.status = 'running';
            CONTINUE WHEN NOT FOUND;
            PERFORM server.forget_run(orphan.thread_id, orphan.run_id);
        ELSE
            UPDATE server.runs r SET
                status = CASE WHEN orphan.cancel IS NULL THEN 'pending' ELSE 'interrupted' END,
                worker_id = NULL, updated_at = clock_timestamp(), due_at = clock_timestamp(),
                trouble = jsonb_build_object(
                    'epoch', r.epoch, 'attempt', r.attempt, 'error', orphan.error, 'told', false
                )
            WHERE r.run_id = orphan.run_id AND r.epoch = orphan.epoch AND r.status = 'running';
            CONTINUE WHEN NOT FOUND;
        END IF;
        PERFORM server.settle(orphan.thread_id);
        run_id := orphan.run_id;
        thread_id := orphan.thread_id;
        status := CASE WHEN orphan.cancel IS NULL THEN 'pending' ELSE orphan.cancel END;
        RETURN NEXT;
    END LOOP;
END $$;
