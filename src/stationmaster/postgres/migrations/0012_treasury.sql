-- The treasury: payments and trades, who signed them, and the lists they are checked against. Amounts are USD.
create schema treasury;

-- What a tenant is bound to. A row may be stricter than the defaults, never laxer: 5,000 and 10,000 are the house's rule.
create table treasury.limits (
    tenant              text primary key check (tenant <> ''),
    signature_above_usd numeric(14, 2) not null default 5000,
    two_above_usd       numeric(14, 2) not null default 10000,
    largest_usd         numeric(14, 2) not null default 250000,
    daily_usd           numeric(14, 2) not null default 500000,
    -- Callers whose word on who decided is taken: the keys of the review service. Everybody else signs as himself.
    inboxes             text[] not null default '{local,console}',
    constraint limits_never_laxer check (
        signature_above_usd >= 0 and signature_above_usd <= 5000
        and two_above_usd >= signature_above_usd and two_above_usd <= 10000
    ),
    constraint limits_are_amounts check (
        largest_usd > 0 and largest_usd <> 'NaN' and daily_usd > 0 and daily_usd <> 'NaN'
    )
);
insert into treasury.limits (tenant) values ('main');

-- Who may sign with a key of his own. People who answer in the inbox were chosen by its policy.
create table treasury.officers (
    tenant text not null default 'main' check (tenant <> ''),
    name   text not null check (name <> ''),
    primary key (tenant, name)
);

-- A name without what varies in writing: case, accents, letters that only look Latin, punctuation, legal forms, order.
create function treasury.name_key(name text) returns text language sql immutable strict parallel safe as $$
    select coalesce(string_agg(word, ' ' order by word), '')
    from regexp_split_to_table(
        regexp_replace(
            translate(
                lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f\u200b-\u200f\u2060\ufeff]', '', 'g')),
                'авеёкмнорстухіјѕɑο', 'abeekmhopctyxijsao'
            ),
            '[^[:alnum:]]+', ' ', 'g'
        ),
        '\s+'
    ) as word
    where word not in ('', 'gmbh', 'ag', 'kg', 'ltd', 'limited', 'llc', 'inc', 'corp', 'co', 'company', 'sa', 'srl',
                       'bv', 'nv', 'plc', 'oy', 'ab', 'as', 'pjsc', 'jsc', 'ooo', 'oao', 'the', 'and')
$$;

create function treasury.trigrams(key text) returns text[] language sql immutable strict parallel safe as $$
    select coalesce(array_agg(distinct substr(' ' || key || ' ', place, 3)), '{}')
    from generate_series(1, length(key)) as place
$$;

create function treasury.account_key(account text) returns text language sql immutable strict parallel safe as $$
    select upper(regexp_replace(account, '[^[:alnum:]]+', '', 'g'))
$$;

-- One row a name: an entry has as many as it has aliases. The lists are public, hence of no tenant.
create table treasury.sanctions (
    sanction_id bigint generated always as identity primary key,
    entry       text not null check (entry <> ''),
    list        text not null check (list <> ''),
    name        text not null check (treasury.name_key(name) <> ''),
    account     text check (treasury.account_key(account) <> ''),
    listed_on   date not null default current_date,
    name_key    text not null generated always as (treasury.name_key(name)) stored,
    name_parts  text[] not null generated always as (treasury.trigrams(treasury.name_key(name))) stored,
    account_key text generated always as (treasury.account_key(account)) stored,
    unique (entry, name)
);
create index sanctions_name_key on treasury.sanctions (name_key);
create index sanctions_account_key on treasury.sanctions (account_key);
create index sanctions_name_parts on treasury.sanctions using gin (name_parts);

-- A namesake that compliance has looked into: this account's holder is not that entry.
create table treasury.clearances (
    tenant      text not null default 'main' check (tenant <> ''),
    account_key text not null check (account_key = treasury.account_key(account_key) and account_key <> ''),
    entry       text not null check (entry <> ''),
    cleared_by  text not null check (cleared_by <> ''),
    note        text not null check (note <> ''),
    cleared_at  timestamptz not null default now(),
    primary key (tenant, account_key, entry)
);

create table treasury.instruments (
    symbol    text primary key check (symbol ~ '^[A-Z][A-Z0-9.]{0,9}$'),
    name      text not null check (name <> ''),
    price_usd numeric(12, 4) not null check (price_usd > 0 and price_usd <> 'NaN')
);

-- checked -> executing -> executed | failed; checked -> cancelled. What is written is never changed but for these.
create table treasury.transactions (
    transaction_id    bigint generated always as identity primary key,
    tenant            text not null default 'main' check (tenant <> ''),
    key               text not null check (key <> ''),
    request           text not null check (request <> ''),
    kind              text not null check (kind in ('payment', 'trade')),
    amount_usd        numeric(14, 2) not null check (amount_usd > 0 and amount_usd <> 'NaN'),
    beneficiary       text check (beneficiary <> ''),
    account           text check (treasury.account_key(account) <> ''),
    reference         text check (reference <> ''),
    side              text check (side in ('buy', 'sell')),
    symbol            text references treasury.instruments,
    quantity          integer check (quantity > 0),
    requested_by      text not null check (requested_by <> ''),
    signatures_needed smallint not null check (signatures_needed between 0 and 2),
    digest            text not null check (digest ~ '^[0-9a-f]{64}$'),
    status            text not null default 'checked'
                      check (status in ('checked', 'cancelled', 'executing', 'executed', 'failed')),
    why               text,
    risk              smallint check (risk between 0 and 100),
    bank_reference    text check (bank_reference <> ''),
    created_at        timestamptz not null default now(),
    executing_at      timestamptz,
    executed_at       timestamptz,
    unique (tenant, key),
    constraint transactions_above_5000_are_signed check (amount_usd <= 5000 or signatures_needed >= 1),
    constraint transactions_above_10000_take_two check (amount_usd <= 10000 or signatures_needed = 2),
    constraint transactions_payment check (
        (kind = 'payment') = (beneficiary is not null and account is not null and reference is not null)
    ),
    constraint transactions_trade check (
        (kind = 'trade') = (side is not null and symbol is not null and quantity is not null)
    ),
    constraint transactions_executed_say_how check (
        (status = 'executed') = (bank_reference is not null and executed_at is not null)
    ),
    constraint transactions_executed_are_rated check (status <> 'executed' or risk is not null)
);
create index transactions_request on treasury.transactions (tenant, request);
create index transactions_alike on treasury.transactions (tenant, treasury.account_key(account), amount_usd);
create index transactions_by_day on treasury.transactions (tenant, executing_at);
-- One invoice of one payee is paid once, however often and from wherever it is sent in.
create unique index transactions_reference_once
    on treasury.transactions (tenant, treasury.account_key(account), upper(reference))
    where kind = 'payment' and status in ('checked', 'executing', 'executed');

create table treasury.signatures (
    transaction_id bigint not null references treasury.transactions,
    tenant         text not null default 'main',
    signer         text not null check (signer <> ''),
    digest         text not null,
    note           text not null default '',
    signed_at      timestamptz not null default now(),
    primary key (transaction_id, signer)
);

create function treasury.refuse() returns trigger language plpgsql as $$
begin
    raise exception '% on treasury.% is not allowed: %', tg_op, tg_table_name, tg_argv[0]
        using errcode = 'integrity_constraint_violation', schema = 'treasury', table = tg_table_name, constraint = tg_name;
end $$;
create trigger signatures_append_only before update or delete or truncate on treasury.signatures
    for each statement execute function treasury.refuse('a signature is given once and stays');
create trigger transactions_kept before delete or truncate on treasury.transactions
    for each statement execute function treasury.refuse('what was asked for stays on record');

-- A signature is for exactly this transaction, is not its requester's own, and comes before the money moves.
create function treasury.check_signature() returns trigger language plpgsql as $$
declare
    signed treasury.transactions;
begin
    select * into signed from treasury.transactions where transaction_id = new.transaction_id for update;
    if signed.tenant <> new.tenant or signed.digest <> new.digest or signed.status <> 'checked' then
        raise exception 'this signature is for another transaction, or comes too late'
            using errcode = 'check_violation', schema = 'treasury', table = 'signatures', constraint = 'signatures_fit';
    end if;
    -- 'local' is the key of the machine itself and names nobody: it can't be told from another, and is never one of two.
    if (new.signer = 'local' and signed.signatures_needed > 1) or (
        new.signer <> 'local' and new.signer in (
            select requested_by from treasury.transactions
            where tenant = signed.tenant and request = signed.request
        )
    ) then
        raise exception '% may not sign this', new.signer
            using errcode = 'check_violation', schema = 'treasury', table = 'signatures', constraint = 'signatures_four_eyes';
    end if;
    return new;
end $$;
create trigger signatures_check before insert on treasury.signatures
    for each row execute function treasury.check_signature();

create function treasury.check_move() returns trigger language plpgsql as $$
declare
    given integer;
begin
    if (old.tenant, old.key, old.request, old.kind, old.amount_usd, old.beneficiary, old.account, old.reference, old.side,
        old.symbol, old.quantity, old.requested_by, old.signatures_needed, old.digest, old.created_at)
       is distinct from
       (new.tenant, new.key, new.request, new.kind, new.amount_usd, new.beneficiary, new.account, new.reference, new.side,
        new.symbol, new.quantity, new.requested_by, new.signatures_needed, new.digest, new.created_at) then
        raise exception 'what was checked is never changed: ask for another transaction'
            using errcode = 'check_violation', schema = 'treasury', table = 'transactions', constraint = 'transactions_fixed';
    end if;
    if old.status <> new.status and (old.status, new.status) not in (
        ('checked', 'cancelled'), ('checked', 'executing'), ('executing', 'executed'), ('executing', 'failed')
    ) then
        raise exception 'a transaction does not go from % to %', old.status, new.status
            using errcode = 'check_violation', schema = 'treasury', table = 'transactions', constraint = 'transactions_order';
    end if;
    if old.status = 'checked' and new.status = 'executing' then
        select count(*) into given from treasury.signatures where transaction_id = new.transaction_id;
        if given < new.signatures_needed then
            raise exception '% of % signatures', given, new.signatures_needed
                using errcode = 'check_violation', schema = 'treasury', table = 'transactions', constraint = 'transactions_signed';
        end if;
    end if;
    return new;
end $$;
create trigger transactions_move before update on treasury.transactions
    for each row execute function treasury.check_move();
create trigger transactions_begin_checked before insert on treasury.transactions
    for each row when (new.status <> 'checked')
    execute function treasury.refuse('a transaction begins as checked');
