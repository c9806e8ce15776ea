-- What the engineering team's workers reported, by digests: a thread's state may be written by whoever may call the API, so a
-- report in it counts only if it stands here.
create table workshop.reports (
    thread_id text not null check (thread_id <> ''),
    worker    text not null check (worker in ('researcher', 'tests', 'reviewer', 'auditor')),
    about     text not null check (about <> ''),  -- what was looked at
    report    text not null check (report <> ''),
    made_at   timestamptz not null default now(),
    primary key (thread_id, worker, about, report)
);
