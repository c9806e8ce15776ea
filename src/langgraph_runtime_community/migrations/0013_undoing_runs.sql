-- A run that is rolled back or deleted leaves its thread as it was before it: also where it wrote in the place of what
-- another run had written, as a second question does, which comes in the place of the first.

-- What was replaced, by the run that replaced it.
CREATE TABLE server.replaced_writes (
    thread_id text NOT NULL,
    checkpoint_ns text NOT NULL,
    checkpoint_id text NOT NULL,
    task_id text NOT NULL,
    idx integer NOT NULL,
    by_run uuid NOT NULL,
    run_id uuid,
    task_path text NOT NULL,
    channel text NOT NULL,
    type text,
    blob bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, by_run)
);

-- Save what a super-step made: blobs, checkpoint, pending writes; each part may be missing (null).
-- With p_run the caller is its worker and fenced; else nobody may be at work on the thread (p_idle).
CREATE OR REPLACE FUNCTION server.save_step(
    p_run uuid, p_epoch bigint, p_idle uuid, p_thread text, p_ns text,
    p_channels text[], p_versions text[], p_types text[], p_blobs bytea[],
    p_checkpoint text, p_parent text, p_content jsonb, p_metadata jsonb,
    p_write_ns text[], p_write_checkpoint text[], p_task text[], p_path text[], p_index integer[],
    p_write_channel text[], p_write_type text[], p_write_blob bytea[], p_replace boolean[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF p_run IS NOT NULL THEN
        PERFORM server.fence(p_run, p_epoch);
    ELSIF p_idle IS NOT NULL THEN
        PERFORM FROM server.threads WHERE thread_id = p_idle FOR UPDATE;
        IF EXISTS (SELECT FROM server.runs WHERE thread_id = p_idle AND status IN ('pending', 'running')) THEN
            RAISE EXCEPTION 'thread % has a run in flight', p_idle USING ERRCODE = 'SM002';
        END IF;
    END IF;
    IF true = ANY (p_replace) THEN
        INSERT INTO server.replaced_writes
            (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, by_run, run_id, task_path, channel, type, blob)
        SELECT o.thread_id, o.checkpoint_ns, o.checkpoint_id, o.task_id, o.idx, p_run, o.run_id, o.task_path, o.channel,
            o.type, o.blob
        FROM unnest(p_write_ns, p_write_checkpoint, p_task, p_index, p_replace)
            AS w (ns, checkpoint, task, index, replace)
        JOIN public.checkpoint_writes o ON o.thread_id = p_thread AND o.checkpoint_ns = w.ns
            AND o.checkpoint_id = w.checkpoint AND o.task_id = w.task AND o.idx = w.index
        WHERE w.replace AND p_run IS NOT NULL AND o.run_id IS DISTINCT FROM p_run
        ON CONFLICT DO NOTHING;
        INSERT INTO public.checkpoint_writes AS old
            (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob, run_id)
        SELECT p_thread, w.ns, w.checkpoint, w.task, w.path, w.index, w.channel, w.type, w.blob, p_run
        FROM unnest(
            p_write_ns, p_write_checkpoint, p_task, p_path, p_index, p_write_channel, p_write_type, p_write_blob,
            p_replace
        ) AS w (ns, checkpoint, task, path, index, channel, type, blob, replace)
        WHERE w.replace
        ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx) DO UPDATE SET
            channel = excluded.channel, type = excluded.type, blob = excluded.blob, run_id = excluded.run_id;
    END IF;
    IF false = ANY (p_replace) THEN
        INSERT INTO public.checkpoint_writes
            (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob, run_id)
        SELECT p_thread, w.ns, w.checkpoint, w.task, w.path, w.index, w.channel, w.type, w.blob, p_run
        FROM unnest(
            p_write_ns, p_write_checkpoint, p_task, p_path, p_index, p_write_channel, p_write_type, p_write_blob,
            p_replace
        ) AS w (ns, checkpoint, task, path, index, channel, type, blob, replace)
        WHERE NOT w.replace
        ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx) DO NOTHING;
    END IF;
    IF p_channels IS NOT NULL THEN
        INSERT INTO public.checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
        SELECT p_thread, p_ns, b.channel, b.version, b.type, b.blob
        FROM unnest(p_channels, p_versions, p_types, p_blobs) AS b (channel, version, type, blob)
        ON CONFLICT (thread_id, checkpoint_ns, channel, version) DO NOTHING;
    END IF;
    IF p_checkpoint IS NOT NULL THEN
        INSERT INTO public.checkpoints
            (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
        VALUES (p_thread, p_ns, p_checkpoint, p_parent, p_content, p_metadata)
        ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id) DO UPDATE SET
            checkpoint = excluded.checkpoint, metadata = excluded.metadata;
    END IF;
END $$;

-- Undo what a run left in the checkpoints: its own go, its writes onto those of others too, and what these replaced is
-- back. What a later run replaced in turn falls back to what was there before both.
CREATE OR REPLACE FUNCTION server.forget_run(p_thread uuid, p_run uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM public.checkpoint_writes w USING public.checkpoints c
    WHERE c.thread_id = p_thread::text AND c.metadata ->> 'run_id' = p_run::text
        AND w.thread_id = c.thread_id AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id;
    UPDATE server.replaced_writes later SET
        run_id = r.run_id, task_path = r.task_path, channel = r.channel, type = r.type, blob = r.blob
    FROM server.replaced_writes r
    WHERE r.thread_id = p_thread::text AND r.by_run = p_run AND later.run_id = p_run
        AND (later.thread_id, later.checkpoint_ns, later.checkpoint_id, later.task_id, later.idx)
            = (r.thread_id, r.checkpoint_ns, r.checkpoint_id, r.task_id, r.idx);
    UPDATE public.checkpoint_writes w SET
        run_id = r.run_id, task_path = r.task_path, channel = r.channel, type = r.type, blob = r.blob
    FROM server.replaced_writes r
    WHERE r.thread_id = p_thread::text AND r.by_run = p_run AND w.run_id = p_run
        AND (w.thread_id, w.checkpoint_ns, w.checkpoint_id, w.task_id, w.idx)
            = (r.thread_id, r.checkpoint_ns, r.checkpoint_id, r.task_id, r.idx);
    DELETE FROM server.replaced_writes WHERE thread_id = p_thread::text AND (by_run = p_run OR run_id = p_run);
    DELETE FROM public.checkpoint_writes WHERE thread_id = p_thread::text AND run_id = p_run;
    DELETE FROM public.checkpoints WHERE thread_id = p_thread::text AND metadata ->> 'run_id' = p_run::text;
    DELETE FROM server.replaced_writes r WHERE r.thread_id = p_thread::text AND NOT EXISTS (
        SELECT FROM public.checkpoints c
        WHERE c.thread_id = r.thread_id AND c.checkpoint_ns = r.checkpoint_ns AND c.checkpoint_id = r.checkpoint_id
    );
    DELETE FROM public.checkpoint_blobs b WHERE b.thread_id = p_thread::text AND NOT EXISTS (
        SELECT FROM public.checkpoints c
        WHERE c.thread_id = b.thread_id AND c.checkpoint_ns = b.checkpoint_ns
            AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version
    );
    DELETE FROM server.events WHERE run_id = p_run;
END $$;

-- Whether what came later stands on what a run left: a checkpoint that follows one of its own, or one that it wrote onto;
-- a write of another run onto one of its own; or one in the place of a write of its.
CREATE FUNCTION server.is_built_on(p_thread uuid, p_run uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    WITH own AS (
        SELECT checkpoint_ns, checkpoint_id FROM public.checkpoints
        WHERE thread_id = p_thread::text AND metadata ->> 'run_id' = p_run::text
    ), touched AS (
        SELECT checkpoint_ns, checkpoint_id FROM own
        UNION SELECT checkpoint_ns, checkpoint_id FROM public.checkpoint_writes
        WHERE thread_id = p_thread::text AND run_id = p_run
    )
    SELECT EXISTS (
        SELECT FROM touched t JOIN public.checkpoints k ON k.thread_id = p_thread::text
            AND k.checkpoint_ns = t.checkpoint_ns AND k.parent_checkpoint_id = t.checkpoint_id
        WHERE k.metadata ->> 'run_id' IS DISTINCT FROM p_run::text
    ) OR EXISTS (
        SELECT FROM own o JOIN public.checkpoint_writes w ON w.thread_id = p_thread::text
            AND w.checkpoint_ns = o.checkpoint_ns AND w.checkpoint_id = o.checkpoint_id
        WHERE w.run_id <> p_run
    ) OR EXISTS (
        SELECT FROM server.replaced_writes r WHERE r.thread_id = p_thread::text AND r.run_id = p_run
    )
$$;

-- Delete a run and undo it, in one transaction with the thread's status: a crash in between would leave the thread busy
-- for ever. The thread's lock comes first, as everywhere. Its worker, if it has one, can write no more.
-- `deleted`: whether it was there; `undone`: whether what it saved is gone, which it is not where later runs stand on it.
DROP FUNCTION server.delete_run(uuid, uuid, jsonb);
CREATE FUNCTION server.delete_run(p_run uuid, p_thread uuid, p_filter jsonb, OUT deleted boolean, OUT undone boolean)
LANGUAGE plpgsql AS $$
DECLARE
    thread server.threads;
BEGIN
    deleted := false;
    undone := false;
    SELECT * INTO thread FROM server.threads WHERE thread_id = p_thread FOR UPDATE;
    IF NOT FOUND OR NOT server.passes(thread.metadata, p_filter) THEN
        RETURN;
    END IF;
    DELETE FROM server.runs WHERE run_id = p_run AND thread_id = p_thread;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    deleted := true;
    IF server.is_built_on(p_thread, p_run) THEN
        DELETE FROM server.events WHERE run_id = p_run;
    ELSE
        undone := true;
        PERFORM server.forget_run(p_thread, p_run);
    END IF;
    PERFORM server.settle(p_thread);
END $$;

-- Remove a thread and whatever there is of it but for webhooks. Events may stay for those who listen elsewhere.
CREATE OR REPLACE FUNCTION server.remove_thread(p_thread uuid, p_keep_events boolean) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM server.threads WHERE thread_id = p_thread FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM public.checkpoints WHERE thread_id = p_thread::text;
    DELETE FROM public.checkpoint_blobs WHERE thread_id = p_thread::text;
    DELETE FROM public.checkpoint_writes WHERE thread_id = p_thread::text;
    DELETE FROM server.replaced_writes WHERE thread_id = p_thread::text;
    DELETE FROM server.events WHERE thread_id = p_thread AND NOT p_keep_events;
    DELETE FROM server.threads WHERE thread_id = p_thread;
    RETURN true;
END $$;
