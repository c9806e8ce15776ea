-- With the history of a thread goes what was replaced on it. A server of before that has no such table.
CREATE OR REPLACE FUNCTION upkeep.trim_thread(p_thread uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    before bigint := upkeep.bytes(p_thread);
BEGIN
    DELETE FROM public.checkpoints c USING upkeep.history(p_thread::text) h
    WHERE c.thread_id = p_thread::text AND c.checkpoint_ns = h.checkpoint_ns AND c.checkpoint_id = h.checkpoint_id;
    DELETE FROM public.checkpoint_writes w WHERE w.thread_id = p_thread::text AND NOT EXISTS (
        SELECT FROM public.checkpoints c WHERE c.thread_id = w.thread_id
            AND c.checkpoint_ns = w.checkpoint_ns AND c.checkpoint_id = w.checkpoint_id
    );
    DELETE FROM public.checkpoint_blobs b WHERE b.thread_id = p_thread::text AND NOT EXISTS (
        SELECT FROM public.checkpoints c WHERE c.thread_id = b.thread_id AND c.checkpoint_ns = b.checkpoint_ns
            AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version
    );
    IF to_regclass('server.replaced_writes') IS NOT NULL THEN
        DELETE FROM server.replaced_writes r WHERE r.thread_id = p_thread::text AND NOT EXISTS (
            SELECT FROM public.checkpoints c WHERE c.thread_id = r.thread_id
                AND c.checkpoint_ns = r.checkpoint_ns AND c.checkpoint_id = r.checkpoint_id
        );
    END IF;
    RETURN before - upkeep.bytes(p_thread);
END $$;
