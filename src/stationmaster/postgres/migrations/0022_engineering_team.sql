-- How the house builds software: what the engineering team's researcher looks up. A tenant sees the house's rules and its own.
create table workshop.notes (
    tenant  text not null default 'main' check (tenant <> ''),
    note_id text not null check (note_id ~ '^[a-z0-9-]+$'),
    title   text not null check (title <> ''),
    body    text not null check (body <> ''),
    search  tsvector not null generated always as (
        setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', body), 'D')
    ) stored,
    primary key (tenant, note_id)
);
create index notes_search on workshop.notes using gin (search);

insert into workshop.notes (note_id, title, body) values
('signatures', 'Comparing signatures, tokens and digests',
 'Signatures, tokens, digests and codes are compared with hmac.compare_digest, never with ==: the time that == takes tells where they differ. Encode both sides first, since compare_digest refuses text that is not ASCII.'),
('webhooks', 'Receiving webhooks',
 'A webhook is verified before it is read: SHA-256 HMAC over the raw body, in the header as sha256=<hex>. It is stored, answered, and worked on later. The same delivery may come twice.'),
('tokens', 'Making tokens and codes',
 'Tokens, reset codes and keys are made with the module secrets. The module random is for dice and tests: its next values can be worked out.'),
('sql', 'Talking to the database',
 'SQL statements hold placeholders, and values are passed beside them. No statement is put together from text by f-strings, + or format, not even for a table that only we can see.'),
('secrets', 'Keeping secrets',
 'Secrets come from the environment, never from code or files under version control. A secret that was seen in code is changed. Passwords are hashed with argon2 or scrypt.'),
('errors', 'Errors and exceptions',
 'Name the errors that you catch; no bare except, no except Exception. An error message names the thing, the place and the way out.'),
('tests', 'Writing tests',
 'Each public function has a test of the ordinary case, of the edges, and of what it refuses. Tests use plain asserts and no network. A test that passed is not changed to make new code pass.'),
('functions', 'Functions and modules',
 'Functions fit a screen and have type hints and a docstring that says what the signature can not. No mutable defaults. The standard library first; a dependency needs a reason.'),
('loading', 'Loading data',
 'Data from outside is read as JSON or with yaml.safe_load. Never pickle, eval or exec on what somebody sent. Programs are started with a list of arguments, never through a shell.'),
('money', 'Amounts of money',
 'Amounts are Decimal in code and numeric in SQL, rounded to cents half up at the end. Floats are for display only.');

-- What the team has delivered: once for each task on a thread, with what tests, review and audit said.
create table workshop.deliverables (
    deliverable_id  bigint generated always as identity primary key,
    idempotency_key text not null unique check (idempotency_key <> ''),
    tenant          text not null default 'main' check (tenant <> ''),
    thread_id       text not null,
    task            text not null check (task <> ''),
    files           jsonb not null check (files ? 'solution.py'),
    status          text not null check (status in ('delivered', 'accepted')),
    passed          integer not null check (passed > 0),
    total           integer not null,
    findings        jsonb not null check (jsonb_typeof(findings) = 'array'),
    handoffs        integer not null check (handoffs >= 0),
    accepted_by     text check (accepted_by <> ''),
    kept_at         timestamptz not null default now(),
    -- Nothing leaves the team whose tests fail; what has findings leaves it by somebody's word.
    constraint deliverables_pass check (passed = total),
    constraint deliverables_are_clean check (
        status = 'accepted' or not (findings @? '$[*] ? (@.severity != "low")')
    ),
    constraint deliverables_accepted_by_somebody check ((status = 'accepted') = (accepted_by is not null))
);
create index deliverables_tenant on workshop.deliverables (tenant, kept_at);
