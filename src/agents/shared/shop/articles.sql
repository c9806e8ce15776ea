-- name: search_articles(query, limit)
-- The best help articles for a sentence: any of its words may match, rare ones count more; with the best paragraph.
with words as (
    -- One tsquery a word, quoted: a lexeme may be a URL or hold a quote.
    select lexeme, ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery as word
    from unnest(to_tsvector('english', :query))
),
rarity as (
    select word, ln(1 + (select count(*) from shop.articles)::float8 / count(*)) as weight
    from words
    join shop.articles a on a.search @@ word
    group by word
),
best as (
    select a.article_id, a.title, a.body, sum(ts_rank(a.search, word, 1) * weight) as score
    from rarity
    join shop.articles a on a.search @@ word
    group by a.article_id
    order by score desc, a.article_id
    limit :limit
)
select best.article_id, best.title, excerpt.paragraph as excerpt, best.score
from best, lateral (
    select paragraph
    from regexp_split_to_table(best.body, '\n\n+') with ordinality as parts (paragraph, place)
    order by (select sum(ts_rank(to_tsvector('english', paragraph), word) * weight) from rarity) desc, place
    limit 1
) as excerpt
order by best.score desc, best.article_id;
