-- Documents that are reviewed: their bytes, the text of their pages, what was found in them, reports, and what was published.
create schema documents;

create table documents.files (
    tenant      text not null default 'main' check (tenant <> ''),
    document_id text not null check (document_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$'),
    title       text not null check (title <> ''),
    media_type  text not null check (media_type in ('text/plain', 'text/markdown', 'application/pdf')),
    content     bytea not null check (octet_length(content) <= 20971520),
    sha256      text not null generated always as (encode(sha256(content), 'hex')) stored,
    uploaded_by text not null check (uploaded_by <> ''),
    uploaded_at timestamptz not null default now(),
    primary key (tenant, document_id)
);

-- The text as it was taken from exactly these bytes: offsets of findings count in it.
create table documents.pages (
    tenant      text not null default 'main',
    document_id text not null,
    sha256      text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    page        integer not null check (page > 0),
    text        text not null,
    primary key (tenant, document_id, sha256, page),
    foreign key (tenant, document_id) references documents.files on delete cascade
);

create table documents.reviews (
    tenant      text not null default 'main',
    key         text not null check (key <> ''),
    document_id text not null,
    sha256      text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    kind        text not null check (kind <> ''),
    complete    boolean not null,
    markdown    text not null check (markdown <> ''),
    digest      text not null check (digest ~ '^[0-9a-f]{64}$'),
    status      text not null default 'reported' check (status in ('reported', 'published', 'withheld')),
    note        text not null default '',
    decided_by  text check (decided_by <> ''),
    reported_at timestamptz not null default now(),
    decided_at  timestamptz,
    primary key (tenant, key),
    foreign key (tenant, document_id) references documents.files on delete cascade,
    constraint reviews_decided_by_somebody check (
        (status = 'reported') = (decided_by is null) and (status = 'reported') = (decided_at is null)
    )
);
create index reviews_document on documents.reviews (tenant, document_id);

-- Where something was found; what is missing has no place. `masked` never holds the value itself.
create table documents.findings (
    tenant      text not null default 'main',
    key         text not null check (key <> ''),
    branch      text not null check (branch in ('pii', 'security', 'compliance')),
    number      integer not null check (number > 0),
    document_id text not null,
    kind        text not null check (kind <> ''),
    severity    text not null check (severity in ('low', 'medium', 'high')),
    masked      text not null check (masked <> ''),
    page        integer check (page > 0),
    start_at    integer check (start_at >= 0),
    end_at      integer,
    primary key (tenant, key, branch, number),
    foreign key (tenant, document_id) references documents.files on delete cascade,
    constraint findings_have_a_whole_place check (
        (page is null) = (start_at is null) and (page is null) = (end_at is null) and end_at > start_at
    )
);

create table documents.publications (
    publication_id bigint generated always as identity primary key,
    tenant         text not null default 'main',
    key            text not null,
    document_id    text not null,
    title          text not null check (title <> ''),
    severity       text not null check (severity in ('none', 'low', 'medium', 'high')),
    markdown       text not null check (markdown <> ''),
    published_by   text not null check (published_by <> ''),
    published_at   timestamptz not null default now(),
    unique (tenant, key),
    foreign key (tenant, key) references documents.reviews (tenant, key)
);

-- A report that was decided about stays what it was, and is decided about once.
create function documents.check_review() returns trigger language plpgsql as $$
begin
    if old.status <> 'reported' then
        raise exception 'this report was % already', old.status
            using errcode = 'check_violation', schema = 'documents', table = 'reviews', constraint = 'reviews_decided_once';
    end if;
    return new;
end $$;
create trigger reviews_decided_once before update on documents.reviews
    for each row execute function documents.check_review();

-- Published is what somebody has read: the report as it was shown, about the document as it is.
create function documents.check_publication() returns trigger language plpgsql as $$
begin
    if not exists (
        select from documents.reviews r
        join documents.files f using (tenant, document_id)
        where r.tenant = new.tenant and r.key = new.key and r.document_id = new.document_id
          and r.markdown = new.markdown and r.sha256 = f.sha256 and r.status = 'reported'
    ) then
        raise exception 'the report or its document is another by now'
            using errcode = 'check_violation', schema = 'documents', table = 'publications', constraint = 'publications_as_read';
    end if;
    return new;
end $$;
create trigger publications_as_read before insert on documents.publications
    for each row execute function documents.check_publication();

create function documents.refuse() returns trigger language plpgsql as $$
begin
    raise exception '% on documents.% is not allowed: %', tg_op, tg_table_name, tg_argv[0]
        using errcode = 'integrity_constraint_violation', schema = 'documents', table = tg_table_name, constraint = tg_name;
end $$;
create trigger publications_append_only before update or truncate on documents.publications
    for each statement execute function documents.refuse('what was published stays as it was');
