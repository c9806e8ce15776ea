-- name: put(tenant, document_id, title, media_type, content, uploaded_by)^
-- Puts a document where the review finds it, or new bytes in its place.
insert into documents.files (tenant, document_id, title, media_type, content, uploaded_by)
values (:tenant, :document_id, :title, :media_type, :content, :uploaded_by)
on conflict (tenant, document_id) do update
set title = excluded.title, media_type = excluded.media_type, content = excluded.content,
    uploaded_by = excluded.uploaded_by, uploaded_at = now()
returning xmax = 0 as new, sha256;

-- name: listed(tenant)
-- A tenant's documents, newest first, each with what became of its last review.
select f.document_id, f.title, f.media_type, octet_length(f.content) as bytes, f.uploaded_by, f.uploaded_at,
       (select r.status from documents.reviews r
        where r.tenant = f.tenant and r.document_id = f.document_id order by r.reported_at desc limit 1) as review
from documents.files f
where f.tenant = :tenant
order by f.uploaded_at desc, f.document_id;

-- name: published(tenant, document_id)^
-- The newest report on a document that was published.
select markdown from documents.publications
where tenant = :tenant and document_id = :document_id
order by publication_id desc
limit 1;
