-- A run's life: accepted, claimed, ended. Each is one call, hence one transaction.
-- Locks are always taken in this order: thread, then run.

-- Accept a run. The first row is the new run, then the runs in flight on its thread (ids and status only).
-- No row: the assistant or thread is not there, or not the caller's, or the cron's slot was used before.
-- p_worker: claim it at once for this worker if nothing stands before it.
CREATE FUNCTION server.accept_run(
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
BEGIN
    SELECT * INTO assistant FROM server.assistants WHERE assistant_id = p_assistant;
    IF NOT FOUND OR NOT server.passes(assistant.metadata, p_assistant_filter) THEN
        RETURN;
    END IF;
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
            WHEN jsonb_typeof(p_metadata -> 'assistant_version') = 'number' THEN p_metadata -> 'assistant_version'
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

-- The next base of event ids on a thread: the clock, but always later than the one before.
CREATE FUNCTION server.stream_base(p_thread uuid) RETURNS bigint LANGUAGE sql AS $$
    SELECT greatest(
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
        (SELECT coalesce(max(stream_base), 0) + 1 FROM server.runs WHERE thread_id = p_thread)
    )
$$;

-- Let a worker have up to p_limit runs that are due, the oldest first, none of a thread that is at work.
CREATE FUNCTION server.claim_runs(p_worker uuid, p_limit integer) RETURNS SETOF server.runs
LANGUAGE sql AS $$
    UPDATE server.runs r SET
        status = 'running', worker_id = p_worker, claimed_at = clock_timestamp(), updated_at = clock_timestamp(),
        attempt = r.attempt + 1, epoch = r.epoch + 1, stream_base = server.stream_base(r.thread_id)
    FROM (
        SELECT run_id FROM server.runs p
        WHERE p.status = 'pending' AND p.due_at <= now()
            AND NOT EXISTS (SELECT FROM server.runs o WHERE o.thread_id = p.thread_id AND o.status = 'running')
            AND NOT EXISTS (
                SELECT FROM server.runs o
                WHERE o.thread_id = p.thread_id AND o.status = 'pending' AND o.due_at <= now()
                    AND (o.created_at, o.run_id) < (p.created_at, p.run_id)
            )
        ORDER BY p.due_at, p.run_id LIMIT p_limit FOR UPDATE SKIP LOCKED
    ) picked
    WHERE r.run_id = picked.run_id RETURNING r.*
$$;

-- Refuse a write of a worker that no longer has the run. The lock holds until the write is committed, so that
-- the run can't change hands in between.
CREATE FUNCTION server.fence(p_run uuid, p_epoch bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM server.runs WHERE run_id = p_run AND epoch = p_epoch AND status = 'running' FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'run % is no longer this worker''s', p_run USING ERRCODE = 'SM001';
    END IF;
END $$;

-- Set a thread's status from what it settled on and from the runs in flight; its new status.
CREATE FUNCTION server.settle(p_thread uuid) RETURNS text LANGUAGE sql AS $$
    UPDATE server.threads t SET
        status = CASE WHEN EXISTS (
            SELECT FROM server.runs r WHERE r.thread_id = p_thread AND r.status IN ('pending', 'running')
        ) THEN 'busy' ELSE t.settled END,
        updated_at = clock_timestamp()
    WHERE t.thread_id = p_thread RETURNING t.status
$$;

-- Remove what a run left in the checkpoints: its own, and its writes onto the one that it started from.
CREATE FUNCTION server.forget_run(p_thread uuid, p_run uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM public.checkpoint_writes w USING public.checkpoints c
    WHERE c.thread_id = p_thread::text AND c.metadata ->> 'run_id' = p_run::text
        AND w.thread_id = c.thread_id AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id;
    DELETE FROM public.checkpoint_writes WHERE thread_id = p_thread::text AND run_id = p_run;
    DELETE FROM public.checkpoints WHERE thread_id = p_thread::text AND metadata ->> 'run_id' = p_run::text;
    DELETE FROM public.checkpoint_blobs b WHERE b.thread_id = p_thread::text AND NOT EXISTS (
        SELECT FROM public.checkpoints c
        WHERE c.thread_id = b.thread_id AND c.checkpoint_ns = b.checkpoint_ns
            AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version
    );
    DELETE FROM server.events WHERE run_id = p_run;
END $$;

-- Remove a thread and whatever there is of it, in every table. Events may stay for those who listen elsewhere.
CREATE FUNCTION server.delete_thread(p_thread uuid, p_keep_events boolean) RETURNS boolean LANGUAGE plpgsql AS $$
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

-- Note a webhook to send. p_full: the receiver also gets what stock does not tell.
CREATE FUNCTION server.post(p_run uuid, p_thread uuid, p_hook jsonb, p_status text) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO server.outbox (run_id, thread_id, url, payload)
    SELECT p_run, p_thread, p_hook ->> 'url',
        (p_hook -> 'payload') || CASE WHEN (p_hook ->> 'tell_status')::boolean
            THEN jsonb_build_object('thread_status', p_status) ELSE '{}' END
    WHERE p_hook IS NOT NULL
$$;

-- End a run, as its worker: status of run and thread, the thread's values, and the webhook, or nothing at all.
-- Returns the thread's new status.
CREATE FUNCTION server.end_run(
    p_run uuid, p_epoch bigint, p_status text, p_graph text, p_settled text, p_error jsonb,
    p_state boolean, p_values jsonb, p_interrupts jsonb, p_hook jsonb
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    thread uuid;
    shown text;
BEGIN
    SELECT thread_id INTO thread FROM server.runs WHERE run_id = p_run;
    PERFORM FROM server.threads WHERE thread_id = thread FOR UPDATE;
    PERFORM server.fence(p_run, p_epoch);
    IF p_status = 'rollback' THEN
        PERFORM server.forget_run(thread, p_run);
        DELETE FROM server.runs WHERE run_id = p_run;
    ELSE
        UPDATE server.runs SET status = p_status, worker_id = NULL, updated_at = clock_timestamp()
        WHERE run_id = p_run;
    END IF;
    UPDATE server.threads t SET
        settled = p_settled,
        status = CASE WHEN EXISTS (
            SELECT FROM server.runs r WHERE r.thread_id = thread AND r.status IN ('pending', 'running')
        ) THEN 'busy' ELSE p_settled END,
        error = p_error,
        metadata = t.metadata || jsonb_build_object('graph_id', p_graph),
        values = CASE WHEN p_state THEN p_values ELSE t.values END,
        interrupts = CASE WHEN p_state THEN p_interrupts ELSE t.interrupts END,
        updated_at = clock_timestamp(), state_updated_at = clock_timestamp(),
        expires_at = clock_timestamp() + t.ttl_minutes * interval '1 minute'
    WHERE t.thread_id = thread RETURNING t.status INTO shown;
    PERFORM server.post(p_run, thread, p_hook, shown);
    RETURN shown;
END $$;

-- End a stateless run whose thread goes with it.
CREATE FUNCTION server.end_stateless(p_run uuid, p_epoch bigint, p_hook jsonb, p_keep_events boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    thread uuid;
BEGIN
    SELECT thread_id INTO thread FROM server.runs WHERE run_id = p_run;
    PERFORM FROM server.threads WHERE thread_id = thread FOR UPDATE;
    PERFORM server.fence(p_run, p_epoch);
    PERFORM server.post(p_run, thread, p_hook, NULL);
    PERFORM server.delete_thread(thread, p_keep_events);
END $$;

-- Put a run that this worker has back into the queue. Not counted: a drain hands back what did not fail.
CREATE FUNCTION server.hand_back(p_run uuid, p_epoch bigint, p_counted boolean, p_delay double precision)
RETURNS boolean LANGUAGE sql AS $$
    WITH back AS (
        UPDATE server.runs SET
            status = 'pending', worker_id = NULL, updated_at = clock_timestamp(),
            attempt = attempt - CASE WHEN p_counted THEN 0 ELSE 1 END,
            due_at = clock_timestamp() + p_delay * interval '1 second'
        WHERE run_id = p_run AND epoch = p_epoch AND status = 'running' RETURNING 1
    ), told AS (
        SELECT pg_notify('stationmaster_server', 'q') FROM back WHERE p_delay <= 0
    )
    SELECT EXISTS (SELECT FROM back) AND (SELECT count(*) >= 0 FROM told)
$$;

-- Give the runs of dead workers, and those that a living one has lost sight of, back to the queue.
-- One that was to be cancelled ends instead. Returns the runs and what became of them.
CREATE FUNCTION server.recover_orphans(p_worker uuid, p_held uuid[])
RETURNS TABLE (run_id uuid, status text) LANGUAGE plpgsql AS $$
DECLARE
    orphan record;
BEGIN
    FOR orphan IN
        SELECT r.run_id, r.thread_id, r.cancel, r.epoch FROM server.runs r
        LEFT JOIN server.workers w USING (worker_id)
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
                worker_id = NULL, updated_at = clock_timestamp(), due_at = clock_timestamp()
            WHERE r.run_id = orphan.run_id AND r.epoch = orphan.epoch AND r.status = 'running';
            CONTINUE WHEN NOT FOUND;
        END IF;
        PERFORM server.settle(orphan.thread_id);
        run_id := orphan.run_id;
        status := CASE WHEN orphan.cancel IS NULL THEN 'pending' ELSE orphan.cancel END;
        RETURN NEXT;
    END LOOP;
END $$;

-- Cancel runs: one that waits ends at once, one at work is told so through its row. Returns what was found.
CREATE FUNCTION server.cancel_runs(p_runs uuid[], p_action text, p_reason text)
RETURNS TABLE (run_id uuid, thread_id uuid, before text, worker_id uuid) LANGUAGE plpgsql AS $$
DECLARE
    run record;
BEGIN
    FOR run IN
        SELECT r.run_id, r.thread_id FROM server.runs r WHERE r.run_id = ANY (p_runs) ORDER BY r.thread_id, r.run_id
    LOOP
        PERFORM FROM server.threads t WHERE t.thread_id = run.thread_id FOR UPDATE;
        SELECT r.run_id, r.thread_id, r.status, r.worker_id INTO run_id, thread_id, before, worker_id
        FROM server.runs r WHERE r.run_id = run.run_id FOR UPDATE;
        CONTINUE WHEN NOT FOUND;
        IF before = 'pending' AND p_action = 'rollback' THEN
            PERFORM server.forget_run(run.thread_id, run.run_id);
            DELETE FROM server.runs r WHERE r.run_id = run.run_id;
            PERFORM server.settle(run.thread_id);
        ELSIF before = 'pending' THEN
            UPDATE server.runs r SET status = 'interrupted', updated_at = clock_timestamp() WHERE r.run_id = run.run_id;
            PERFORM server.settle(run.thread_id);
        ELSIF before = 'running' THEN
            UPDATE server.runs r SET cancel = p_action, cancel_reason = p_reason, updated_at = clock_timestamp()
            WHERE r.run_id = run.run_id;
            PERFORM pg_notify(
                'stationmaster_server', concat_ws(' ', 'c', run.run_id, p_action, left(p_reason, 500))
            );
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
