-- What became of each slot of each cron. The Agent Server keeps no such record; it is written when a cron's run is
-- admitted, and settled by reading threads afterwards.
create schema crons;

create table crons.ticks (
    id              bigint generated always as identity primary key,
    -- The name where files own it, so that the record goes on when the cron is made again; else the server's id.
    cron            text not null check (cron <> ''),
    cron_id         uuid not null,
    assistant_id    text,
    trigger         text not null check (trigger in ('schedule', 'person')),
    -- The slot; a person's run has none. A row of missed slots stands for several, from the first to the last.
    planned_at      timestamptz,
    last_planned_at timestamptz check (last_planned_at >= planned_at),
    slots           integer not null default 1 check (slots > 0),
    -- When it was decided, and for a run when it was made.
    at              timestamptz not null default now(),
    outcome         text not null check (outcome in (
                        'running', 'waiting', 'success', 'error', 'cancelled', 'lost', 'skipped', 'queued', 'missed')),
    reason          text,
    run_id          uuid,
    thread_id       uuid,
    fresh           boolean not null,
    keep_days       integer check (keep_days >= 0),
    started_by      text,
    ended_at        timestamptz,
    look_at         timestamptz not null default now(),
    pruned_at       timestamptz,

    check ((trigger = 'schedule') = (planned_at is not null)),
    check ((trigger = 'person') = (started_by is not null)),
    check ((outcome in ('skipped', 'queued', 'missed')) = (run_id is null)),
    check (outcome not in ('skipped', 'queued', 'missed', 'error', 'lost') or reason is not null),
    check ((outcome in ('running', 'waiting', 'queued')) = (ended_at is null)),
    check (outcome = 'missed' or slots = 1),
    check (pruned_at is null or fresh)
);
-- A slot is decided once, whatever restarts, replicas and duplicated crons do; a run that the server lost leaves its
-- slot free again.
create unique index ticks_slot on crons.ticks (cron, planned_at) where outcome <> 'lost';
-- One slot of a cron waits for its turn; later ones are skipped.
create unique index ticks_queued on crons.ticks (cron) where outcome = 'queued';
create unique index ticks_run on crons.ticks (run_id);
create index ticks_cron on crons.ticks (cron, id desc);
create index ticks_open on crons.ticks (look_at) where outcome in ('running', 'waiting');
-- Threads of their own that nobody needs any more.
create index ticks_kept on crons.ticks (ended_at) where fresh and pruned_at is null;
