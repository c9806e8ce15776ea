-- name: search_articles(query, limit)
-- The best help articles for a sentence: any of its words may match; the excerpt is the best paragraph.
with words as (
    -- plainto_tsquery drops stop words and joins with & (and <-> inside "sign-up"); a whole sentence would
    -- match nothing, so join with |.
    select replace(replace(plainto_tsquery('english', :query)::text, '&', '|'), '<->', '|')::tsquery as any_word
),
best as (
    select a.article_id, a.title, a.body, ts_rank(a.search, any_word, 1) as score
    from shop.articles a, words
    where a.search @@ any_word
    order by score desc, a.article_id
    limit :limit
)
select best.article_id, best.title, excerpt.paragraph as excerpt, best.score::float8 as score
from best, words, lateral (
    select paragraph
    from regexp_split_to_table(best.body, '\n\n+') with ordinality as parts (paragraph, place)
    order by ts_rank(to_tsvector('english', paragraph), any_word) desc, place
    limit 1
) as excerpt
order by best.score desc, best.article_id;
