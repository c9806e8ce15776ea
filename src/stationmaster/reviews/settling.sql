-- name: look_again^
-- The worker takes it at its next turn. A worker that has it in hand keeps it: its request may be on the way.
update reviews.reviews set next_look_at = now()
where id = :id and phase = 'moving'
returning id;

-- name: retry^
-- The same for an answer that could not be delivered, with all the time that a new one has.
update reviews.reviews set
    next_look_at = now(), failing_since = now(), answering_since = null, delivery_tries = 0, told_at = null,
    needs_person = needs_person and gave_up_at is null, gave_up_at = null
where id = :id and phase = 'moving' and delivery_error is not null
returning id;

-- name: send_with^
-- The same, with another assistant than the one that asked. Only what never left: whether the other has it, none can say.
update reviews.reviews set
    send_with = :assistant_id, next_look_at = now(), failing_since = now(), answering_since = null, delivery_tries = 0, told_at = null,
    needs_person = needs_person and gave_up_at is null, gave_up_at = null
where id = :id and state = 'decided' and delivery_error is not null
returning id;

-- name: give_up^
-- An answer of which state shows neither arrival nor question, or that can't be delivered and that no worker is sending
-- at this moment: nothing is sent any more.
update reviews.reviews set
    state = 'failed', closed_at = now(), ended_at = coalesce(ended_at, now()), needs_person = false, note = :note,
    error = coalesce(error, delivery_error), worked_until = null
where id = :id and (
    state = 'sent' and needs_person and delivery_error is null
    or state in ('decided', 'sent') and delivery_error is not null and coalesce(worked_until < now(), true))
returning id;

-- name: tick_off^
-- A person has looked; the review itself stays as it is.
update reviews.reviews set needs_person = false
where id = :id and needs_person and state not in ('decided', 'sent', 'consumed')
returning id;
