-- Whose they are: the digest of a tenant counts its own. Threads of all tenants are answered in one inbox, so a key of
-- these tables holds tenant and thread, and what the graphs do for a tenant's thread is that tenant's.
alter table shop.mails add column tenant text not null default 'main' check (tenant <> '');
alter table shop.dead_letters add column tenant text not null default 'main' check (tenant <> '');

-- As which request of its thread a refund was let pass: it is paid once as that, whatever the thread's state says later.
-- Null was let pass before there was this column, and is paid under the key of that time.
alter table helpdesk.allowed_refunds add column request integer check (request > 0);

-- Threads that were begun before their tenant was noted: the first answer that came from the inbox would make them the
-- operators'. The durable server marks a tenant's threads, and the graphs have entered whose they are: a request, and a
-- review's key, begin with the thread.
do $$
begin
    if to_regclass('server.threads') is not null then
        insert into shop.thread_tenants (thread_id, tenant)
        select thread_id::text, metadata ->> 'tenant' from server.threads where metadata ->> 'tenant' <> ''
        on conflict (thread_id) do nothing;
    end if;
end $$;
insert into shop.thread_tenants (thread_id, tenant)
select distinct on (thread_id) thread_id, tenant
from (
    select regexp_replace(request, ':[0-9]+$', '') as thread_id, tenant, created_at as at from treasury.transactions
    union all
    select regexp_replace(key, ':[0-9]+:[0-9a-f-]+$', ''), tenant, reported_at from documents.reviews
    union all
    select thread_id, tenant, kept_at from workshop.solutions
) as entered
where thread_id <> ''
order by thread_id, at
on conflict (thread_id) do nothing;
