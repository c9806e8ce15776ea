-- name: open_by_version
-- How many questions of an assistant wait for a person or are on their way back, by the version that asked.
select assistant_version as version, count(*)::int as n
from reviews.reviews
where assistant_id = :assistant_id and state in ('open', 'decided', 'sent')
group by assistant_version
order by assistant_version;

-- name: open_by_assistant
-- How many questions of each assistant wait for a person or are on their way back.
select assistant_id, count(*)::int as n
from reviews.reviews
where assistant_id is not null and state in ('open', 'decided', 'sent')
group by assistant_id;

-- name: open_in_arm
-- How many questions that runs of a canary's own arm asked wait for a person or are on their way back.
select count(*)::int as n
from reviews.reviews
join assistants.canary_runs using (run_id)
where canary_id = :canary_id and arm = 'canary' and state in ('open', 'decided', 'sent');
