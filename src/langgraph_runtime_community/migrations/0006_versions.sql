-- Who made a version of an assistant, and why; and threads that stay with the version that they were paused under.

ALTER TABLE server.assistant_versions
    -- As the writer says, else the caller.
    ADD COLUMN author text,
    ADD COLUMN reason text,
    -- Who made this version the current one again, when and why; null for one that only ever was the newest.
    ADD COLUMN shown_by text,
    ADD COLUMN shown_reason text,
    ADD COLUMN shown_at timestamptz;

-- The assistant as a run on a thread shall use it. With `stationmaster_pin_paused: true` in its metadata a thread that
-- waits in the middle of its graph stays with the version of the run that stopped there.
CREATE FUNCTION server.as_pinned(p_assistant server.assistants, p_thread server.threads) RETURNS server.assistants
LANGUAGE plpgsql STABLE AS $$
DECLARE
    last server.runs;
    kept server.assistant_versions;
BEGIN
    IF (p_assistant.metadata -> 'stationmaster_pin_paused') IS DISTINCT FROM 'true'::jsonb
        OR p_thread.settled <> 'interrupted' THEN
        RETURN p_assistant;
    END IF;
    SELECT * INTO last FROM server.runs r
    WHERE r.thread_id = p_thread.thread_id AND r.claimed_at IS NOT NULL AND r.status NOT IN ('pending', 'running')
    ORDER BY r.claimed_at DESC LIMIT 1;
    IF last.assistant_id IS DISTINCT FROM p_assistant.assistant_id THEN
        RETURN p_assistant;
    END IF;
    SELECT * INTO kept FROM server.assistant_versions v
    WHERE v.assistant_id = p_assistant.assistant_id AND v.version = last.assistant_version;
    IF FOUND THEN
        p_assistant.version := kept.version;
        p_assistant.graph_id := kept.graph_id;
        p_assistant.config := kept.config;
        p_assistant.context := kept.context;
        p_assistant.metadata := kept.metadata;
    END IF;
    RETURN p_assistant;
END $$;

-- Accept a run. The first row is the new run, then the runs in flight on its thread (ids and status only).
-- No row: the assistant or thread is not there, or not the caller's, or the cron's slot was used before.
-- p_worker: claim it at once for this worker if nothing stands before it.
CREATE OR REPLACE FUNCTION server.accept_run(
    p_run uuid, p_thread uuid, p_assistant uuid, p_kwargs jsonb, p_metadata jsonb, p_user text,
    p_strategy text, p_alone boolean, p_create boolean, p_after double precision, p_session text,
    p_filter jsonb, p_assistant_filter jsonb, p_worker uuid, p_origin uuid,
    p_cron uuid, p_slot timestamptz, p_notify boolean, p_ttl jsonb
) RETURNS SETOF server.runs LANGUAGE plpgsql AS $$
DECLARE
    assistant server.assistants;
    thread server.threads;
    existed boolean;
    inflight server.runs[];
    other server.runs;
    run server.runs;
    given jsonb := server.object(p_kwargs -> 'config');
    configurable jsonb;
    merged jsonb;
    current integer;
    pinned boolean;
BEGIN
    SELECT * INTO assistant FROM server.assistants WHERE assistant_id = p_assistant;
    IF NOT FOUND OR NOT server.passes(assistant.metadata, p_assistant_filter) THEN
        RETURN;
    END IF;
    current := assistant.version;
    SELECT * INTO thread FROM server.threads WHERE thread_id = p_thread FOR UPDATE;
    existed := FOUND;
    IF NOT existed THEN
        IF NOT p_create THEN
            RETURN;
        END IF;
        INSERT INTO server.threads (thread_id, status, metadata, config, ttl_strategy, ttl_minutes, expires_at)
        VALUES (
            p_thread, 'busy',
            jsonb_build_object('graph_id', assistant.graph_id, 'assistant_id', p_assistant)
                || server.object(given -> 'metadata') || p_metadata,
            assistant.config || given
                || jsonb_build_object('configurable', server.object(assistant.config -> 'configurable')),
            p_ttl ->> 'strategy', (p_ttl ->> 'minutes')::double precision,
            now() + (p_ttl ->> 'minutes')::double precision * interval '1 minute'
        )
        ON CONFLICT DO NOTHING RETURNING * INTO thread;
        IF NOT FOUND THEN  -- made by another request since we looked
            SELECT * INTO thread FROM server.threads WHERE thread_id = p_thread FOR UPDATE;
            existed := true;
        END IF;
    END IF;
    IF existed AND NOT server.passes(thread.metadata, p_filter) THEN
        RETURN;
    END IF;
    IF existed THEN
        assistant := server.as_pinned(assistant, thread);
    END IF;
    pinned := assistant.version IS DISTINCT FROM current;
    IF p_cron IS NOT NULL THEN
        INSERT INTO server.cron_slots (cron_id, slot, run_id) VALUES (p_cron, p_slot, p_run)
        ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            RETURN;
        END IF;
    END IF;
    IF existed THEN
        SELECT array_agg(r ORDER BY r.created_at) INTO inflight FROM server.runs r
        WHERE r.thread_id = p_thread AND r.status IN ('pending', 'running');
    END IF;
    IF p_alone AND inflight IS NOT NULL THEN
        IF p_cron IS NOT NULL THEN
            UPDATE server.cron_slots SET run_id = NULL WHERE cron_id = p_cron AND slot = p_slot;
        END IF;
        FOREACH other IN ARRAY inflight LOOP
            other.kwargs := NULL;
            RETURN NEXT other;
        END LOOP;
        RETURN;
    END IF;
    IF existed THEN
        UPDATE server.threads SET
            status = 'busy', updated_at = clock_timestamp(),
            metadata = CASE WHEN thread.status = 'busy' THEN thread.metadata ELSE thread.metadata
                || jsonb_build_object('graph_id', assistant.graph_id, 'assistant_id', p_assistant) END,
            config = CASE WHEN thread.status = 'busy' THEN thread.config
                ELSE assistant.config || thread.config || given || jsonb_build_object(
                    'configurable', server.object(assistant.config -> 'configurable')
                        || server.object(thread.config -> 'configurable')
                ) END
        WHERE thread_id = p_thread RETURNING * INTO thread;
    END IF;
    configurable := server.object(assistant.config -> 'configurable')
        || CASE WHEN existed THEN server.object(thread.config -> 'configurable') ELSE '{}' END
        || server.object(given -> 'configurable');
    configurable := configurable || jsonb_build_object(
        'run_id', p_run, 'thread_id', p_thread, 'graph_id', assistant.graph_id, 'assistant_id', p_assistant,
        'user_id', coalesce(
            given -> 'configurable' ->> 'user_id', thread.config -> 'configurable' ->> 'user_id',
            assistant.config -> 'configurable' ->> 'user_id', p_user
        )
    );
    merged := assistant.metadata || CASE WHEN existed THEN thread.metadata ELSE '{}' END
        || server.object(given -> 'metadata') || p_metadata
        || jsonb_build_object('assistant_id', p_assistant, 'assistant_version', CASE
            WHEN NOT pinned AND jsonb_typeof(p_metadata -> 'assistant_version') = 'number'
                THEN p_metadata -> 'assistant_version'
            ELSE to_jsonb(assistant.version) END);
    p_worker := CASE WHEN inflight IS NULL AND p_after <= 0 THEN p_worker END;
    INSERT INTO server.runs (
        run_id, thread_id, assistant_id, assistant_version, status, metadata, kwargs, multitask_strategy,
        langsmith_session_name, user_id, created_at, due_at, origin,
        attempt, epoch, worker_id, claimed_at, stream_base
    ) VALUES (
        p_run, p_thread, p_assistant, assistant.version,
        CASE WHEN p_worker IS NULL THEN 'pending' ELSE 'running' END, merged,
        p_kwargs || jsonb_build_object(
            'config', assistant.config || given
                || jsonb_build_object('configurable', configurable, 'metadata', merged),
            'context', assistant.context || server.object(p_kwargs -> 'context')
        ),
        p_strategy, p_session, p_user,
        clock_timestamp() + p_after * interval '1 second', clock_timestamp() + p_after * interval '1 second', p_origin,
        CASE WHEN p_worker IS NULL THEN 0 ELSE 1 END, CASE WHEN p_worker IS NULL THEN 0 ELSE 1 END, p_worker,
        CASE WHEN p_worker IS NOT NULL THEN clock_timestamp() END,
        CASE WHEN p_worker IS NULL THEN 0 ELSE server.stream_base(p_thread) END
    ) RETURNING * INTO run;
    IF p_notify AND p_worker IS NULL THEN
        PERFORM pg_notify('stationmaster_server', 'q');
    END IF;
    RETURN NEXT run;
    IF inflight IS NOT NULL THEN
        FOREACH other IN ARRAY inflight LOOP
            other.kwargs := NULL;
            RETURN NEXT other;
        END LOOP;
    END IF;
END $$;
