-- name: find_file(tenant, document_id)^
-- A document as it is now, with its bytes.
select document_id, title, media_type, content, sha256 from documents.files
where tenant = :tenant and document_id = :document_id;

-- name: count_pages(tenant, document_id, sha256)^
-- How many pages of exactly these bytes are kept, and how much they hold.
select count(*)::int as pages, coalesce(sum(length(text)), 0)::int as characters from documents.pages
where tenant = :tenant and document_id = :document_id and sha256 = :sha256;

-- name: keep_pages(tenant, document_id, sha256, texts)!
-- Keeps the text of all pages; what is there already stays.
insert into documents.pages (tenant, document_id, sha256, page, text)
select :tenant, :document_id, :sha256, page, text
from unnest(:texts::text[]) with ordinality as given (text, page)
on conflict do nothing;

-- name: read_pages(tenant, document_id, sha256)
-- The text of the pages of exactly these bytes, in order.
select text from documents.pages
where tenant = :tenant and document_id = :document_id and sha256 = :sha256
order by page;

-- name: forget_findings(tenant, key, branch)!
-- Before a branch notes what it found: what an earlier run of it found for the same review.
delete from documents.findings where tenant = :tenant and key = :key and branch = :branch;

-- name: add_finding(tenant, key, branch, number, document_id, kind, severity, masked, page, start_at, end_at)!
-- Something that a branch found.
insert into documents.findings (tenant, key, branch, number, document_id, kind, severity, masked, page, start_at, end_at)
values (:tenant, :key, :branch, :number, :document_id, :kind, :severity, :masked, :page, :start_at, :end_at);

-- name: worst_findings(tenant, key, limit)
-- The worst that was found in a review, by branch.
select branch, kind, severity, masked, page, start_at, end_at from (
    select *, row_number() over (
        partition by branch order by array_position(array['high', 'medium', 'low'], severity), number
    ) as place
    from documents.findings where tenant = :tenant and key = :key
) as ranked
where place <= :limit
order by branch, place;

-- name: keep_report(tenant, key, document_id, sha256, kind, complete, markdown, digest)^
-- Keeps a report, or replaces one that nobody has decided about; no row comes back for one that was decided about.
insert into documents.reviews (tenant, key, document_id, sha256, kind, complete, markdown, digest)
values (:tenant, :key, :document_id, :sha256, :kind, :complete, :markdown, :digest)
on conflict (tenant, key) do update
set sha256 = excluded.sha256, kind = excluded.kind, complete = excluded.complete, markdown = excluded.markdown,
    digest = excluded.digest
where reviews.status = 'reported'
returning digest;

-- name: find_review(tenant, key)^
-- A report as it is kept, with what was decided about it.
select r.document_id, r.sha256, r.markdown, r.digest, r.status, f.title, f.sha256 as sha256_now
from documents.reviews r join documents.files f using (tenant, document_id)
where r.tenant = :tenant and r.key = :key
for update of r;

-- name: publish(tenant, key, document_id, title, severity, markdown, published_by)^
-- Publishes a report, once; no row comes back when that was done before.
insert into documents.publications (tenant, key, document_id, title, severity, markdown, published_by)
values (:tenant, :key, :document_id, :title, :severity, :markdown, :published_by)
on conflict (tenant, key) do nothing
returning publication_id;

-- name: decide(tenant, key, status, decided_by, note)!
-- What became of a report.
update documents.reviews set status = :status, decided_by = :decided_by, note = :note, decided_at = now()
where tenant = :tenant and key = :key;
