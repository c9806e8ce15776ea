-- Upkeep of what the durable server keeps: what may go, who is at it, and what was done.
CREATE SCHEMA upkeep;

-- Whose turn it is. A lease, not an advisory lock: behind a pooler in transaction mode a session's lock stays with
-- a connection that is somebody else's a moment later.
CREATE TABLE upkeep.turn (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    holder text,
    held_until timestamptz,
    -- When the last nightly pass ended. A database that is new to this has none to catch up with.
    nightly_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((holder IS NULL) = (held_until IS NULL))
);
INSERT INTO upkeep.turn DEFAULT VALUES;

CREATE TABLE upkeep.passes (
    pass_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    nightly boolean NOT NULL,
    holder text NOT NULL,
    days double precision NOT NULL,
    began_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    deleted bigint NOT NULL DEFAULT 0,
    trimmed bigint NOT NULL DEFAULT 0,
    exported bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    webhooks bigint NOT NULL DEFAULT 0,
    problem text
);

-- Whether a flag in metadata is set: anything but false, null and the empty string.
CREATE FUNCTION upkeep.flagged(p_metadata jsonb, p_name text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(p_metadata -> p_name NOT IN ('false', 'null', '""'), false)
$$;

-- Whether a question is pending on a thread, as its state says: the newest checkpoint is the authority, not the
-- thread's row, which may have been left behind.
CREATE FUNCTION upkeep.asked(p_thread text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM public.checkpoint_writes w
        WHERE w.thread_id = p_thread AND w.checkpoint_ns = '' AND w.channel = '__interrupt__'
            AND w.checkpoint_id = (
                SELECT max(c.checkpoint_id) FROM public.checkpoints c WHERE c.thread_id = p_thread AND c.checkpoint_ns = ''
            )
    )
$$;

-- Threads with a review that is not over, or that a person has to look at. None where there are no reviews.
CREATE FUNCTION upkeep.under_review() RETURNS SETOF text LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF to_regclass('reviews.reviews') IS NOT NULL THEN
        RETURN QUERY SELECT r.thread_id FROM reviews.reviews r WHERE r.phase <> 'closed' OR r.needs_person;
    END IF;
END $$;

-- The history of a thread: all checkpoints but the newest of each namespace, and but those from which a delta
-- channel of the newest is rebuilt (as the runtime's own `keep_latest` has it).
CREATE FUNCTION upkeep.history(p_thread text) RETURNS TABLE (checkpoint_ns text, checkpoint_id text)
LANGUAGE sql STABLE AS $$
    WITH RECURSIVE heads AS (
        SELECT DISTINCT ON (c.checkpoint_ns) c.checkpoint_ns, c.checkpoint_id, c.parent_checkpoint_id, c.metadata
        FROM public.checkpoints c WHERE c.thread_id = p_thread ORDER BY c.checkpoint_ns, c.checkpoint_id DESC
    ), chain AS (
        SELECT h.checkpoint_ns, h.checkpoint_id, h.parent_checkpoint_id, coalesce(n.updates, 0) AS updates,
            coalesce(n.steps, 0) AS steps
        FROM heads h CROSS JOIN LATERAL (
            SELECT max((counter.value ->> 0)::integer) AS updates, max((counter.value ->> 1)::integer) AS steps
            FROM jsonb_each(server.object(h.metadata -> 'counters_since_delta_snapshot')) AS counter
            WHERE jsonb_typeof(counter.value) = 'array'
        ) n
        UNION ALL
        SELECT p.checkpoint_ns, p.checkpoint_id, p.parent_checkpoint_id, chain.updates, chain.steps - 1
        FROM chain JOIN public.checkpoints p ON p.thread_id = p_thread AND p.checkpoint_ns = chain.checkpoint_ns
            AND p.checkpoint_id = chain.parent_checkpoint_id
        WHERE chain.updates > 0 AND chain.steps > -1
    )
    SELECT c.checkpoint_ns, c.checkpoint_id FROM public.checkpoints c
    WHERE c.thread_id = p_thread AND NOT EXISTS (
        SELECT FROM chain k WHERE k.checkpoint_ns = c.checkpoint_ns AND k.checkpoint_id = c.checkpoint_id
    )
$$;

-- Bytes that a thread takes as they are stored, without indexes and what a page wastes.
CREATE FUNCTION upkeep.bytes(p_thread uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
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
    )::bigint
$$;

-- Threads that have been idle since before a moment and of which nobody needs anything any more.
-- `stays`: it is marked to be kept, or a cron runs on it; then only its history goes.
CREATE FUNCTION upkeep.ripe(p_before timestamptz, p_threads uuid[] DEFAULT NULL)
RETURNS TABLE (thread_id uuid, graph_id text, stays boolean, export boolean) LANGUAGE sql STABLE AS $$
    SELECT t.thread_id, t.metadata ->> 'graph_id', kept.stays,
        upkeep.flagged(t.metadata, 'keep') OR upkeep.flagged(t.metadata, 'export')
    FROM server.threads t
    CROSS JOIN LATERAL (
        SELECT upkeep.flagged(t.metadata, 'keep')
            OR EXISTS (SELECT FROM server.crons c WHERE c.thread_id = t.thread_id) AS stays
    ) kept
    WHERE (p_threads IS NULL OR t.thread_id = ANY (p_threads))
        AND t.updated_at < p_before AND t.state_updated_at < p_before
        AND t.status IN ('idle', 'error') AND t.interrupts = '{}'
        AND NOT EXISTS (
            SELECT FROM server.runs r WHERE r.thread_id = t.thread_id AND r.status IN ('pending', 'running')
        )
        AND NOT EXISTS (SELECT FROM server.outbox o WHERE o.thread_id = t.thread_id AND o.dead_at IS NULL)
        AND t.thread_id::text NOT IN (SELECT upkeep.under_review())
        AND NOT upkeep.asked(t.thread_id::text)
        AND (NOT kept.stays OR EXISTS (SELECT FROM upkeep.history(t.thread_id::text)))
$$;

-- Remove a thread with whatever there is of it, but for webhooks; the bytes that it took.
CREATE FUNCTION upkeep.drop_thread(p_thread uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    freed bigint := upkeep.bytes(p_thread);
BEGIN
    PERFORM server.delete_thread(p_thread, false);
    RETURN freed;
END $$;

-- Remove the history of a thread; the bytes that it took.
CREATE FUNCTION upkeep.trim_thread(p_thread uuid) RETURNS bigint LANGUAGE plpgsql AS $$
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
    RETURN before - upkeep.bytes(p_thread);
END $$;
