-- Reviews: every question that a graph asks a person, from the moment it is seen to the end of what the answer
-- set going; and the deliveries of the Agent Server's webhooks. JSON is kept as text where it must stay as it was
-- shown (jsonb refuses NUL, sorts keys and rewrites numbers).
create schema reviews;
create schema webhooks;

create table reviews.reviews (
    id                uuid primary key default gen_random_uuid(),
    thread_id         text not null check (thread_id <> ''),
    interrupt_id      text not null check (interrupt_id <> ''),
    digest            text not null check (digest ~ '^[0-9a-f]{64}$'),
    -- 1, and more when a question comes back that was closed before: the server forgot, or went back in time.
    occurrence        integer not null default 1 check (occurrence > 0),
    kind              text not null check (kind in ('interrupt', 'breakpoint', 'node_interrupt')),
    shape             text not null check (shape <> ''),
    debug             boolean not null default false,

    graph             text,
    assistant_id      text,
    assistant_name    text,
    assistant_version integer,
    node              text,
    namespace         text not null default '',
    run_id            text,
    checkpoint_id     text not null,

    title             text not null check (title <> '' and length(title) <= 200),
    amount_usd        double precision,
    risk              text not null default 'normal' check (risk in ('low', 'normal', 'high')),
    payload           text not null,
    response_schema   text,
    -- Words of title and payload, NUL stripped and capped; what the search looks in.
    search_text       text not null default '' check (length(search_text) <= 50000),
    search            tsvector not null generated always as (to_tsvector('simple', search_text)) stored,

    state             text not null default 'open' check (state in (
                          'open', 'decided', 'sent', 'consumed', 'finished', 'failed',
                          'superseded', 'answered_elsewhere', 'expired', 'withdrawn')),
    phase             text not null generated always as (
                          case when state = 'open' then 'open'
                               when state in ('decided', 'sent', 'consumed') then 'moving'
                               else 'closed' end) stored,
    groups            text[] not null default '{}',
    policy            jsonb not null default '{}' check (jsonb_typeof(policy) = 'object'),
    opened_at         timestamptz not null default now(),
    due_at            timestamptz,
    -- What the list is sorted by: without a due time a review comes after all that have one.
    due_sort          timestamptz not null generated always as (coalesce(due_at, '9999-01-01 00:00+00'::timestamptz)) stored,
    remind_at         timestamptz,
    reminded_at       timestamptz,
    escalate_to       text,
    escalated_at      timestamptz,
    expires_at        timestamptz,

    claimed_by        text,
    claimed_at        timestamptz,
    two_person        boolean not null default false,
    first_by          text,
    first_at          timestamptz,
    first_answer      text,

    decided_by        text,
    decided_by_policy boolean not null default false,
    decided_at        timestamptz,
    decision          text,
    answer            text,
    resume            text,
    edits             text,
    reason            text,

    send_after        timestamptz,
    sent_at           timestamptz,
    resume_run_id     text,
    consumed_at       timestamptz,
    ended_at          timestamptz,
    run_status        text,
    error             text,
    replaced_by       uuid references reviews.reviews,
    returned_from     uuid references reviews.reviews,
    note              text,
    needs_person      boolean not null default false,
    closed_at         timestamptz,
    updated_at        timestamptz not null default now(),

    -- The worker's: who has it in hand, until when, how often it was tried.
    worked_by         text,
    worked_until      timestamptz,
    tries             integer not null default 0,
    next_look_at      timestamptz not null default now(),

    constraint reviews_key unique (thread_id, interrupt_id, digest, occurrence),
    constraint reviews_claim check ((claimed_by is null) = (claimed_at is null)),
    constraint reviews_first check ((first_by is null) = (first_at is null) and (first_by is null) = (first_answer is null)),
    constraint reviews_first_is_of_two check (first_by is null or two_person),
    constraint reviews_two_people check (decided_by is null or first_by is null or first_by <> decided_by),
    constraint reviews_second_person check (
        not two_person or decided_by is null or decided_by_policy or first_by is not null),
    constraint reviews_decision_whole check (
        (decided_by is null) = (decided_at is null) and (decided_by is null) = (decision is null)
        and (decided_by is null) = (answer is null) and (decided_by is null) = (resume is null)),
    constraint reviews_decided check (
        state not in ('decided', 'sent', 'consumed', 'finished', 'failed') or decided_by is not null),
    constraint reviews_open_is_undecided check (state <> 'open' or decided_by is null),
    constraint reviews_sent check (state not in ('sent', 'consumed', 'finished', 'failed') or sent_at is not null),
    constraint reviews_consumed check (state not in ('consumed', 'finished') or consumed_at is not null),
    constraint reviews_unconsumed check (state not in ('open', 'decided', 'sent') or consumed_at is null),
    constraint reviews_closed check ((closed_at is null) = (state in ('open', 'decided', 'sent', 'consumed'))),
    constraint reviews_not_its_own_successor check (replaced_by <> id and returned_from <> id),
    constraint reviews_debug_never_expires check (not debug or (expires_at is null and remind_at is null))
);
create unique index reviews_one_unfinished on reviews.reviews (thread_id, interrupt_id, digest)
    where state in ('open', 'decided', 'sent', 'consumed');
-- The answers of one thread travel one at a time.
create unique index reviews_one_sent_per_thread on reviews.reviews (thread_id) where state = 'sent';
create index reviews_thread on reviews.reviews (thread_id, opened_at);
create index reviews_list_due on reviews.reviews (phase, due_sort, opened_at, id);
create index reviews_list_opened on reviews.reviews (phase, opened_at desc, id desc);
create index reviews_list_closed on reviews.reviews (closed_at desc, id desc) where phase = 'closed';
create index reviews_counts on reviews.reviews (phase, claimed_by, first_by) include (debug, groups);
create index reviews_groups on reviews.reviews using gin (groups);
create index reviews_search on reviews.reviews using gin (search);
create index reviews_amount on reviews.reviews (amount_usd) where amount_usd is not null;
create index reviews_claimed on reviews.reviews (claimed_by) where phase <> 'closed' and claimed_by is not null;
create index reviews_decided_by on reviews.reviews (decided_by, decided_at desc) where decided_by is not null;
create index reviews_to_work_on on reviews.reviews (next_look_at) where phase = 'moving';
create index reviews_to_remind on reviews.reviews (remind_at) where state = 'open' and reminded_at is null;
create index reviews_to_escalate on reviews.reviews (due_at) where state = 'open' and escalated_at is null;
create index reviews_to_expire on reviews.reviews (expires_at) where state = 'open';
create index reviews_needs_person on reviews.reviews (updated_at) where needs_person;

create function reviews.legal(before text, after text) returns boolean language sql immutable as $$
    select before = after or case before
        -- undo, and an answer that the graph refused or that could not be sent: the question is open again
        when 'open' then after in ('decided', 'superseded', 'answered_elsewhere', 'expired', 'withdrawn')
        when 'decided' then after in ('open', 'sent', 'superseded', 'answered_elsewhere', 'withdrawn')
        when 'sent' then after in ('open', 'decided', 'consumed', 'failed', 'superseded', 'answered_elsewhere', 'withdrawn')
        when 'consumed' then after in ('finished', 'failed', 'withdrawn')
        else false
    end
$$;

create function reviews.guard_review() returns trigger language plpgsql as $$
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
    if old.two_person and not new.two_person then
        raise exception 'the two-person rule of an open review stays'
            using errcode = 'integrity_constraint_violation', schema = 'reviews', table = 'reviews',
                  constraint = 'reviews_rule_is_fixed';
    end if;
    new.updated_at := now();
    return new;
end $$;
create trigger reviews_guard before update on reviews.reviews
    for each row execute function reviews.guard_review();

create function reviews.refuse() returns trigger language plpgsql as $$
begin
    raise exception '% on %.% is not allowed: %', tg_op, tg_table_schema, tg_table_name, tg_argv[0]
        using errcode = 'integrity_constraint_violation', schema = tg_table_schema, table = tg_table_name,
              constraint = tg_name;
end $$;
create trigger reviews_start_open before insert on reviews.reviews
    for each row when (new.state <> 'open')
    execute function reviews.refuse('a review starts open');
create trigger reviews_kept before delete on reviews.reviews
    for each row when (old.closed_at is null)
    execute function reviews.refuse('what a person still has to answer is never removed');
create trigger reviews_truncate before truncate on reviews.reviews
    for each statement execute function reviews.refuse('what a person still has to answer is never removed');

-- The tab of the list that a review stands in, for one who looks.
create function reviews.tab_of(state text, debug boolean, claimed_by text, first_by text, me text) returns text
language sql immutable as $$
    select case
        when state in ('decided', 'sent', 'consumed') then 'decided'
        when state <> 'open' then 'closed'
        when debug then 'debug'
        when claimed_by = me then 'claimed'
        when claimed_by is not null or first_by = me then 'waiting'
        else 'needs_you'
    end
$$;

-- A review as the service reads it: without what only searches and workers need.
create view reviews.shown as select
    id, thread_id, interrupt_id, digest, occurrence, kind, shape, debug, graph, assistant_id, assistant_name,
    assistant_version, node, namespace, run_id, checkpoint_id, title, amount_usd, risk, payload, response_schema,
    state, phase, groups, policy, opened_at, due_at, due_sort, remind_at, reminded_at, escalate_to, escalated_at,
    expires_at, claimed_by, claimed_at, two_person, first_by, first_at, first_answer, decided_by, decided_at,
    decision, answer, resume, edits, reason, send_after, sent_at, resume_run_id, consumed_at, ended_at, run_status,
    error, replaced_by, returned_from, note, needs_person, closed_at, updated_at
from reviews.reviews;

-- Remarks beside a question.
create table reviews.comments (
    comment_id bigint generated always as identity primary key,
    review_id  uuid not null references reviews.reviews on delete cascade,
    author     text not null check (author <> ''),
    body       text not null check (body <> '' and length(body) <= 10000),
    at         timestamptz not null default now()
);
create index comments_review on reviews.comments (review_id, comment_id);

-- The audit (stationmaster.reviews.audit): each entry carries the hash of the one before. It outlives its reviews.
create table reviews.audit (
    seq       bigint primary key check (seq > 0),
    at        timestamptz not null,
    review_id uuid,
    actor     text not null check (actor <> ''),
    action    text not null check (action <> ''),
    detail    text not null,
    previous  text not null check (previous ~ '^[0-9a-f]{64}$'),
    hash      text not null unique check (hash ~ '^[0-9a-f]{64}$')
);
create index audit_review on reviews.audit (review_id, seq);
create index audit_actor on reviews.audit (actor, seq);
create trigger audit_append_only before update or delete or truncate on reviews.audit
    for each statement execute function reviews.refuse('entries are only ever added');
-- The newest entry; whoever adds one locks this row, so that the chain has no two ends.
create table reviews.audit_head (
    only_row boolean primary key default true check (only_row),
    seq      bigint not null,
    hash     text not null check (hash ~ '^[0-9a-f]{64}$')
);
insert into reviews.audit_head (seq, hash) values (0, repeat('0', 64));
create trigger audit_head_kept before delete or truncate on reviews.audit_head
    for each statement execute function reviews.refuse('the chain has one end');
-- What transactions under way want to add. It joins the chain when they commit, after every other lock they take:
-- so the chain's lock is held for the length of a commit, and no order of deciding can deadlock over it.
create table reviews.audit_pending (
    entry_id  bigint generated always as identity primary key,
    review_id uuid,
    actor     text not null check (actor <> ''),
    action    text not null check (action ~ '^[a-z_]+$'),
    detail    text not null,
    -- The entry's canonical JSON as far as the transaction knows it: {"action":...,"actor":...
    opening   text not null
);
create function reviews.chain_entry() returns trigger language plpgsql as $$
declare
    head   reviews.audit_head;
    moment timestamptz;
    digest text;
begin
    select * into strict head from reviews.audit_head for update;
    moment := clock_timestamp();
    digest := encode(sha256(convert_to(
        new.opening
        || ',"at":"' || to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
        || '","detail":' || new.detail
        || ',"previous":"' || head.hash
        || '","review_id":' || coalesce('"' || new.review_id || '"', 'null')
        || ',"seq":' || head.seq + 1 || '}', 'UTF8')), 'hex');
    insert into reviews.audit (seq, at, review_id, actor, action, detail, previous, hash)
    values (head.seq + 1, moment, new.review_id, new.actor, new.action, new.detail, head.hash, digest);
    update reviews.audit_head set seq = head.seq + 1, hash = digest;
    delete from reviews.audit_pending where entry_id = new.entry_id;
    return null;
end $$;
create constraint trigger audit_chain after insert on reviews.audit_pending
    deferrable initially deferred for each row execute function reviews.chain_entry();
-- Consoles that show a list look again. It only wakes them: they look now and then anyway.
create function reviews.tell_changed() returns trigger language plpgsql as $$
begin
    perform pg_notify('reviews_changed', '');
    return null;
end $$;
create trigger audit_told after insert on reviews.audit
    for each statement execute function reviews.tell_changed();

-- What others are told (stationmaster.reviews.outbox): events to services, notices to people. Written in the
-- transaction that it tells of; spread by a worker over those who are configured to hear it.
create table reviews.outbox (
    message_id uuid primary key default gen_random_uuid(),
    seq        bigint not null generated always as identity unique,
    medium     text not null check (medium in ('event', 'notice')),
    kind       text not null check (kind <> ''),
    review_id  uuid not null,
    -- A notice's channel group. An event goes to every configured URL.
    audience   text check (audience <> ''),
    body       text not null,
    created_at timestamptz not null default now(),
    spread_at  timestamptz,
    constraint outbox_audience check ((medium = 'notice') = (audience is not null))
);
create index outbox_to_spread on reviews.outbox (seq) where spread_at is null;
create index outbox_review on reviews.outbox (review_id, seq);
create index outbox_age on reviews.outbox (created_at);
-- One row a message and receiver, tried until it is accepted. `receiver` is a hash, `shown` holds no secret.
create table reviews.dispatches (
    message_id   uuid not null references reviews.outbox on delete cascade,
    receiver     text not null check (receiver ~ '^[0-9a-f]{64}$'),
    shown        text not null,
    state        text not null default 'waiting' check (state in ('waiting', 'sent', 'dead')),
    next_try_at  timestamptz not null default now(),
    give_up_at   timestamptz not null default now() + interval '24 hours',
    tries        integer not null default 0 check (tries >= 0),
    worked_until timestamptz,
    sent_at      timestamptz,
    last_error   text,
    primary key (message_id, receiver),
    constraint dispatches_sent check ((state = 'sent') = (sent_at is not null)),
    constraint dispatches_dead check (state <> 'dead' or last_error is not null)
);
create index dispatches_waiting on reviews.dispatches (next_try_at) where state = 'waiting';
create index dispatches_dead on reviews.dispatches (message_id) where state = 'dead';

-- People and programs (stationmaster.reviews.access). A colon marks actors that are no person (policy:expiry).
create table reviews.users (
    name          text primary key check (name ~ '^[a-z0-9]([a-z0-9._@+-]{0,98}[a-z0-9])?$'),
    password_hash text,
    -- Issuer and subject of the provider that vouches for the user; a name there may change, this may not.
    oidc_subject  text unique,
    roles         text[] not null default '{reviewer}'
                  check (roles <@ array['reviewer', 'lead', 'admin', 'reader'] and roles <> '{}'),
    groups        text[] not null default '{}',
    created_at    timestamptz not null default now(),
    signed_in_at  timestamptz,
    constraint users_one_way_in check (password_hash is null or oidc_subject is null)
);
-- Secrets are kept as hashes only.
create table reviews.tokens (
    token_id     uuid primary key default gen_random_uuid(),
    user_name    text not null references reviews.users on delete cascade,
    label        text not null check (label <> ''),
    token_hash   text not null unique,
    created_at   timestamptz not null default now(),
    expires_at   timestamptz,
    last_used_at timestamptz,
    revoked_at   timestamptz
);
create unique index tokens_label on reviews.tokens (user_name, label) where revoked_at is null;
create table reviews.sessions (
    session_id   uuid primary key default gen_random_uuid(),
    user_name    text not null references reviews.users on delete cascade,
    session_hash text not null unique,
    address      text not null,
    agent        text not null,
    created_at   timestamptz not null default now(),
    last_seen_at timestamptz not null default now(),
    expires_at   timestamptz not null
);
create index sessions_user on reviews.sessions (user_name);
create index sessions_expiry on reviews.sessions (expires_at);
-- Failed sign-ins of one name or address in the window that began with the first.
create table reviews.login_failures (
    kind     text not null check (kind in ('name', 'address')),
    key      text not null,
    failures integer not null,
    since    timestamptz not null,
    primary key (kind, key)
);
create index login_failures_since on reviews.login_failures (since);
-- Links that can act once: sign in, or decide one review with one decision.
create table reviews.one_time_links (
    link_hash  text primary key,
    purpose    text not null check (purpose in ('sign_in', 'decide')),
    user_name  text references reviews.users on delete cascade,
    review_id  uuid references reviews.reviews on delete cascade,
    decision   text,
    -- The channel group that was sent a link to decide; whoever uses it acts in its name.
    audience   text check (audience <> ''),
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at    timestamptz,
    constraint one_time_links_whole check (case purpose
        when 'sign_in' then user_name is not null and review_id is null
        else review_id is not null and decision is not null and (user_name is null) <> (audience is null) end)
);

-- The same request again, by the same identity, gets the same answer.
create table reviews.idempotency_keys (
    identity     text not null,
    key          text not null check (key <> '' and length(key) <= 255),
    request_hash text not null,
    review_id    uuid references reviews.reviews on delete cascade,
    response     text,
    created_at   timestamptz not null default now(),
    primary key (identity, key)
);
create index idempotency_keys_age on reviews.idempotency_keys (created_at);

-- How far the sweep has looked, and what it found that nobody had told us.
create table reviews.sweep (
    only_row      boolean primary key default true check (only_row),
    watermark     timestamptz,
    last_sweep_at timestamptz,
    last_full_at  timestamptz,
    lag_s         double precision
);
insert into reviews.sweep default values;
create table reviews.drift (
    name        text primary key check (name in (
                    'missed', 'vanished', 'superseded', 'answered_elsewhere', 'answered_but_pending', 'returned')),
    n           bigint not null default 0,
    last_thread text,
    last_at     timestamptz
);
insert into reviews.drift (name) values
    ('missed'), ('vanished'), ('superseded'), ('answered_elsewhere'), ('answered_but_pending'), ('returned');

-- What the Agent Server told us, as it came. A hint: the thread's state is read afterwards.
create table webhooks.deliveries (
    delivery_id  bigint generated always as identity primary key,
    dedup_key    text not null unique,
    -- How the sender was known.
    sender       text not null check (sender in ('signature', 'bearer', 'loopback')),
    body         bytea not null,
    received_at  timestamptz not null default now(),
    state        text not null default 'new' check (state in ('new', 'done', 'unreadable', 'failed')),
    thread_id    text check (thread_id <> ''),
    run_id       text,
    run_status   text,
    repeats      integer not null default 0 check (repeats >= 0),
    tries        integer not null default 0 check (tries >= 0),
    next_try_at  timestamptz not null default now(),
    worked_until timestamptz,
    done_at      timestamptz,
    error        text,
    check (state = 'unreadable' or thread_id is not null),
    check (state not in ('unreadable', 'failed') or error is not null),
    check ((state = 'done') = (done_at is not null)),
    check (state = 'new' or worked_until is null)
);
create index deliveries_new on webhooks.deliveries (next_try_at) where state = 'new';
create index deliveries_thread on webhooks.deliveries (thread_id);
-- What was turned away, by reason and hour: a count, nothing of the request.
create table webhooks.refusals (
    reason text not null,
    hour   timestamptz not null,
    n      bigint not null default 0,
    primary key (reason, hour)
);
