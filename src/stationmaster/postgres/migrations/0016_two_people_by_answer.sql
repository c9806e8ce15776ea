-- A first answer may be what asks for a second person, by its amount: taken back, it asks no more.
alter table reviews.reviews add column two_by_answer boolean not null default false;
alter table reviews.reviews add constraint reviews_two_by_answer check (two_person or not two_by_answer);

-- What the policy asked for when the review opened stays, as it did.
create or replace function reviews.guard_review() returns trigger language plpgsql as $$
begin
    if not reviews.legal(old.state, new.state) then
        raise exception 'a review that is % can''t become %', old.state, new.state
            using errcode = 'integrity_constraint_violation', schema = 'reviews', table = 'reviews',
                  constraint = 'reviews_legal_change';
    end if;
    if (new.id, new.thread_id, new.interrupt_id, new.digest, new.occurrence, new.kind, new.payload,
        new.checkpoint_id, new.opened_at)
       is distinct from
       (old.id, old.thread_id, old.interrupt_id, old.digest, old.occurrence, old.kind, old.payload,
        old.checkpoint_id, old.opened_at)
       or new.response_schema is distinct from old.response_schema then
        raise exception 'what was shown never changes'
            using errcode = 'integrity_constraint_violation', schema = 'reviews', table = 'reviews',
                  constraint = 'reviews_shown_is_fixed';
    end if;
    if old.decided_by is not null and new.decided_by is not null
       and (new.decided_by, new.decided_at, new.decision, new.answer, new.resume)
           is distinct from (old.decided_by, old.decided_at, old.decision, old.answer, old.resume) then
        raise exception 'an answer never changes: it is undone before it was sent, or it stays'
            using errcode = 'integrity_constraint_violation', schema = 'reviews', table = 'reviews',
                  constraint = 'reviews_answer_is_fixed';
    end if;
    if old.two_person and not new.two_person
       and not (old.two_by_answer and new.first_by is null and new.state = 'open')
       or old.two_person and new.two_by_answer and not old.two_by_answer then
        raise exception 'the two-person rule of an open review stays'
            using errcode = 'integrity_constraint_violation', schema = 'reviews', table = 'reviews',
                  constraint = 'reviews_rule_is_fixed';
    end if;
    new.updated_at := now();
    return new;
end $$;
