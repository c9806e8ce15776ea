-- name: lock_thread(thread_id)
-- One look at a thread at a time, by whatever process: an older look is then never applied after a newer one.
select pg_advisory_xact_lock(hashtextextended(:thread_id, 7352419867213402));

-- name: unfinished(thread_id)
-- What is known of a thread before it is looked at; `in_hand` while a worker sends it.
select s.*, coalesce(r.worked_until > now(), false) as in_hand
from reviews.shown s join reviews.reviews r using (id)
where s.thread_id = :thread_id and s.phase <> 'closed'
order by s.opened_at, s.id;

-- name: closed_of(thread_id, interrupt_ids)
-- Closed reviews of the questions that are asked now.
select * from reviews.shown
where thread_id = :thread_id and phase = 'closed' and interrupt_id = any(:interrupt_ids::text[]);

-- name: open^
-- A new review; nothing if it is there already.
insert into reviews.reviews (
    thread_id, interrupt_id, digest, occurrence, kind, shape, debug, graph, assistant_id, assistant_name,
    assistant_version, node, namespace, run_id, checkpoint_id, title, amount_usd, risk, payload, response_schema,
    search_text, groups, policy, opened_at, due_at, remind_at, escalate_to, expires_at, two_person, returned_from,
    note, nodes)
values (
    :thread_id, :interrupt_id, :digest, :occurrence, :kind, :shape, :debug, :graph, :assistant_id, :assistant_name,
    :assistant_version, :node, :namespace, :run_id, :checkpoint_id, :title, :amount_usd, :risk, :payload,
    :response_schema, :search_text, :groups, :policy, :opened_at, :due_at, :remind_at, :escalate_to, :expires_at,
    :two_person, :returned_from, :note, :nodes)
on conflict do nothing
returning id;

-- name: move^
-- A review changes, if it still is as it was when the plan was made. Open again means: as if never answered.
update reviews.reviews set
    state = :state,
    note = coalesce(:note, note),
    error = coalesce(:error, error),
    run_status = coalesce(:run_status, run_status),
    needs_person = :needs_person or (needs_person and phase <> 'closed' and :state not in ('finished', 'withdrawn')),
    resume_run_id = case when :state = 'open' then null else coalesce(:run_id, resume_run_id) end,
    consumed_at = case when :took then coalesce(consumed_at, now()) when :state = 'open' then null else consumed_at end,
    ended_at = case when :state in ('finished', 'failed') then now() end,
    closed_at = case when :closed then now() end,
    decided_by = case when :state = 'open' then null else decided_by end,
    decided_by_policy = case when :state = 'open' then false else decided_by_policy end,
    decided_at = case when :state = 'open' then null else decided_at end,
    decision = case when :state = 'open' then null else decision end,
    answer = case when :state = 'open' then null else answer end,
    resume = case when :state = 'open' then null else resume end,
    edits = case when :state = 'open' then null else edits end,
    reason = case when :state = 'open' then null else reason end,
    first_by = case when :state = 'open' then null else first_by end,
    first_at = case when :state = 'open' then null else first_at end,
    first_answer = case when :state = 'open' then null else first_answer end,
    send_after = case when :state = 'open' then null else send_after end,
    sent_at = case when :state = 'open' then null else sent_at end,
    -- A default that the graph refused is not tried again and again.
    expires_at = case when :state = 'open' and decided_by_policy then null else expires_at end,
    worked_until = case when :state = 'open' or :closed then null else worked_until end,
    delivery_error = null, failing_since = null, answering_since = null, delivery_tries = 0, told_at = null, gave_up_at = null,
    next_look_at = now()
where id = :id and state = :was and decided_at is not distinct from :was_decided_at
    and resume_run_id is not distinct from :was_run_id
returning id;

-- name: link_superseded(thread_id, id, node)
-- What this new question replaces: superseded ones of its thread that have no successor yet, of its node if any.
update reviews.reviews r set replaced_by = :id
where r.thread_id = :thread_id and r.state = 'superseded' and r.replaced_by is null and r.id <> :id
    and (r.node is not distinct from :node or not exists (
        select from reviews.reviews o
        where o.thread_id = :thread_id and o.state = 'open' and o.id <> :id and o.node is not distinct from r.node));

-- name: link_returned(old, new)
-- The closed review of a question that is asked again.
update reviews.reviews set replaced_by = :new where id = :old and replaced_by is null;

-- name: count_drift(name, thread_id)
-- The drift report.
update reviews.drift set n = n + 1, last_thread = :thread_id, last_at = now() where name = :name;

-- name: wake
-- Other answers of the thread may go now. One that a worker is marking at this moment waits for us: it needs no waking.
update reviews.reviews set next_look_at = greatest(now(), send_after), tries = 0
where id in (
    select id from reviews.reviews where thread_id = :thread_id and state = 'decided' for update skip locked);
