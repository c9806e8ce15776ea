-- A thread that is deleted takes its webhooks along, also those that were given up: they hold its values. The thread of
-- a stateless run goes with the run, whose webhook is just written.

-- Remove a thread and whatever there is of it but for webhooks. Events may stay for those who listen elsewhere.
CREATE FUNCTION server.remove_thread(p_thread uuid, p_keep_events boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM server.threads WHERE thread_id = p_thread FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM public.checkpoints WHERE thread_id = p_thread::text;
    DELETE FROM public.checkpoint_blobs WHERE thread_id = p_thread::text;
    DELETE FROM public.checkpoint_writes WHERE thread_id = p_thread::text;
    DELETE FROM server.events WHERE thread_id = p_thread AND NOT p_keep_events;
    DELETE FROM server.threads WHERE thread_id = p_thread;
    RETURN true;
END $$;

-- Remove a thread and whatever there is of it, in every table.
CREATE OR REPLACE FUNCTION server.delete_thread(p_thread uuid, p_keep_events boolean) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT server.remove_thread(p_thread, p_keep_events) THEN
        RETURN false;
    END IF;
    DELETE FROM server.outbox WHERE thread_id = p_thread;
    RETURN true;
END $$;

-- End a stateless run whose thread goes with it.
CREATE OR REPLACE FUNCTION server.end_stateless(p_run uuid, p_epoch bigint, p_hook jsonb, p_keep_events boolean)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    thread uuid;
BEGIN
    SELECT thread_id INTO thread FROM server.runs WHERE run_id = p_run;
    PERFORM FROM server.threads WHERE thread_id = thread FOR UPDATE;
    PERFORM server.fence(p_run, p_epoch);
    PERFORM server.post(p_run, thread, p_hook, NULL);
    PERFORM server.remove_thread(thread, p_keep_events);
END $$;

CREATE INDEX outbox_of_thread ON server.outbox (thread_id);
