-- name: is_inbox(tenant, name)^
-- Whether a caller is one of those whose word on who decided is taken, for a tenant's threads.
select :name = any (coalesce((select inboxes from treasury.limits where tenant = :tenant), '{local,console}')) as is_one;
