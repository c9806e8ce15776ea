-- What a message tells may still be taken back for a while: it is not spread before.
alter table reviews.outbox add column not_before timestamptz not null default now();

-- The sweep asks every few seconds which threads are unfinished, among years of closed ones.
create index reviews_unfinished on reviews.reviews (thread_id) where phase in ('open', 'moving');
-- The history of one person, or of one assistant. Names of graphs and assistants are their makers': an index takes no
-- value of any length.
create index reviews_closed_by on reviews.reviews (coalesce(decided_by, claimed_by), closed_at desc, id desc)
    where phase = 'closed';
create index reviews_closed_assistant on reviews.reviews (left(assistant_name, 200), closed_at desc, id desc)
    where phase = 'closed';
create index reviews_closed_assistant_id on reviews.reviews (assistant_id, closed_at desc, id desc)
    where phase = 'closed';
-- What a list can be narrowed by is read by leaping from one combination to the next.
create index reviews_facets on reviews.reviews
    (left(coalesce(graph, ''), 200), left(coalesce(assistant_name, ''), 200), groups);

-- The words of an entry. Line ends and tabs stand in JSON as \n and \t, whose letters are no words.
alter table reviews.audit add column words tsvector not null generated always as (
    to_tsvector('simple', translate(replace(replace(left(detail, 100000), '\n', ' '), '\t', ' '), '/', ' '))) stored;
create index audit_words on reviews.audit using gin (words);
