-- What model calls cost, noted as they are made, for the digest. An offline answer costs nothing and has no row.
create table shop.model_calls (
    model_call_id bigint generated always as identity primary key,
    tenant        text not null default 'main' check (tenant <> ''),
    graph         text not null,
    node          text not null check (node <> ''),
    thread_id     text,
    model         text not null check (model <> ''),
    input_tokens  integer not null check (input_tokens >= 0),
    output_tokens integer not null check (output_tokens >= 0),
    usd           numeric(16, 10) not null check (usd >= 0 and usd <> 'NaN'),
    -- No price is known: usd is 0 and says nothing.
    unpriced      boolean not null,
    called_at     timestamptz not null default now()
);
create index model_calls_when on shop.model_calls (tenant, called_at);

create schema helpdesk;

-- '*' is every country that has no row of its own. Rates are data of a deployment: whoever sells there keeps them right.
create table helpdesk.vat_rates (
    country text primary key check (country ~ '^([A-Z]{2}|\*)$'),
    name    text not null check (name <> ''),
    percent numeric(5, 2) not null check (percent >= 0 and percent < 100),
    note    text not null check (note <> '')
);
insert into helpdesk.vat_rates (country, name, percent, note) values
    ('US', 'United States', 0, 'There is no VAT in the United States; sales tax depends on the state and is not included.'),
    ('GB', 'United Kingdom', 20, 'Standard rate of VAT in the United Kingdom.'),
    ('DE', 'Germany', 19, 'Standard rate of VAT (Mehrwertsteuer) in Germany.'),
    ('IN', 'India', 18, 'Standard rate of GST in India.'),
    ('*', 'other countries', 20, 'No rate is on file for this country: 20 percent is an estimate, and the invoice decides.');

-- One row for each thing that is limited: the moment at which the next call is due, if calls came evenly. Whoever calls
-- moves it on, in one statement, so that all threads and processes share one pace.
create table helpdesk.paces (
    tenant text not null default 'main' check (tenant <> ''),
    name   text not null check (name <> ''),
    due_at timestamptz not null,
    primary key (tenant, name)
);
