-- name: search_notes(query, tenant, limit)
-- The best house rules for a sentence, of the house and of the tenant: any of its words may match, rare ones count more.
with words as (
    -- One tsquery a word, quoted: a lexeme may be a URL or hold a quote.
    select ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery as word
    from unnest(to_tsvector('english', :query))
),
seen as (
    select note_id, tenant, title, body, search from workshop.notes where tenant in (:tenant, 'main')
),
rarity as (
    select word, ln(1 + (select count(*) from seen)::float8 / count(*)) as weight
    from words
    join seen on seen.search @@ word
    group by word
)
select seen.note_id, seen.title, seen.body, sum(ts_rank(seen.search, rarity.word, 1) * rarity.weight) as score
from rarity
join seen on seen.search @@ rarity.word
group by seen.tenant, seen.note_id, seen.title, seen.body
order by score desc, seen.note_id
limit :limit;
