-- Places have a time zone, so that a flight's local times are moments; and nobody holds more than their share.

alter table travel.places add column zone text;
update travel.places as p set zone = known.zone
from (values
    ('BER', 'Europe/Berlin'), ('LIS', 'Europe/Lisbon'), ('ROM', 'Europe/Rome'), ('LON', 'Europe/London'),
    ('NYC', 'America/New_York'), ('DEL', 'Asia/Kolkata'), ('TYO', 'Asia/Tokyo')
) as known (code, zone)
where p.code = known.code;
-- Others were read by the database's clock until now.
update travel.places set zone = 'UTC' where zone is null;
-- An IANA name, and neither an abbreviation nor a rule of one's own, both of which Postgres takes for a zone as well.
-- What it does not know, it refuses by itself.
alter table travel.places
    alter column zone set not null,
    add constraint places_zone check (
        zone ~ '^(UTC|[A-Z][A-Za-z_]*(/[A-Z][A-Za-z_-]*){1,2})$' and (timestamp '2000-01-01' at time zone zone) is not null
    );

-- The moments of departure and arrival. They follow the local times, which are what is on a ticket; where a clock is put
-- back, an hour comes twice, and whoever adds the flight says by the moment which one is meant.
alter table travel.flights add column leaves_at timestamptz, add column lands_at timestamptz;
update travel.flights as f
set leaves_at = f.departs at time zone o.zone, lands_at = f.arrives at time zone d.zone
from travel.places o, travel.places d
where o.code = f.origin and d.code = f.destination;
alter table travel.flights alter column leaves_at set not null, alter column lands_at set not null;

create function travel.set_clocks() returns trigger language plpgsql as $$
declare
    there text;
    here text;
    fault text;
    says text;
begin
    select zone into here from travel.places where code = new.origin;
    select zone into there from travel.places where code = new.destination;
    if tg_op = 'UPDATE' then
        if new.departs <> old.departs and new.leaves_at = old.leaves_at then new.leaves_at := null; end if;
        if new.arrives <> old.arrives and new.lands_at = old.lands_at then new.lands_at := null; end if;
    end if;
    new.leaves_at := coalesce(new.leaves_at, new.departs at time zone here);
    new.lands_at := coalesce(new.lands_at, new.arrives at time zone there);
    if new.leaves_at at time zone here <> new.departs then
        fault := 'flights_departs';
        says := format('there is no %s in %s on that day', new.departs, here);
    elsif new.lands_at at time zone there <> new.arrives then
        fault := 'flights_arrives';
        says := format('there is no %s in %s on that day', new.arrives, there);
    elsif new.lands_at <= new.leaves_at then
        fault := 'flights_take_time';
        says := format('%s in %s is not after %s in %s', new.arrives, there, new.departs, here);
    end if;
    if fault is not null then
        raise exception 'flight %: %', new.number, says
            using errcode = 'check_violation', schema = 'travel', table = 'flights', constraint = fault;
    end if;
    return new;
end $$;
create trigger flights_clocks before insert or update of departs, arrives, leaves_at, lands_at on travel.flights
    for each row execute function travel.set_clocks();

-- A place whose zone is corrected: its flights keep their local times, and their moments follow.
create function travel.follow_zone() returns trigger language plpgsql as $$
begin
    update travel.flights
    set leaves_at = case when origin = new.code then null else leaves_at end,
        lands_at = case when destination = new.code then null else lands_at end
    where origin = new.code or destination = new.code;
    return null;
end $$;
create trigger places_zone_moved after update of zone on travel.places
    for each row when (old.zone <> new.zone) execute function travel.follow_zone();

-- How much one traveller may have held at once, a row a tenant; `*` is every tenant without a row.
create table travel.limits (
    tenant    text primary key check (tenant <> ''),
    max_holds smallint not null check (max_holds > 0),
    max_seats smallint not null check (max_seats > 0)
);
insert into travel.limits (tenant, max_holds, max_seats) values ('*', 5, 18);
create trigger limits_for_all before delete or update of tenant on travel.limits
    for each row when (old.tenant = '*') execute function travel.refuse('it holds for every tenant without a row');
create trigger limits_stay before truncate on travel.limits
    for each statement execute function travel.refuse('one row holds for every tenant without one');

-- What an assistant allows, which is never more than that.
alter table travel.offers add column max_holds smallint check (max_holds > 0);

-- Frees what nobody came back for. Rows that somebody else is at work on are theirs to end.
create function travel.expire() returns void language sql as $$
    update travel.holds set status = 'expired'
    where hold_id in (
        select hold_id from travel.holds where status = 'held' and expires_at <= now()
        order by hold_id for update skip locked
    )
$$;

-- Why an offer's traveller can't hold it beside what they hold on other threads; null where they can. A second hold on
-- the same thread takes the place of the first.
create function travel.share_exceeded(o travel.offers) returns text language sql stable as $$
    select case
        when held.holds >= most.holds
        then format('%s held for you, and %s at once is the most',
                    case held.holds when 1 then '1 trip is' else held.holds || ' trips are' end, most.holds)
        when held.seats + o.travellers > most.seats
        then format('%s held for you, this trip needs %s, and %s at once is the most',
                    case held.seats when 1 then '1 seat is' else held.seats || ' seats are' end, o.travellers, most.seats)
    end
    from (select count(*) as holds, coalesce(sum(other.travellers), 0) as seats
          from travel.holds h join travel.offers other using (offer_id)
          where h.tenant = o.tenant and h.traveller = o.traveller and h.status = 'held' and h.expires_at > now()
            and h.thread_id <> o.thread_id) as held,
         (select least(max_holds, o.max_holds) as holds, max_seats as seats
          from travel.limits where tenant in (o.tenant, '*') order by tenant = '*' limit 1) as most
$$;
create index holds_of_traveller on travel.holds (tenant, traveller) where status = 'held';

-- As before, by the moment of departure; and one after another for a traveller, so that none is counted out.
create or replace function travel.before_hold() returns trigger language plpgsql as $$
declare
    o travel.offers;
    price numeric;
    fault text;
    says text;
begin
    select * into strict o from travel.offers where offer_id = new.offer_id;
    perform pg_advisory_xact_lock(hashtextextended('travel.holds:' || o.tenant || ':' || o.traveller, 0));
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
          or (select min(leaves_at) from travel.flights where flight_id in (o.outbound_id, o.inbound_id)) <= now() then
        fault := 'holds_available';
        says := 'a part of it is no longer there';
    elsif price <> o.total_usd then
        fault := 'holds_price_as_shown';
        says := price::text;
    elsif travel.share_exceeded(o) is not null then
        fault := 'holds_share';
        says := travel.share_exceeded(o);
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
