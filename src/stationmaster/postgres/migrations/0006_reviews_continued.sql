-- The nodes that an answer may be written as, where the server names them: for answers that send a thread back.
alter table reviews.reviews add column nodes text[] not null default '{}';

create or replace view reviews.shown as select
    id, thread_id, interrupt_id, digest, occurrence, kind, shape, debug, graph, assistant_id, assistant_name,
    assistant_version, node, namespace, run_id, checkpoint_id, title, amount_usd, risk, payload, response_schema,
    state, phase, groups, policy, opened_at, due_at, due_sort, remind_at, reminded_at, escalate_to, escalated_at,
    expires_at, claimed_by, claimed_at, two_person, first_by, first_at, first_answer, decided_by, decided_at,
    decision, answer, resume, edits, reason, send_after, sent_at, resume_run_id, consumed_at, ended_at, run_status,
    error, replaced_by, returned_from, note, needs_person, closed_at, updated_at, nodes
from reviews.reviews;

-- A thread whose run failed after it took the answer may be continued by an operator: the review is then under way again.
create or replace function reviews.legal(before text, after text) returns boolean language sql immutable as $$
    select before = after or case before
        -- undo, and an answer that the graph refused or that could not be sent: the question is open again
        when 'open' then after in ('decided', 'superseded', 'answered_elsewhere', 'expired', 'withdrawn')
        when 'decided' then after in ('open', 'sent', 'superseded', 'answered_elsewhere', 'withdrawn')
        when 'sent' then after in ('open', 'decided', 'consumed', 'failed', 'superseded', 'answered_elsewhere', 'withdrawn')
        when 'consumed' then after in ('finished', 'failed', 'withdrawn')
        when 'failed' then after = 'consumed'
        else false
    end
$$;
