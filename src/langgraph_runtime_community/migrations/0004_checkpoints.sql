-- Checkpoints: one call a super-step. The tables are made by langgraph-checkpoint-postgres.

-- Save what a super-step made: blobs, checkpoint, pending writes; each part may be missing (null).
-- With p_run the caller is its worker and fenced; else nobody may be at work on the thread (p_idle).
CREATE FUNCTION server.save_step(
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
    IF p_write_checkpoint IS NOT NULL THEN
        INSERT INTO public.checkpoint_writes AS old
            (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob, run_id)
        SELECT p_thread, w.ns, w.checkpoint, w.task, w.path, w.index, w.channel, w.type, w.blob, p_run
        FROM unnest(
            p_write_ns, p_write_checkpoint, p_task, p_path, p_index, p_write_channel, p_write_type, p_write_blob,
            p_replace
        ) AS w (ns, checkpoint, task, path, index, channel, type, blob, replace)
        WHERE w.replace
        ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx) DO UPDATE SET
            channel = excluded.channel, type = excluded.type, blob = excluded.blob;
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

-- Copy a thread's checkpoints to another thread: ids and namespaces stay, the thread's id in metadata follows.
CREATE FUNCTION server.copy_checkpoints(p_from text, p_to text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.checkpoints
        (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
    SELECT p_to, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint,
        CASE WHEN metadata ? 'thread_id' THEN metadata || jsonb_build_object('thread_id', p_to) ELSE metadata END
    FROM public.checkpoints WHERE thread_id = p_from ON CONFLICT DO NOTHING;
    INSERT INTO public.checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
    SELECT p_to, checkpoint_ns, channel, version, type, blob
    FROM public.checkpoint_blobs WHERE thread_id = p_from ON CONFLICT DO NOTHING;
    INSERT INTO public.checkpoint_writes
        (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob, task_path)
    SELECT p_to, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob, task_path
    FROM public.checkpoint_writes WHERE thread_id = p_from ON CONFLICT DO NOTHING;
END $$;
