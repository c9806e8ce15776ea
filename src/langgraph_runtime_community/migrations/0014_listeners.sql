-- Who listens to a thread, by process: runs of it that another process works on are told through the database. A mark
-- runs out by itself. No reference to the thread: clients of the second protocol listen before they make it.
CREATE TABLE server.listeners (
    thread_id uuid NOT NULL,
    process uuid NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (thread_id, process)
);

CREATE FUNCTION server.heed_listeners() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.watched := NEW.watched OR EXISTS (
        SELECT FROM server.listeners l
        WHERE l.thread_id = NEW.thread_id AND l.process <> NEW.worker_id AND l.until > now()
    );
    RETURN NEW;
END $$;
CREATE TRIGGER runs_listened_from_the_start BEFORE INSERT ON server.runs
    FOR EACH ROW WHEN (NEW.status = 'running') EXECUTE FUNCTION server.heed_listeners();
CREATE TRIGGER runs_listened BEFORE UPDATE OF status ON server.runs
    FOR EACH ROW WHEN (NEW.status = 'running' AND OLD.status <> 'running') EXECUTE FUNCTION server.heed_listeners();

-- A process listens to threads for the next while: their runs at work elsewhere are told so.
CREATE FUNCTION server.listen_to(p_threads uuid[], p_process uuid, p_seconds double precision) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO server.listeners (thread_id, process, until)
    SELECT DISTINCT thread, p_process, now() + p_seconds * interval '1 second' FROM unnest(p_threads) AS thread
    ORDER BY thread
    ON CONFLICT (thread_id, process) DO UPDATE SET until = excluded.until;
    WITH watched AS (
        UPDATE server.runs SET watched = true
        WHERE thread_id = ANY (p_threads) AND status = 'running' AND worker_id <> p_process AND NOT watched
        RETURNING run_id
    )
    SELECT pg_notify('stationmaster_server', 'w ' || run_id) FROM watched;
$$;

-- Keep an event of a thread itself if another process listens. Whether it is kept.
CREATE FUNCTION server.keep_for_listeners(p_thread uuid, p_process uuid, p_event text, p_data bytea) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM server.listeners l WHERE l.thread_id = p_thread AND l.process <> p_process AND l.until > now()
    ) THEN
        RETURN false;
    END IF;
    INSERT INTO server.events (run_id, thread_id, base, number, event, data)
    VALUES (p_thread, p_thread, server.stream_base(p_thread), 0, p_event, p_data) ON CONFLICT DO NOTHING;
    PERFORM pg_notify('stationmaster_server', 'e ' || p_thread);
    RETURN true;
END $$;
