-- name: matching
-- Runs by thread and id, or by status, as far as the caller may see their threads.
SELECT r.run_id FROM server.runs r JOIN server.threads t USING (thread_id)
WHERE CASE WHEN :statuses::text[] IS NOT NULL THEN r.status = ANY (:statuses::text[])
    ELSE r.thread_id = :thread_id AND r.run_id = ANY (:runs::uuid[]) END
    AND server.passes(t.metadata, :filter);

-- name: cancel
-- Cancel what of these is in flight; what each was before.
SELECT * FROM server.cancel_runs(:runs::uuid[], :action, :reason);
