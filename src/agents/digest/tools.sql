-- name: find_report(tenant, name, slot)^
-- The report that was made for a slot.
select figures, markdown, since
from digest.reports
where tenant = :tenant and name = :name and slot = :slot;

-- name: last_slot(tenant, name, slot)^
-- The newest slot before this one that a report was made for.
select max(slot) as slot
from digest.reports
where tenant = :tenant and name = :name and slot < :slot;

-- name: keep_report(tenant, name, slot, since, figures, markdown)^
-- Keeps a report; no row comes back when the slot has one already. One that lacks parts gives way to one that is whole.
insert into digest.reports (tenant, name, slot, since, figures, markdown)
values (:tenant, :name, :slot, :since, :figures, :markdown)
on conflict on constraint reports_one_a_slot do update
set since = excluded.since, figures = excluded.figures, markdown = excluded.markdown, made_at = now()
where reports.figures -> 'missing' <> '[]' and excluded.figures -> 'missing' = '[]'
returning report_id;

-- name: tickets(tenant, since, until, desk)^
-- Tickets that something was done for in a span, those a person was asked for, and those that nobody could handle. The
-- shop's orders, and so its refunds, belong to the main tenant.
with touched as (
    select ticket_id, 'refund' as how from shop.refunds
    where created_at >= :since and created_at < :until and ticket_id is not null and :tenant = 'main'
    union all
    select ticket_id, case when recipient = :desk then 'desk' else 'mail' end from shop.mails
    where queued_at >= :since and queued_at < :until and not starts_with(idempotency_key, 'digest:')
        and tenant = :tenant
    union all
    select ticket_id, 'dead' from shop.dead_letters
    where buried_at >= :since and buried_at < :until and tenant = :tenant
)
select
    count(distinct ticket_id) as tickets,
    count(distinct ticket_id) filter (where how = 'desk') as handed_over,
    count(*) filter (where how = 'dead') as dead_letters
from touched;

-- name: refunds(tenant, since, until)^
-- Refunds that were made in a span. The shop belongs to the main tenant.
select count(*) as refunds, coalesce(sum(amount_usd), 0)::float8 as usd, coalesce(max(amount_usd), 0)::float8 as largest_usd
from shop.refunds
where created_at >= :since and created_at < :until and provider <> 'history' and :tenant = 'main';

-- name: reviews(tenant, since, until)^
-- Reviews that were opened and answered in a span, and those that waited at its end, by age.
with waiting as (
    select :until - opened_at as age
    from reviews.reviews
    where opened_at < :until and not debug and (decided_at is null or decided_at >= :until)
        and (closed_at is null or closed_at >= :until) and :tenant = 'main'
)
select
    (select count(*) from reviews.reviews
     where opened_at >= :since and opened_at < :until and not debug and :tenant = 'main') as opened,
    (select count(*) from reviews.reviews
     where decided_at >= :since and decided_at < :until and not debug and :tenant = 'main') as answered,
    count(*) as waiting,
    count(*) filter (where age < interval '1 hour') as under_1h,
    count(*) filter (where age >= interval '1 hour' and age < interval '4 hours') as from_1h,
    count(*) filter (where age >= interval '4 hours' and age < interval '1 day') as from_4h,
    count(*) filter (where age >= interval '1 day' and age < interval '3 days') as from_1d,
    count(*) filter (where age >= interval '3 days') as from_3d
from waiting;

-- name: oldest_reviews(tenant, until, limit)
-- The reviews that have waited longest at a moment.
select id::text as review_id, title, graph, amount_usd, extract(epoch from :until - opened_at)::float8 as waits_s
from reviews.reviews
where opened_at < :until and not debug and (decided_at is null or decided_at >= :until)
    and (closed_at is null or closed_at >= :until) and :tenant = 'main'
order by opened_at, id
limit :limit;

-- name: has_runs()^
-- Whether the durable server keeps its runs in this database.
select to_regclass('server.runs') is not null as kept;

-- name: failed_runs(tenant, since, until)
-- Runs that failed in a span, as webhooks and crons told: one row a run.
select run_id, max(what) as what, min(at) as at
from (
    select run_id, 'run of thread ' || thread_id as what, received_at as at
    from webhooks.deliveries
    where run_status in ('error', 'timeout') and run_id is not null
        and received_at >= :since and received_at < :until and :tenant = 'main'
    union all
    select run_id::text, 'cron ' || cron, ended_at
    from crons.ticks
    where outcome in ('error', 'lost') and run_id is not null
        and ended_at >= :since and ended_at < :until and :tenant = 'main'
) as failed
group by run_id
order by at, run_id;

-- name: failed_runs_kept(tenant, since, until)
-- Runs that failed in a span, as the durable server keeps them.
select run_id::text as run_id, 'run of thread ' || thread_id::text as what, updated_at as at
from server.runs
where status in ('error', 'timeout') and updated_at >= :since and updated_at < :until and :tenant = 'main'
order by updated_at, run_id;

-- name: spend(tenant, since, until)
-- What model calls cost in a span, by model.
select
    model,
    count(*) as calls,
    sum(input_tokens + output_tokens)::bigint as tokens,
    sum(usd)::float8 as usd,
    bool_or(unpriced) as unpriced
from shop.model_calls
where tenant = :tenant and called_at >= :since and called_at < :until
group by model
order by usd desc, model;
