-- What was replaced on a thread takes room too. A server of before that has no such table.
CREATE FUNCTION upkeep.replaced_bytes(p_thread uuid) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF to_regclass('server.replaced_writes') IS NULL THEN
        RETURN 0;
    END IF;
    RETURN (
        SELECT coalesce(sum(pg_column_size(blob) + 200), 0) FROM server.replaced_writes WHERE thread_id = p_thread::text
    );
END $$;

-- Bytes that a thread takes as they are stored, without indexes and what a page wastes.
CREATE OR REPLACE FUNCTION upkeep.bytes(p_thread uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT (
        coalesce((SELECT sum(pg_column_size(checkpoint) + pg_column_size(metadata) + 100)
            FROM public.checkpoints WHERE thread_id = p_thread::text), 0)
        + coalesce((SELECT sum(coalesce(pg_column_size(blob), 0) + 100)
            FROM public.checkpoint_blobs WHERE thread_id = p_thread::text), 0)
        + coalesce((SELECT sum(coalesce(pg_column_size(blob), 0) + 150)
            FROM public.checkpoint_writes WHERE thread_id = p_thread::text), 0)
        + coalesce((SELECT sum(pg_column_size(kwargs) + pg_column_size(metadata) + 200)
            FROM server.runs WHERE thread_id = p_thread), 0)
        + coalesce((SELECT sum(pg_column_size(data) + 100) FROM server.events WHERE thread_id = p_thread), 0)
        + coalesce((SELECT sum(coalesce(pg_column_size(values), 0) + pg_column_size(metadata) + 200)
            FROM server.threads WHERE thread_id = p_thread), 0)
        + upkeep.replaced_bytes(p_thread)
    )::bigint
$$;
