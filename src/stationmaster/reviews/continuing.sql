-- name: continue
-- A run goes on where the failed one stopped: the answer was taken then, and its way is followed again.
update reviews.reviews set
    state = 'consumed', resume_run_id = :run_id, run_status = null, error = null, note = null, needs_person = false,
    ended_at = null, closed_at = null, worked_until = null, tries = 0, next_look_at = now()
where id = :id and state = 'failed';
