-- The shop: the back office that the agents work on. Amounts are USD with two decimals.
create schema shop;

create table shop.customers (
    customer_id text primary key check (customer_id <> ''),
    first_name  text not null check (first_name <> ''),
    last_name   text not null check (last_name <> ''),
    email       text not null check (email ~ '^[^@\s]+@[^@\s]+$'),
    address     jsonb not null check (jsonb_typeof(address) = 'object')
);
create unique index customers_email on shop.customers (lower(email));

create table shop.payment_methods (
    payment_method_id text primary key,
    customer_id       text not null references shop.customers,
    source            text not null check (source in ('credit_card', 'paypal', 'gift_card')),
    brand             text,
    last_four         text check (last_four ~ '^[0-9]{4}$'),
    balance_usd       numeric(10, 2) check (balance_usd >= 0),
    constraint payment_methods_card check ((source = 'credit_card') = (brand is not null and last_four is not null)),
    constraint payment_methods_gift_card check ((source = 'gift_card') = (balance_usd is not null))
);
create index payment_methods_customer on shop.payment_methods (customer_id);

create table shop.products (
    product_id text primary key,
    name       text not null check (name <> ''),
    category   text not null check (category <> '')
);

create table shop.product_variants (
    item_id    text primary key,
    product_id text not null references shop.products,
    options    jsonb not null check (jsonb_typeof(options) = 'object'),
    available  boolean not null,
    price_usd  numeric(10, 2) not null check (price_usd > 0)
);
create index product_variants_product on shop.product_variants (product_id);

-- paid, refunded and held are sums over payments, refunds and refund_holds, kept by triggers alone. They stand
-- here so that "never more back than was paid" is a plain check, true at every isolation level: whoever pays
-- back updates this row, and so waits for, or fails against, everyone else who does.
create table shop.orders (
    order_id     text primary key check (order_id ~ '^[A-Z]{0,3}[0-9]{4,15}$'),
    customer_id  text not null references shop.customers,
    status       text not null check (status in ('pending', 'processed', 'delivered', 'cancelled')),
    placed_on    date not null,
    delivered_on date,
    address      jsonb not null check (jsonb_typeof(address) = 'object'),
    paid_usd     numeric(10, 2) not null default 0,
    refunded_usd numeric(10, 2) not null default 0 check (refunded_usd >= 0),
    held_usd     numeric(10, 2) not null default 0 check (held_usd >= 0),
    constraint orders_delivered_have_a_date check ((status = 'delivered') = (delivered_on is not null)),
    constraint orders_delivered_after_placed check (delivered_on >= placed_on),
    constraint orders_refunds_within_paid check (refunded_usd + held_usd <= paid_usd)
);
create index orders_customer on shop.orders (customer_id);

create table shop.order_items (
    order_id  text not null references shop.orders,
    line      smallint not null check (line > 0),
    item_id   text not null references shop.product_variants,
    name      text not null check (name <> ''),
    category  text not null,
    options   jsonb not null check (jsonb_typeof(options) = 'object'),
    price_usd numeric(10, 2) not null check (price_usd > 0),
    quantity  integer not null check (quantity > 0),
    primary key (order_id, line)
);

create table shop.shipments (
    order_id    text not null references shop.orders,
    tracking_id text not null check (tracking_id <> ''),
    item_ids    jsonb not null check (jsonb_typeof(item_ids) = 'array'),
    primary key (order_id, tracking_id)
);

create table shop.payments (
    order_id          text not null references shop.orders,
    line              smallint not null check (line > 0),
    payment_method_id text not null references shop.payment_methods,
    amount_usd        numeric(10, 2) not null check (amount_usd > 0),
    primary key (order_id, line)
);

-- Money that went back. 'history' rows came with an imported order; all others belong to a ticket.
create table shop.refunds (
    refund_id         bigint generated always as identity primary key,
    idempotency_key   text not null unique check (idempotency_key <> ''),
    order_id          text not null references shop.orders,
    ticket_id         text,
    request           integer not null default 1 check (request > 0),
    amount_usd        numeric(10, 2) not null check (amount_usd > 0),
    provider          text not null check (provider in ('history', 'ledger', 'http')),
    reference         text not null check (reference <> ''),
    payment_method_id text references shop.payment_methods,
    created_at        timestamptz not null default now(),
    constraint refunds_have_a_ticket check ((provider = 'history') = (ticket_id is null))
);
create index refunds_order on shop.refunds (order_id);
create index refunds_ticket on shop.refunds (ticket_id text_pattern_ops);

-- Money promised to a payment provider that has not answered yet: it counts as gone until the provider says.
create table shop.refund_holds (
    idempotency_key text primary key check (idempotency_key <> ''),
    order_id        text not null references shop.orders,
    ticket_id       text not null,
    amount_usd      numeric(10, 2) not null check (amount_usd > 0),
    created_at      timestamptz not null default now()
);
create index refund_holds_order on shop.refund_holds (order_id);

create table shop.return_policies (
    reason       text primary key
                 check (reason in ('damaged', 'not_as_described', 'late', 'wrong_item', 'changed_mind', 'other')),
    window_days  integer not null check (window_days >= 0),
    refund_share numeric(4, 3) not null check (refund_share between 0 and 1),
    text         text not null check (text <> '')
);

create table shop.articles (
    article_id text primary key check (article_id ~ '^[a-z0-9-]+$'),
    title      text not null check (title <> ''),
    keywords   text not null,
    body       text not null check (body <> ''),
    search     tsvector not null generated always as (
        setweight(to_tsvector('english', title), 'A')
        || setweight(to_tsvector('english', keywords), 'B')
        || setweight(to_tsvector('english', body), 'D')
    ) stored
);
create index articles_search on shop.articles using gin (search);

create table shop.mails (
    mail_id         bigint generated always as identity primary key,
    idempotency_key text not null unique check (idempotency_key <> ''),
    ticket_id       text not null,
    recipient       text not null check (recipient ~ '^[^@\s]+@[^@\s]+$'),
    subject         text not null check (subject <> ''),
    body            text not null check (body <> ''),
    queued_at       timestamptz not null default now()
);
create index mails_ticket on shop.mails (ticket_id text_pattern_ops);

create table shop.dead_letters (
    dead_letter_id  bigint generated always as identity primary key,
    idempotency_key text not null unique check (idempotency_key <> ''),
    graph           text not null check (graph <> ''),
    node            text not null check (node <> ''),
    ticket_id       text,
    thread_id       text,
    reason          text not null check (reason <> ''),
    detail          jsonb not null check (jsonb_typeof(detail) = 'object'),
    buried_at       timestamptz not null default now()
);
create index dead_letters_ticket on shop.dead_letters (ticket_id text_pattern_ops);

-- One row a service; a closed breaker has neither date, an open one has `opened_at`, a probing one both.
create table shop.breakers (
    name        text primary key check (name <> ''),
    failures    integer not null default 0 check (failures >= 0),
    opened_at   timestamptz,
    probe_until timestamptz,
    constraint breakers_probe_only_when_open check (probe_until is null or opened_at is not null)
);

-- One row once the shop was seeded, with the day that its dates are relative to.
create table shop.seeding (
    only_row   boolean primary key default true check (only_row),
    seeded_on  date not null
);

create function shop.add_payment() returns trigger language plpgsql as $$
begin
    update shop.orders set paid_usd = paid_usd + new.amount_usd where order_id = new.order_id;
    return null;
end $$;
create trigger payments_add after insert on shop.payments
    for each row execute function shop.add_payment();

create function shop.add_refund() returns trigger language plpgsql as $$
begin
    update shop.orders set refunded_usd = refunded_usd + new.amount_usd where order_id = new.order_id;
    return null;
end $$;
create trigger refunds_add after insert on shop.refunds
    for each row execute function shop.add_refund();

create function shop.move_hold() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        update shop.orders set held_usd = held_usd + new.amount_usd where order_id = new.order_id;
    else
        update shop.orders set held_usd = held_usd - old.amount_usd where order_id = old.order_id;
    end if;
    return null;
end $$;
create trigger refund_holds_move after insert or delete on shop.refund_holds
    for each row execute function shop.move_hold();

create function shop.refuse() returns trigger language plpgsql as $$
begin
    raise exception '% on shop.% is not allowed: %', tg_op, tg_table_name, tg_argv[0]
        using errcode = 'integrity_constraint_violation', schema = 'shop', table = tg_table_name, constraint = tg_name;
end $$;

create trigger payments_append_only before update or delete or truncate on shop.payments
    for each statement execute function shop.refuse('payments are only ever added');
create trigger refunds_append_only before update or delete or truncate on shop.refunds
    for each statement execute function shop.refuse('refunds are only ever added');
create trigger refund_holds_fixed before update or truncate on shop.refund_holds
    for each statement execute function shop.refuse('a hold is placed and released, never changed');
-- At depth 0 the change comes from a client; deeper, from the triggers above.
create trigger orders_sums_by_trigger before update of paid_usd, refunded_usd, held_usd on shop.orders
    for each row when (pg_trigger_depth() = 0)
    execute function shop.refuse('the sums are kept by triggers; add a payment, a refund or a hold');
create trigger orders_start_at_zero before insert on shop.orders
    for each row when (new.paid_usd <> 0 or new.refunded_usd <> 0 or new.held_usd <> 0)
    execute function shop.refuse('a new order has paid nothing yet; add a payment');
create trigger orders_truncate before truncate on shop.orders
    for each statement execute function shop.refuse('the ledger refers to orders');
