-- name: find(tenant, source, key, minutes)^
-- What the tenant's search came to, if it is younger than so many minutes.
select answer from research.searches
where tenant = :tenant and source = :source and key = :key and kept_at > now() - make_interval(mins => :minutes);

-- name: keep(tenant, source, key, answer)!
-- Keeps what a search came to, in place of what it came to before.
insert into research.searches (tenant, source, key, answer) values (:tenant, :source, :key, :answer)
on conflict (tenant, source, key) do update set answer = excluded.answer, kept_at = now();

-- name: forget(days)!
-- Takes away what nobody can ask for any more, some at a time.
delete from research.searches where ctid in (
    select ctid from research.searches where kept_at < now() - make_interval(days => :days) limit 200
    for update skip locked
);
