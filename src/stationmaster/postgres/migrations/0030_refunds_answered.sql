-- The gate of `support`: which question was put, and what was answered. A thread's state, which callers may write, says
-- neither. `task_id` names one run of the gate's node: a question keeps its id when the state beside it is written over,
-- and `digest` is of what was shown.
create table shop.refund_questions (
    thread_id text not null check (thread_id <> ''),
    task_id   text not null check (task_id <> ''),
    digest    text not null check (digest ~ '^[0-9a-f]{64}$'),
    put_at    timestamptz not null default now(),
    primary key (thread_id, task_id)
);

-- Of a request's order the newest answer counts; without an amount it was a no. `tenant` is the thread's.
create table shop.refund_answers (
    answer_id   bigint generated always as identity primary key,
    tenant      text not null check (tenant <> ''),
    thread_id   text not null check (thread_id <> ''),
    ticket_id   text not null,
    request     integer not null check (request > 0),
    order_id    text not null check (order_id <> ''),
    amount_usd  numeric(10, 2) check (amount_usd > 0 and amount_usd <> 'NaN'),
    answered_by text not null check (answered_by <> ''),
    answered_at timestamptz not null default now()
);
create index refund_answers_request on shop.refund_answers (thread_id, order_id, request, answer_id);

create trigger refund_questions_append_only before update or delete or truncate on shop.refund_questions
    for each statement execute function shop.refuse('what a person was asked stays on record');
create trigger refund_answers_append_only before update or delete or truncate on shop.refund_answers
    for each statement execute function shop.refuse('what a person answered stays on record');

-- Above this a person is asked, whatever threshold a run's context names: that comes with the run. None by default.
create table shop.refund_ceilings (
    tenant        text primary key check (tenant <> ''),
    ask_above_usd numeric(10, 2) not null check (ask_above_usd >= 0 and ask_above_usd <> 'NaN')
);
