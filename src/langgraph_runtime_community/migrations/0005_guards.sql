-- Runs that are accepted only under a condition: an answer whose question still waits, a key that is new, a thread
-- that waits for no answer. All is judged in the transaction that makes the run.

-- Which run a key of a caller stands for. It goes with its thread; that of a run whose thread goes with it stays, for
-- what was done once must not be done again.
CREATE TABLE server.run_keys (
    owner text NOT NULL,
    key text NOT NULL,
    -- A hash of the whole request.
    request text NOT NULL,
    run_id uuid NOT NULL,
    thread_id uuid REFERENCES server.threads ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, key)
);
CREATE INDEX run_keys_age ON server.run_keys (created_at);
CREATE INDEX run_keys_of_thread ON server.run_keys (thread_id);

-- What changes whenever the state of a thread does: by a run, by a change from outside, by a deletion.
CREATE FUNCTION server.state_mark(p_thread uuid) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT concat_ws(
        ' ', (extract(epoch FROM t.state_updated_at) * 1000000)::bigint, c.number, c.newest,
        (SELECT count(*) FROM public.checkpoint_writes w WHERE w.thread_id = p_thread::text)
    ) FROM server.threads t CROSS JOIN (
        SELECT count(*) AS number, max(checkpoint_id) AS newest FROM public.checkpoints WHERE thread_id = p_thread::text
    ) c WHERE t.thread_id = p_thread
$$;

-- accept_run under conditions. p_guard: {owner, key, request}: the key is new, else SM004; {mark}: the state is the
-- one that was looked at, else SM003, and no run is in flight, else SM002; {refuse_input: true}: the thread waits for
-- no answer, else SM005.
CREATE FUNCTION server.accept_guarded(
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
    IF p_guard ? 'mark' OR p_guard ? 'refuse_input' THEN
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
        IF p_guard ? 'refuse_input' AND busy IS NULL AND thread.settled = 'interrupted'
            AND thread.interrupts <> '{}' AND server.passes(thread.metadata, p_filter) THEN
            RAISE EXCEPTION 'thread % waits for an answer to interrupt %', p_thread, (
                SELECT string_agg(question ->> 'id', ', ')
                FROM jsonb_each(thread.interrupts) AS task, jsonb_array_elements(task.value) AS question
            ) USING ERRCODE = 'SM005';
        END IF;
    END IF;
    FOR run IN SELECT * FROM server.accept_run(
        p_run, p_thread, p_assistant, p_kwargs, p_metadata, p_user, p_strategy, p_alone, p_create, p_after, p_session,
        p_filter, p_assistant_filter, p_worker, p_origin, p_cron, p_slot, p_notify, p_ttl
    ) LOOP
        made := made OR run.run_id = p_run;
        RETURN NEXT run;
    END LOOP;
    IF NOT made AND p_guard ? 'key' THEN
        DELETE FROM server.run_keys WHERE owner = p_guard ->> 'owner' AND key = p_guard ->> 'key';
    END IF;
END $$;
