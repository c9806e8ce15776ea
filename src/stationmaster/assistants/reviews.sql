-- name: open_by_version
-- How many questions of an assistant wait for a person or are on their way back, by the version that asked.
select assistant_version as version, count(*)::int as n
from reviews.reviews
where assistant_id = :assistant_id and state in ('open', 'decided', 'sent')
group by assistant_version
order by assistant_version;
