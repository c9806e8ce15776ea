-- name: combinations
-- Which graphs, assistants and groups occur together; filtered by scope afterwards, so that one answer serves all.
SELECT DISTINCT graph, assistant_name, groups FROM reviews.reviews LIMIT 5000;
