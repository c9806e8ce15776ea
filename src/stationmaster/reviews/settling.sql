-- name: look_again^
-- The worker takes it at its next turn. A worker that has it in hand keeps it: its request may be on the way.
update reviews.reviews set next_look_at = now()
where id = :id and phase = 'moving'
returning id;

-- name: give_up^
-- An answer of which state shows neither arrival nor question: nothing is sent any more.
update reviews.reviews set
    state = 'failed', closed_at = now(), ended_at = coalesce(ended_at, now()), needs_person = false, note = :note,
    worked_until = null
where id = :id and state = 'sent' and needs_person
returning id;

-- name: tick_off^
-- A person has looked; the review itself stays as it is.
update reviews.reviews set needs_person = false
where id = :id and needs_person and state not in ('decided', 'sent', 'consumed')
returning id;
