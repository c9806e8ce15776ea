-- How runs under a canary ended, by arm (stationmaster.assistants.comparing). Written with their webhook's delivery,
-- and kept when that is forgotten.
create schema assistants;

create table assistants.canary_runs (
    run_id     text primary key check (run_id <> ''),
    thread_id  text not null check (thread_id <> ''),
    canary_id  text not null check (canary_id <> ''),
    arm        text not null check (arm in ('live', 'canary', 'pinned')),
    assistant  text not null,
    version    integer,
    status     text not null check (status <> ''),
    created_at timestamptz,
    started_at timestamptz,
    ended_at   timestamptz,
    kept_at    timestamptz not null default now()
);
create index canary_runs_arm on assistants.canary_runs (canary_id, arm, kept_at);
create index canary_runs_age on assistants.canary_runs (kept_at);
