-- name: combinations
-- Which graphs, assistants and groups occur together; filtered by scope afterwards, so that one answer serves all.
-- From one combination to the next by the index: it takes as long as there are combinations, not reviews.
WITH RECURSIVE found AS (
    (SELECT left(coalesce(graph, ''), 200) AS graph, left(coalesce(assistant_name, ''), 200) AS assistant_name, groups
     FROM reviews.reviews ORDER BY 1, 2, 3 LIMIT 1)
    UNION ALL
    SELECT following.* FROM found CROSS JOIN LATERAL (
        SELECT left(coalesce(r.graph, ''), 200), left(coalesce(r.assistant_name, ''), 200), r.groups
        FROM reviews.reviews AS r
        WHERE (left(coalesce(r.graph, ''), 200), left(coalesce(r.assistant_name, ''), 200), r.groups)
            > (found.graph, found.assistant_name, found.groups)
        ORDER BY 1, 2, 3 LIMIT 1
    ) AS following
)
SELECT graph, assistant_name, groups FROM found LIMIT 5000;
