-- name: remind
-- Reviews that are open at half time, each once.
update reviews.reviews set reminded_at = now()
where id in (
    select id from reviews.reviews
    where state = 'open' and reminded_at is null and remind_at <= now()
    order by remind_at limit :limit for update skip locked)
returning id;

-- name: escalate
-- Reviews that are open when due: the group that they escalate to may answer too. Each once.
update reviews.reviews set
    escalated_at = now(),
    groups = case when escalate_to = any(groups) then groups else groups || escalate_to end
where id in (
    select id from reviews.reviews
    where state = 'open' and escalated_at is null and due_at <= now() and escalate_to is not null
    order by due_at limit :limit for update skip locked)
returning id;

-- name: to_expire
-- Open reviews whose time is over.
select id from reviews.reviews where state = 'open' and expires_at <= now() order by expires_at limit :limit;

-- name: close_expired^
-- Nobody answered, and the policy says to let it be.
update reviews.reviews set state = 'expired', closed_at = now(), note = 'nobody answered in time'
where id = :id and state = 'open' and expires_at <= now()
returning id;

-- name: no_default^
-- The policy's default does not fit this question: a person must answer, however late.
update reviews.reviews set expires_at = null, needs_person = true, note = :note
where id = :id and state = 'open' and expires_at <= now()
returning id;

-- name: forget_keys
-- Idempotency keys are honoured for a week.
delete from reviews.idempotency_keys where created_at < now() - interval '7 days';
