-- What a person let pass, for exactly one call: `refund` pays nothing else, whatever stands in a thread's state.
-- A thread's id names it for all tenants; `tenant` is of the key that the answer came with, which may be the operators'.
create table helpdesk.allowed_refunds (
    tenant     text not null default 'main' check (tenant <> ''),
    thread_id  text not null check (thread_id <> ''),
    call_id    text not null check (call_id <> ''),
    order_id   text not null check (order_id <> ''),
    amount_usd numeric(10, 2) not null check (amount_usd > 0 and amount_usd <> 'NaN'),
    allowed_by text not null check (allowed_by <> ''),
    allowed_at timestamptz not null default now(),
    primary key (thread_id, call_id, order_id, amount_usd)
);

create function helpdesk.refuse() returns trigger language plpgsql as $$
begin
    raise exception '% on helpdesk.% is not allowed: %', tg_op, tg_table_name, tg_argv[0]
        using errcode = 'integrity_constraint_violation', schema = 'helpdesk', table = tg_table_name, constraint = tg_name;
end $$;
create trigger allowed_refunds_append_only before update or delete or truncate on helpdesk.allowed_refunds
    for each statement execute function helpdesk.refuse('what a person let pass stays on record');
