-- name: take
-- Answers on their way that are due a look, each for one worker; a worker that died loses it with its lease.
-- `failed`: only those whose last try failed, or only the others; null: all.
update reviews.reviews set worked_by = :worker, worked_until = now() + make_interval(secs => :lease_s)
where id in (
    select id from reviews.reviews
    where phase = 'moving' and next_look_at <= now() and (worked_until is null or worked_until < now())
        and gave_up_at is null and (:failed::boolean is null or (delivery_error is not null) = :failed)
    order by next_look_at
    limit :limit
    for update skip locked)
returning id;

-- name: put_back
-- Look again later, the less news there was the later. What had kept it, if `went`, does so no more.
update reviews.reviews set
    worked_until = null,
    tries = tries + 1,
    next_look_at = now() + make_interval(secs => (array[0.1, 0.2, 0.5, 1.0, 2.0, 5.0])[least(tries + 1, 6)]::float8),
    delivery_error = case when not :went then delivery_error end,
    failing_since = case when not :went then failing_since end,
    answering_since = case when not :went then answering_since end,
    delivery_tries = case when :went then 0 else delivery_tries end,
    told_at = case when not :went then told_at end
where id = :id and worked_by = :worker and phase = 'moving';

-- name: mark_sent^
-- Before anything leaves: from here on the answer may be with the server. The index of one sent answer a thread
-- refuses a second one. Not with an assistant in place of which an operator has named another one meanwhile.
update reviews.reviews set state = 'sent', sent_at = now(), tries = 0
where id = :id and state = 'decided' and send_after <= now() and decided_at = :decided_at
    and send_with is not distinct from :send_with and worked_by = :worker and worked_until > now()
returning id;

-- name: mark_again^
-- The same for an answer that was marked and never arrived: only by the worker that still has it in hand.
update reviews.reviews set worked_until = now() + make_interval(secs => :lease_s)
where id = :id and state = 'sent' and resume_run_id is null and decided_at = :decided_at
    and worked_by = :worker and worked_until > now()
returning id;

-- name: mark_unsent^
-- The server certainly did not take it.
update reviews.reviews set state = 'decided', sent_at = null
where id = :id and state = 'sent' and resume_run_id is null and decided_at = :decided_at
returning id;

-- name: note_run^
-- The run that carries the answer.
update reviews.reviews set resume_run_id = :run_id
where id = :id and state = 'sent' and resume_run_id is null and decided_at = :decided_at
returning id;

-- name: refuse^
-- The server understood the answer and refused it: a person must look, and answer again.
update reviews.reviews set
    state = 'open', note = :note, error = :error, needs_person = true,
    expires_at = case when decided_by_policy then null else expires_at end,
    decided_by = null, decided_by_policy = false, decided_at = null, decision = null, answer = null, resume = null,
    edits = null, reason = null, send_after = null, sent_at = null, worked_until = null,
    first_by = null, first_at = null, first_answer = null,
    two_person = two_person and not two_by_answer, two_by_answer = false
where id = :id and state = 'sent' and resume_run_id is null and decided_at = :decided_at
returning id;

-- name: needs_person
-- What can't be known is shown to a person instead of guessed.
update reviews.reviews set needs_person = true, note = :note
where id = :id and phase = 'moving' and (not needs_person or note is distinct from :note)
returning id;
