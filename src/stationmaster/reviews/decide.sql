-- name: decide^
-- The one update by which an answer wins: whoever comes second finds no open review any more.
update reviews.reviews set
    state = 'decided', decided_by = :by, decided_by_policy = :by_policy, decided_at = now(), decision = :decision,
    answer = :answer, resume = :resume, edits = :edits, reason = :reason,
    send_after = now() + make_interval(secs => :undo_s), next_look_at = now() + make_interval(secs => :undo_s),
    tries = 0, needs_person = false, error = null, note = :note, claimed_by = null, claimed_at = null,
    delivery_error = null, failing_since = null, answering_since = null, delivery_tries = 0, told_at = null,
    gave_up_at = null, send_with = null
where id = :id and state = 'open'
    and first_at is not distinct from :first_at and first_by is not distinct from :first_by
    and (not two_person or first_by is not null or :by_policy)
    and (not :by_policy or expires_at <= now())
    and (:by_policy or claimed_by is null or claimed_by = :by)
returning id;

-- name: propose^
-- The answer of the first of two people; the second one's change makes theirs the first.
update reviews.reviews set
    two_by_answer = two_by_answer or not two_person, two_person = true, first_by = :by, first_at = now(), first_answer = :first_answer,
    claimed_by = null, claimed_at = null
where id = :id and state = 'open'
    and first_at is not distinct from :first_at and first_by is not distinct from :first_by
    and (claimed_by is null or claimed_by = :by)
returning id;

-- name: undo^
-- Take an answer back before it leaves: by whoever gave it.
update reviews.reviews set
    state = 'open', decided_by = null, decided_at = null, decision = null, answer = null, resume = null,
    edits = null, reason = null, send_after = null, next_look_at = now()
where id = :id and state = 'decided' and decided_by = :by and send_after > now()
returning id;

-- name: withdraw_proposal^
-- Take the first of two answers back, as long as nobody has confirmed it; with it goes a rule that only it asked for.
update reviews.reviews set
    first_by = null, first_at = null, first_answer = null,
    two_person = two_person and not two_by_answer, two_by_answer = false
where id = :id and state = 'open' and first_by = :by
returning id;

-- name: claim^
-- Take an open review to work on, unless somebody has it.
update reviews.reviews set claimed_by = :by, claimed_at = case when claimed_by = :by then claimed_at else now() end
where id = :id and state = 'open' and (claimed_by is null or claimed_by = :by)
returning id;

-- name: release^
-- Give it back: one's own, or as a lead anybody's.
update reviews.reviews set claimed_by = null, claimed_at = null
where id = :id and state = 'open' and claimed_by is not null and (claimed_by = :by or :anybodys)
returning id;

-- name: comment^
-- A remark beside a review.
insert into reviews.comments (review_id, author, body) values (:id, :by, :body) returning comment_id;

-- name: remember^
-- The first request with this key; nothing when there was one. Waits for one that is under way.
insert into reviews.idempotency_keys (identity, key, request_hash, review_id)
values (:identity, :key, :request_hash, :id)
on conflict do nothing
returning key;

-- name: remembered^
-- What the key was first used for.
select request_hash, review_id from reviews.idempotency_keys where identity = :identity and key = :key;
