-- Travel: flights and rooms of an agency, what was offered to travellers, what they agreed to, and what is held for them.
-- Amounts are USD; times are local to the place.
create schema travel;

-- Geography and law are nobody's own, hence of no tenant.
create table travel.places (
    code    text primary key check (code ~ '^[A-Z]{3}$'),
    city    text not null check (city <> ''),
    country text not null check (country ~ '^[A-Z]{2}$'),
    aliases text[] not null default '{}'
);

create table travel.visa_rules (
    passport    text not null check (passport ~ '^[A-Z]{2}$'),
    destination text not null check (destination ~ '^[A-Z]{2}$'),
    requirement text not null check (requirement in ('none', 'on_arrival', 'eta', 'required')),
    max_days    smallint check (max_days > 0),
    note        text not null default '',
    primary key (passport, destination)
);

create table travel.flights (
    flight_id   bigint generated always as identity primary key,
    tenant      text not null default 'main' check (tenant <> ''),
    number      text not null check (number ~ '^[A-Z0-9]{2}[0-9]{1,4}$'),
    origin      text not null references travel.places,
    destination text not null references travel.places,
    departs     timestamp not null,
    arrives     timestamp not null,
    price_usd   numeric(10, 2) not null check (price_usd > 0 and price_usd <> 'NaN'),
    seats       smallint not null check (seats >= 0),
    taken       smallint not null default 0,
    constraint flights_capacity check (taken between 0 and seats),
    constraint flights_go_somewhere check (origin <> destination),
    unique (tenant, number, departs),
    unique (flight_id, tenant)
);
create index flights_search on travel.flights (tenant, origin, destination, departs);

create table travel.hotels (
    hotel_id bigint generated always as identity primary key,
    tenant   text not null default 'main' check (tenant <> ''),
    place    text not null references travel.places,
    name     text not null check (name <> ''),
    sleeps   smallint not null check (sleeps between 1 and 9),
    unique (tenant, place, name),
    unique (hotel_id, tenant)
);

create table travel.room_nights (
    hotel_id  bigint not null,
    tenant    text not null default 'main',
    night     date not null,
    price_usd numeric(10, 2) not null check (price_usd > 0 and price_usd <> 'NaN'),
    rooms     smallint not null check (rooms >= 0),
    taken     smallint not null default 0,
    constraint room_nights_capacity check (taken between 0 and rooms),
    primary key (hotel_id, night),
    foreign key (hotel_id, tenant) references travel.hotels (hotel_id, tenant)
);

-- What a traveller was asked about, as it was shown; a yes is for exactly one of these.
create table travel.offers (
    offer_id     bigint generated always as identity primary key,
    tenant       text not null default 'main' check (tenant <> ''),
    thread_id    text not null check (thread_id <> ''),
    turn         integer not null check (turn > 0),
    digest       text not null check (digest ~ '^[0-9a-f]{64}$'),
    traveller    text not null check (traveller <> ''),
    travellers   smallint not null check (travellers between 1 and 9),
    outbound_id  bigint not null,
    inbound_id   bigint,
    hotel_id     bigint,
    check_in     date,
    check_out    date,
    rooms        smallint check (rooms between 1 and 9),
    visa         text not null check (visa in ('none', 'on_arrival', 'eta', 'required', 'unknown')),
    total_usd    numeric(12, 2) not null check (total_usd > 0 and total_usd <> 'NaN'),
    hold_minutes smallint not null check (hold_minutes between 1 and 1440),
    offered_at   timestamptz not null default now(),
    constraint offers_stay check (
        (hotel_id is null) = (check_in is null) and (hotel_id is null) = (check_out is null)
        and (hotel_id is null) = (rooms is null)
    ),
    constraint offers_nights check (check_out - check_in between 1 and 60),
    foreign key (outbound_id, tenant) references travel.flights (flight_id, tenant),
    foreign key (inbound_id, tenant) references travel.flights (flight_id, tenant),
    foreign key (hotel_id, tenant) references travel.hotels (hotel_id, tenant)
);
create index offers_of_thread on travel.offers (tenant, thread_id, offer_id);

-- `visa`: that they have, or will have, the visa that the trip needs. `hold`: that it shall be held.
create table travel.agreements (
    offer_id  bigint not null references travel.offers,
    kind      text not null check (kind in ('visa', 'hold')),
    agreed_by text not null check (agreed_by <> ''),
    agreed_at timestamptz not null default now(),
    primary key (offer_id, kind)
);

-- held -> released | expired. A hold is made of its offer: whoever makes one names the offer and nothing else.
create table travel.holds (
    hold_id    bigint generated always as identity primary key,
    offer_id   bigint not null unique references travel.offers,
    tenant     text not null check (tenant <> ''),
    thread_id  text not null,
    key        text not null,
    traveller  text not null,
    total_usd  numeric(12, 2) not null,
    status     text not null default 'held' check (status in ('held', 'released', 'expired')),
    held_at    timestamptz not null default now(),
    expires_at timestamptz not null,
    ended_at   timestamptz,
    constraint holds_end check ((status = 'held') = (ended_at is null)),
    unique (tenant, key)
);
create unique index holds_one_a_thread on travel.holds (tenant, thread_id) where status = 'held';
create index holds_that_expire on travel.holds (expires_at) where status = 'held';

create function travel.refuse() returns trigger language plpgsql as $$
begin
    raise exception '% on travel.% is not allowed: %', tg_op, tg_table_name, tg_argv[0]
        using errcode = 'integrity_constraint_violation', schema = 'travel', table = tg_table_name, constraint = tg_name;
end $$;
create trigger offers_append_only before update or delete or truncate on travel.offers
    for each statement execute function travel.refuse('what was shown stays on record');
create trigger agreements_append_only before update or delete or truncate on travel.agreements
    for each statement execute function travel.refuse('what was agreed to stays on record');
create trigger holds_kept before delete or truncate on travel.holds
    for each statement execute function travel.refuse('what was held stays on record; release it');

-- What the offer costs now; null where a night or a flight is not there.
create function travel.price_of(o travel.offers) returns numeric language sql stable as $$
    select case
        when (o.hotel_id is null or stay.nights = o.check_out - o.check_in)
             and flown.flights = 1 + (o.inbound_id is not null)::int
        then flown.usd * o.travellers + coalesce(stay.usd * o.rooms, 0)
    end
    from (select count(*) as flights, sum(price_usd) as usd from travel.flights
          where flight_id in (o.outbound_id, o.inbound_id)) as flown,
         (select count(*) as nights, sum(price_usd) as usd from travel.room_nights
          where hotel_id = o.hotel_id and night >= o.check_in and night < o.check_out) as stay
$$;

-- Nothing is held without the traveller's yes to exactly this, at the price that was shown, before it departs.
create function travel.before_hold() returns trigger language plpgsql as $$
declare
    o travel.offers;
    price numeric;
    fault text;
    says text;
begin
    select * into strict o from travel.offers where offer_id = new.offer_id;
    -- In one order, so that two holds wait for each other and do not block each other.
    perform from travel.flights where flight_id in (o.outbound_id, o.inbound_id) order by flight_id for update;
    perform from travel.room_nights
        where hotel_id = o.hotel_id and night >= o.check_in and night < o.check_out order by night for update;
    price := travel.price_of(o);
    if not exists (select from travel.agreements where offer_id = o.offer_id and kind = 'hold')
       or exists (select from travel.offers
                  where tenant = o.tenant and thread_id = o.thread_id and offer_id > o.offer_id) then
        fault := 'holds_agreed';
        says := 'nobody has said yes to this offer';
    elsif o.visa in ('required', 'unknown')
          and not exists (select from travel.agreements where offer_id = o.offer_id and kind = 'visa') then
        fault := 'holds_visa';
        says := 'nobody has said that there is a visa';
    elsif price is null
          or (select min(departs) from travel.flights where flight_id in (o.outbound_id, o.inbound_id)) <= localtimestamp then
        fault := 'holds_available';
        says := 'a part of it is no longer there';
    elsif price <> o.total_usd then
        fault := 'holds_price_as_shown';
        says := price::text;
    end if;
    if fault is not null then
        raise exception '%', says
            using errcode = 'check_violation', schema = 'travel', table = 'holds', constraint = fault;
    end if;
    new.tenant := o.tenant;
    new.thread_id := o.thread_id;
    new.key := o.thread_id || ':' || o.turn;
    new.traveller := o.traveller;
    new.total_usd := o.total_usd;
    new.status := 'held';
    new.ended_at := null;
    new.expires_at := now() + make_interval(mins => o.hold_minutes);
    return new;
end $$;
create trigger holds_before before insert on travel.holds
    for each row execute function travel.before_hold();

-- Seats and rooms are taken and given back with the hold's row, by whichever statement it changes.
create function travel.count_hold() returns trigger language plpgsql as $$
declare
    o travel.offers;
    times int := case when tg_op = 'INSERT' then 1 else -1 end;
begin
    select * into strict o from travel.offers where offer_id = new.offer_id;
    update travel.flights set taken = taken + times * o.travellers where flight_id in (o.outbound_id, o.inbound_id);
    update travel.room_nights set taken = taken + times * o.rooms
        where hotel_id = o.hotel_id and night >= o.check_in and night < o.check_out;
    return null;
end $$;
create trigger holds_take after insert on travel.holds
    for each row execute function travel.count_hold();
create trigger holds_give_back after update on travel.holds
    for each row when (old.status = 'held' and new.status <> 'held') execute function travel.count_hold();

create function travel.guard_hold() returns trigger language plpgsql as $$
begin
    if old.status <> 'held' or new.status = 'held'
       or (new.hold_id, new.offer_id, new.tenant, new.thread_id, new.key, new.traveller, new.total_usd, new.held_at,
           new.expires_at)
          is distinct from
          (old.hold_id, old.offer_id, old.tenant, old.thread_id, old.key, old.traveller, old.total_usd, old.held_at,
           old.expires_at) then
        raise exception 'a hold ends once, and nothing else of it changes'
            using errcode = 'integrity_constraint_violation', schema = 'travel', table = 'holds',
                  constraint = 'holds_move';
    end if;
    new.ended_at := now();
    return new;
end $$;
create trigger holds_move before update on travel.holds
    for each row execute function travel.guard_hold();

-- A flight or a night goes on being what was offered: only its price and its room change.
create function travel.guard_flight() returns trigger language plpgsql as $$
begin
    if (new.flight_id, new.tenant, new.number, new.origin, new.destination)
       is distinct from (old.flight_id, old.tenant, old.number, old.origin, old.destination) then
        raise exception 'a flight stays what it is: add another one'
            using errcode = 'integrity_constraint_violation', schema = 'travel', table = 'flights',
                  constraint = 'flights_stay';
    end if;
    return new;
end $$;
create trigger flights_stay before update on travel.flights
    for each row execute function travel.guard_flight();
