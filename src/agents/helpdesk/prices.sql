-- name: find_prices(words, limit)
-- The articles on sale whose names hold all of the words, cheapest first.
select v.item_id, p.name, p.category, v.options, v.price_usd::float8 as price_usd, v.available
from shop.products p
join shop.product_variants v using (product_id)
where p.name ilike all (:words)
order by not v.available, v.price_usd, v.item_id
limit :limit;
