-- A run is deleted, and its thread settled, in one transaction: a crash in between would leave the thread busy for ever.
-- The thread's lock comes first, as everywhere. Its worker, if it has one, can write no more. Whether it was there.
CREATE FUNCTION server.delete_run(p_run uuid, p_thread uuid, p_filter jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    thread server.threads;
BEGIN
    SELECT * INTO thread FROM server.threads WHERE thread_id = p_thread FOR UPDATE;
    IF NOT FOUND OR NOT server.passes(thread.metadata, p_filter) THEN
        RETURN false;
    END IF;
    DELETE FROM server.runs WHERE run_id = p_run AND thread_id = p_thread;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM server.forget_run(p_thread, p_run);
    PERFORM server.settle(p_thread);
    RETURN true;
END $$;

-- Threads that were left so.
DO $$
DECLARE
    stuck uuid;
BEGIN
    FOR stuck IN
        SELECT t.thread_id FROM server.threads t WHERE t.status = 'busy' AND NOT EXISTS (
            SELECT FROM server.runs r WHERE r.thread_id = t.thread_id AND r.status IN ('pending', 'running')
        )
    LOOP
        PERFORM FROM server.threads WHERE thread_id = stuck FOR UPDATE;
        PERFORM server.settle(stuck);
    END LOOP;
END $$;
