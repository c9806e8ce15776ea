-- Whether a thread past its time to live may go: never one that is at work or waits for an answer, which its newest
-- checkpoint says, for its row may have been left behind; nor one with a cron or a webhook still to send, which would go
-- with it, unless only its history goes.
CREATE FUNCTION server.may_expire(p_thread server.threads) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT p_thread.status IN ('idle', 'error') AND p_thread.interrupts = '{}'
        AND NOT server.asks(p_thread.thread_id)
        AND NOT EXISTS (
            SELECT FROM server.runs r WHERE r.thread_id = p_thread.thread_id AND r.status IN ('pending', 'running')
        )
        AND (p_thread.ttl_strategy <> 'delete' OR NOT EXISTS (
            SELECT FROM server.crons c WHERE c.thread_id = p_thread.thread_id
        ) AND NOT EXISTS (
            SELECT FROM server.outbox o WHERE o.thread_id = p_thread.thread_id AND o.dead_at IS NULL
        ))
$$;

CREATE INDEX crons_of_thread ON server.crons (thread_id);
