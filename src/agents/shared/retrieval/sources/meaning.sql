-- name: can_compare()^
-- Whether this Postgres has pgvector.
select to_regtype('vector') is not null as can_compare;

-- name: unembedded(model, dimension, limit)
-- Paragraphs of help articles that have no vector of this model and dimension yet, newest way of writing them.
with paragraphs as (
    select a.title || e'\n' || paragraph as text
    from shop.articles a cross join lateral regexp_split_to_table(a.body, '\n\n+') as paragraph
    where paragraph <> ''
)
select distinct encode(sha256(convert_to(p.text, 'UTF8')), 'hex') as content_hash, p.text
from paragraphs p
where not exists (
    select from research.vectors v
    where v.content_hash = encode(sha256(convert_to(p.text, 'UTF8')), 'hex')
        and v.model = :model and v.dimension = :dimension
)
limit :limit;

-- name: keep_vector(content_hash, model, dimension, embedding)!
-- Keeps a vector; one of another dimension, which the model gave before it was changed, is replaced.
insert into research.vectors (content_hash, model, dimension, embedding)
values (:content_hash, :model, :dimension, :embedding)
on conflict (content_hash, model) do update
set dimension = excluded.dimension, embedding = excluded.embedding, embedded_at = now()
where vectors.dimension <> excluded.dimension;

-- name: nearest(model, dimension, query, least, limit)
-- The paragraphs of help articles that point the same way as the query, of this model's vectors alone.
with paragraphs as materialized (
    -- Only what has the query's dimension: the operator fails on others.
    select a.article_id, a.title, paragraph, v.embedding
    from shop.articles a cross join lateral regexp_split_to_table(a.body, '\n\n+') as paragraph
    join research.vectors v
        on v.content_hash = encode(sha256(convert_to(a.title || e'\n' || paragraph, 'UTF8')), 'hex')
        and v.model = :model and v.dimension = :dimension
    where paragraph <> ''
),
compared as (
    select article_id, title, paragraph, 1 - (embedding::vector <=> :query::real[]::vector) as similarity
    from paragraphs
)
select article_id, title, paragraph as excerpt, similarity as score
from compared
where similarity >= :least
order by similarity desc, article_id, paragraph
limit :limit;
