-- The digests that were made: one for each slot, whatever runs again.
create schema digest;

create table digest.reports (
    report_id bigint generated always as identity primary key,
    tenant    text not null default 'main' check (tenant <> ''),
    -- Which digest it is: two crons with different spans or readers have different names.
    name      text not null check (name <> ''),
    -- The end of the time that it speaks of, and its beginning: where the report before ended.
    slot      timestamptz not null,
    since     timestamptz not null check (since < slot),
    figures   jsonb not null check (jsonb_typeof(figures) = 'object'),
    markdown  text not null check (markdown <> ''),
    made_at   timestamptz not null default now(),
    constraint reports_one_a_slot unique (tenant, name, slot)
);

create index refunds_when on shop.refunds (created_at);
create index mails_when on shop.mails (queued_at);
create index dead_letters_when on shop.dead_letters (buried_at);
