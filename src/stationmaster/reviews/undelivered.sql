-- name: put_off^
-- Could not be taken further: why, and when it is tried again; after :give_up_s seconds in which the server was there,
-- no more by itself. `hold_s` keeps others from concluding meanwhile.
update reviews.reviews set
    worked_until = case when :hold_s > 0 then now() + make_interval(secs => :hold_s) end,
    tries = tries + 1,
    next_look_at = now() + make_interval(secs => greatest(
        :hold_s, least(:first_s * 2 ^ least(delivery_tries, 20), :longest_s)::float8)),
    delivery_error = :error,
    failing_since = coalesce(failing_since, now()),
    delivery_tries = delivery_tries + 1,
    answering_since = case when not :away then coalesce(answering_since, now()) end,
    gave_up_at = case when not :away and answering_since <= now() - make_interval(secs => :give_up_s) then now() end,
    needs_person = needs_person
        or coalesce(not :away and answering_since <= now() - make_interval(secs => :give_up_s), false)
where id = :id and worked_by = :worker and phase = 'moving' and gave_up_at is null
returning id, gave_up_at is not null as gave_up,
    told_at is null and failing_since <= now() - make_interval(secs => :tell_s) as to_be_told;

-- name: told
-- Somebody was told that it does not arrive.
update reviews.reviews set told_at = now() where id = :id;
