-- What the graph sql_operator answers from and may write to. Statements that people or models wrote run as roles of
-- their own, which see this schema alone; the graph creates them (agents.sql_operator.access), for roles belong to
-- a server and not to a database, and whoever migrates may not be allowed to make some.
create schema desk;

-- Whose rows a transaction sees. The ticket is random, lives for seconds and stands in a table that those roles can't
-- read, so that no statement can name another tenant's: changing the setting only loses the own one.
create table desk.tickets (
    token_hash bytea primary key,
    tenant     text not null check (tenant <> ''),
    expires_at timestamptz not null
);

create function desk.tenant() returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select t.tenant from desk.tickets t
    where t.token_hash = sha256(convert_to(current_setting('desk.ticket', true), 'UTF8'))
      and t.expires_at > clock_timestamp()
$$;

-- A function, and not a SET that would show the ticket in pg_stat_activity. It holds until the transaction ends.
create function desk.enter(token text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform set_config('desk.ticket', token, true);
end $$;

create table desk.suppliers (
    tenant      text not null default coalesce(desk.tenant(), 'main') check (tenant <> ''),
    supplier_id text not null check (supplier_id <> ''),
    name        text not null check (name <> ''),
    lead_days   integer not null check (lead_days between 0 and 365),
    primary key (tenant, supplier_id)
);

create table desk.stock (
    tenant         text not null default coalesce(desk.tenant(), 'main') check (tenant <> ''),
    sku            text not null check (sku <> ''),
    product        text not null check (product <> ''),
    category       text not null,
    unit_price_usd numeric(10, 2) not null check (unit_price_usd > 0),
    on_hand        integer not null check (on_hand >= 0),
    reorder_level  integer not null check (reorder_level >= 0),
    supplier_id    text not null,
    primary key (tenant, sku),
    foreign key (tenant, supplier_id) references desk.suppliers
);

create table desk.purchase_requests (
    request_id   bigint generated always as identity primary key,
    tenant       text not null default coalesce(desk.tenant(), 'main') check (tenant <> ''),
    sku          text not null,
    quantity     integer not null check (quantity > 0),
    note         text not null default '',
    requested_at timestamptz not null default now(),
    foreign key (tenant, sku) references desk.stock
);
create index purchase_requests_sku on desk.purchase_requests (tenant, sku);

alter table desk.suppliers enable row level security;
alter table desk.stock enable row level security;
alter table desk.purchase_requests enable row level security;
create policy own_tenant on desk.suppliers
    using (tenant = (select desk.tenant())) with check (tenant = (select desk.tenant()));
create policy own_tenant on desk.stock
    using (tenant = (select desk.tenant())) with check (tenant = (select desk.tenant()));
create policy own_tenant on desk.purchase_requests
    using (tenant = (select desk.tenant())) with check (tenant = (select desk.tenant()));

-- Statements that were carried out, each in the transaction of what it did: a repeated one finds its row and does
-- nothing.
create table desk.writes (
    idempotency_key text primary key check (idempotency_key <> ''),
    tenant          text not null check (tenant <> ''),
    statement       text not null check (statement <> ''),
    row_count       integer not null check (row_count >= 0),
    written_at      timestamptz not null default now()
);

create function desk.written(key text) returns integer
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select w.row_count from desk.writes w where w.idempotency_key = key and w.tenant = desk.tenant()
$$;

create function desk.note_write(key text, statement text, row_count integer) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    insert into desk.writes (idempotency_key, tenant, statement, row_count)
    values (key, desk.tenant(), statement, row_count)
$$;

-- The passwords of the two roles, for servers that ask for one. Readable by the owner alone, who may do everything.
create table desk.logins (
    role     text primary key,
    password text not null check (length(password) >= 32)
);

-- The shop's own tables, as far as an operator needs them: no address, no mail, no payment method. The shop belongs
-- to the tenant 'main'.
create view desk.customers with (security_barrier) as
    select customer_id, first_name, last_name, address ->> 'city' as city, address ->> 'state' as state,
           address ->> 'country' as country
    from shop.customers where (select desk.tenant()) = 'main';
create view desk.orders with (security_barrier) as
    select order_id, customer_id, status, placed_on, delivered_on, paid_usd, refunded_usd
    from shop.orders where (select desk.tenant()) = 'main';
create view desk.order_items with (security_barrier) as
    select order_id, line, item_id as sku, name as product, category, price_usd, quantity
    from shop.order_items where (select desk.tenant()) = 'main';
create view desk.refunds with (security_barrier) as
    select refund_id, order_id, amount_usd, provider, created_at
    from shop.refunds where (select desk.tenant()) = 'main';

-- Puts what the shop sells into stock, in made-up numbers that are the same each time; what is there stays.
create function desk.stock_up() returns void language sql as $$
    insert into desk.suppliers (tenant, supplier_id, name, lead_days)
    select distinct 'main', p.category, initcap(replace(p.category, '_', ' ')) || ' Wholesale', 3 + length(p.category) % 10
    from shop.products p where p.category <> ''
    on conflict do nothing;
    insert into desk.stock (tenant, sku, product, category, unit_price_usd, on_hand, reorder_level, supplier_id)
    select 'main', v.item_id, p.name, p.category, v.price_usd, ('x' || left(md5(v.item_id), 4))::bit(16)::integer % 60, 10,
           p.category
    from shop.product_variants v join shop.products p using (product_id) where p.category <> ''
    on conflict do nothing;
$$;
-- A shop that was made up before there was a stock, which is known by an order of the demonstration; to one that was
-- imported nothing is invented.
do $$
begin
    if exists (select from shop.orders where order_id = '88123') then
        perform desk.stock_up();
    end if;
end $$;

-- Functions may be executed by everybody unless this is said.
revoke execute on all functions in schema desk from public;
