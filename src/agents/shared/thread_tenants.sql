-- name: note(thread_id, tenant)!
-- The first caller's tenant is the thread's; a later one changes nothing.
insert into shop.thread_tenants (thread_id, tenant) values (:thread_id, :tenant) on conflict do nothing;

-- name: noted(thread_id)^
-- Whose the thread is.
select tenant from shop.thread_tenants where thread_id = :thread_id;
