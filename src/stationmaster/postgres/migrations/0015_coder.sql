-- Whose a thread is, for graphs that work on after a person's answer: that may come with the operators' key.
create table shop.thread_tenants (
    thread_id text primary key check (thread_id <> ''),
    tenant    text not null check (tenant <> ''),
    noted_at  timestamptz not null default now()
);

-- What the graph coder has delivered: once for each request on a thread, with what its tests said.
create schema workshop;

create table workshop.solutions (
    solution_id     bigint generated always as identity primary key,
    idempotency_key text not null unique check (idempotency_key <> ''),
    tenant          text not null default 'main' check (tenant <> ''),
    thread_id       text not null,
    task            text not null check (task <> ''),
    code            text not null check (code <> ''),
    tests           text not null,
    status          text not null check (status in ('passed', 'accepted')),
    passed          integer not null check (passed >= 0),
    total           integer not null check (total >= passed),
    log             text not null,
    kept_at         timestamptz not null default now(),
    -- What a person took over their own tests' objections is not called passed.
    constraint solutions_passed_all check (status <> 'passed' or (passed = total and total > 0))
);
create index solutions_tenant on workshop.solutions (tenant, kept_at);
