-- name: end
-- End a run on a thread that stays.
SELECT server.end_run(
    :run, :epoch, :status, :graph, :settled, :error, :state, :values, :interrupts, :hook
) AS thread_status;

-- name: end_stateless
-- End a run together with its thread.
SELECT server.end_stateless(:run, :epoch, :hook, :keep_events);

-- name: spare
-- Remove a run that must not begin while somebody is asked, if so.
SELECT server.spare_question(:run, :epoch) AS spared;

-- name: hand_back
-- Put a run back into the queue.
SELECT server.hand_back(:run, :epoch, :counted, :delay, :error) AS done;
