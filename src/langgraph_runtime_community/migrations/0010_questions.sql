-- Whether a thread asks is judged by its newest checkpoint, not by its row, which may have been left behind; and a slot
-- of a cron takes no question away.

-- Whether somebody's answer is awaited on a thread: a task of the newest checkpoint asks, and has not been done since.
CREATE FUNCTION server.asks(p_thread uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM public.checkpoint_writes w
        WHERE w.thread_id = p_thread::text AND w.checkpoint_ns = '' AND w.channel = '__interrupt__'
            AND w.checkpoint_id = (
                SELECT max(c.checkpoint_id) FROM public.checkpoints c
                WHERE c.thread_id = p_thread::text AND c.checkpoint_ns = ''
            ) AND NOT EXISTS (
                SELECT FROM public.checkpoint_writes d
                WHERE d.thread_id = w.thread_id AND d.checkpoint_ns = w.checkpoint_ns
                    AND d.checkpoint_id = w.checkpoint_id AND d.task_id = w.task_id AND d.idx >= 0
            )
    )
$$;

-- A run that begins only if nobody is asked by then: a cron's, which waited while another run of its thread was at work.
ALTER TABLE server.runs ADD COLUMN spares boolean NOT NULL DEFAULT false;

-- Remove such a run, as its worker, if somebody is asked; its slot counts as used. Whether it was removed.
CREATE FUNCTION server.spare_question(p_run uuid, p_epoch bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    thread uuid;
BEGIN
    SELECT thread_id INTO thread FROM server.runs WHERE run_id = p_run;
    PERFORM FROM server.threads WHERE thread_id = thread FOR UPDATE;
    PERFORM server.fence(p_run, p_epoch);
    IF NOT server.asks(thread) THEN
        RETURN false;
    END IF;
    UPDATE server.cron_slots SET run_id = NULL WHERE run_id = p_run;
    DELETE FROM server.runs WHERE run_id = p_run;
    PERFORM server.settle(thread);
    RETURN true;
END $$;

-- accept_run under conditions. p_guard: {owner, key, request}: the key is new, else SM004; {mark}: the state is the
-- one that was looked at, else SM003, and no run is in flight, else SM002; {refuse_input: true}: the thread waits for
-- no answer, else SM005; {spare: true}, for a slot of a cron: the same, but the slot is used up and no row comes.
CREATE OR REPLACE FUNCTION server.accept_guarded(
    p_guard jsonb, p_run uuid, p_thread uuid, p_assistant uuid, p_kwargs jsonb, p_metadata jsonb, p_user text,
    p_strategy text, p_alone boolean, p_create boolean, p_after double precision, p_session text,
    p_filter jsonb, p_assistant_filter jsonb, p_worker uuid, p_origin uuid,
    p_cron uuid, p_slot timestamptz, p_notify boolean, p_ttl jsonb
) RETURNS SETOF server.runs LANGUAGE plpgsql AS $$
DECLARE
    thread server.threads;
    busy uuid;
    run server.runs;
    made boolean := false;
BEGIN
    IF p_guard ? 'key' THEN
        INSERT INTO server.run_keys (owner, key, request, run_id, thread_id)
        VALUES (
            p_guard ->> 'owner', p_guard ->> 'key', p_guard ->> 'request', p_run,
            CASE WHEN (p_kwargs -> 'temporary') = 'true' THEN NULL ELSE p_thread END
        ) ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'the key was used before' USING ERRCODE = 'SM004';
        END IF;
    END IF;
    IF p_guard ?| ARRAY['mark', 'refuse_input', 'spare'] THEN
        SELECT * INTO thread FROM server.threads WHERE thread_id = p_thread FOR UPDATE;
        SELECT r.run_id INTO busy FROM server.runs r
        WHERE r.thread_id = p_thread AND r.status IN ('pending', 'running') LIMIT 1;
        IF p_guard ? 'mark' AND busy IS NOT NULL THEN
            RAISE EXCEPTION 'run % of thread % is in flight', busy, p_thread USING ERRCODE = 'SM002';
        END IF;
        IF p_guard ? 'mark' AND server.state_mark(p_thread) IS DISTINCT FROM p_guard ->> 'mark' THEN
            RAISE EXCEPTION 'thread % has moved', p_thread USING ERRCODE = 'SM003';
        END IF;
        -- One that may not see the thread is not told of its questions: accept_run finds nothing for it.
        IF busy IS NULL AND server.asks(p_thread) AND server.passes(thread.metadata, p_filter) THEN
            IF p_guard ? 'refuse_input' THEN
                RAISE EXCEPTION 'thread % waits for an answer', p_thread USING ERRCODE = 'SM005';
            ELSIF p_guard ? 'spare' THEN
                INSERT INTO server.cron_slots (cron_id, slot) VALUES (p_cron, p_slot) ON CONFLICT DO NOTHING;
                RETURN;
            END IF;
        END IF;
    END IF;
    FOR run IN SELECT * FROM server.accept_run(
        p_run, p_thread, p_assistant, p_kwargs, p_metadata, p_user, p_strategy, p_alone, p_create, p_after, p_session,
        p_filter, p_assistant_filter, p_worker, p_origin, p_cron, p_slot, p_notify, p_ttl
    ) LOOP
        made := made OR run.run_id = p_run;
        RETURN NEXT run;
    END LOOP;
    IF made AND p_guard ? 'spare' THEN
        UPDATE server.runs SET spares = true WHERE run_id = p_run AND status = 'pending';
    END IF;
    IF NOT made AND p_guard ? 'key' THEN
        DELETE FROM server.run_keys WHERE owner = p_guard ->> 'owner' AND key = p_guard ->> 'key';
    END IF;
END $$;

-- End a run, as its worker: status of run and thread, the thread's values, and the webhook, or nothing at all.
-- Returns the thread's new status. After a rollback the thread is what it was, in its row too.
CREATE OR REPLACE FUNCTION server.end_run(
    p_run uuid, p_epoch bigint, p_status text, p_graph text, p_settled text, p_error jsonb,
    p_state boolean, p_values jsonb, p_interrupts jsonb, p_hook jsonb
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    thread uuid;
    shown text;
    rolled_back boolean := p_status = 'rollback';
BEGIN
    SELECT thread_id INTO thread FROM server.runs WHERE run_id = p_run;
    PERFORM FROM server.threads WHERE thread_id = thread FOR UPDATE;
    PERFORM server.fence(p_run, p_epoch);
    IF rolled_back THEN
        PERFORM server.forget_run(thread, p_run);
        DELETE FROM server.runs WHERE run_id = p_run;
    ELSE
        UPDATE server.runs SET status = p_status, worker_id = NULL, updated_at = clock_timestamp()
        WHERE run_id = p_run;
    END IF;
    UPDATE server.threads t SET
        settled = CASE WHEN rolled_back THEN t.settled ELSE p_settled END,
        status = CASE WHEN EXISTS (
            SELECT FROM server.runs r WHERE r.thread_id = thread AND r.status IN ('pending', 'running')
        ) THEN 'busy' WHEN rolled_back THEN t.settled ELSE p_settled END,
        error = CASE WHEN rolled_back THEN t.error ELSE p_error END,
        metadata = t.metadata || jsonb_build_object('graph_id', p_graph),
        values = CASE WHEN p_state AND NOT rolled_back THEN p_values ELSE t.values END,
        interrupts = CASE WHEN p_state AND NOT rolled_back THEN p_interrupts ELSE t.interrupts END,
        updated_at = clock_timestamp(), state_updated_at = clock_timestamp(),
        expires_at = clock_timestamp() + t.ttl_minutes * interval '1 minute'
    WHERE t.thread_id = thread RETURNING t.status INTO shown;
    PERFORM server.post(p_run, thread, p_hook, shown);
    RETURN shown;
END $$;
