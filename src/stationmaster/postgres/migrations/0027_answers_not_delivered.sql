-- Why an answer that is on its way could not be taken further, since when, how often it was tried, and when the service
-- stopped trying by itself. Of no meaning once the review is open or closed: the view shows none of it then.
-- send_with: the assistant that an operator had it sent with, in place of the one that asked.
alter table reviews.reviews
    add column delivery_error text check (delivery_error <> ''),
    add column failing_since  timestamptz,
    add column delivery_tries integer not null default 0 check (delivery_tries >= 0),
    add column told_at        timestamptz,
    add column gave_up_at     timestamptz,
    add column send_with      text check (send_with <> '');
alter table reviews.reviews
    add constraint reviews_failing_whole check ((delivery_error is null) = (failing_since is null)),
    add constraint reviews_gave_up_for_a_reason check (gave_up_at is null or delivery_error is not null);
create index reviews_failing on reviews.reviews (failing_since) where phase = 'moving' and delivery_error is not null;

-- An operator may close an answer that never left: it then failed, and was not sent.
alter table reviews.reviews drop constraint reviews_sent;
alter table reviews.reviews add constraint reviews_sent check (state not in ('sent', 'consumed', 'finished') or sent_at is not null);

create or replace view reviews.shown as select
    id, thread_id, interrupt_id, digest, occurrence, kind, shape, debug, graph, assistant_id, assistant_name,
    assistant_version, node, namespace, run_id, checkpoint_id, title, amount_usd, risk, payload, response_schema,
    state, phase, groups, policy, opened_at, due_at, due_sort, remind_at, reminded_at, escalate_to, escalated_at,
    expires_at, claimed_by, claimed_at, two_person, first_by, first_at, first_answer, decided_by, decided_at,
    decision, answer, resume, edits, reason, send_after, sent_at, resume_run_id, consumed_at, ended_at, run_status,
    error, replaced_by, returned_from, note, needs_person, closed_at, updated_at, nodes,
    case when phase = 'moving' then delivery_error end as delivery_error,
    case when phase = 'moving' then failing_since end as failing_since,
    case when phase = 'moving' then delivery_tries else 0 end as delivery_tries,
    case when phase = 'moving' and delivery_error is not null and gave_up_at is null then next_look_at end as next_try_at,
    case when phase = 'moving' then gave_up_at end as gave_up_at,
    send_with
from reviews.reviews;

create or replace function reviews.legal(before text, after text) returns boolean language sql immutable as $$
    select before = after or case before
        -- undo, and an answer that the graph refused or that could not be sent: the question is open again
        when 'open' then after in ('decided', 'superseded', 'answered_elsewhere', 'expired', 'withdrawn')
        -- failed: an operator closed an answer that could not be delivered
        when 'decided' then after in ('open', 'sent', 'failed', 'superseded', 'answered_elsewhere', 'withdrawn')
        when 'sent' then after in ('open', 'decided', 'consumed', 'failed', 'superseded', 'answered_elsewhere', 'withdrawn')
        when 'consumed' then after in ('finished', 'failed', 'withdrawn')
        when 'failed' then after = 'consumed'
        else false
    end
$$;
