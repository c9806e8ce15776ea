-- Made from the migrations by `python -m stationmaster.postgres.snapshot`; not to be edited.

--
-- PostgreSQL database dump
--



SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: assistants; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA assistants;


--
-- Name: crons; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA crons;


--
-- Name: desk; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA desk;


--
-- Name: digest; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA digest;


--
-- Name: documents; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA documents;


--
-- Name: helpdesk; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA helpdesk;


--
-- Name: research; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA research;


--
-- Name: reviews; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA reviews;


--
-- Name: shop; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA shop;


--
-- Name: stationmaster; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA stationmaster;


--
-- Name: travel; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA travel;


--
-- Name: treasury; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA treasury;


--
-- Name: webhooks; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA webhooks;


--
-- Name: workshop; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA workshop;


--
-- Name: vector; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;


--
-- Name: EXTENSION vector; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';


--
-- Name: enter(text); Type: FUNCTION; Schema: desk; Owner: -
--

CREATE FUNCTION desk.enter(token text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform set_config('desk.ticket', token, true);
end $$;


--
-- Name: note_write(text, text, integer); Type: FUNCTION; Schema: desk; Owner: -
--

CREATE FUNCTION desk.note_write(key text, statement text, row_count integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    insert into desk.writes (idempotency_key, tenant, statement, row_count)
    values (key, desk.tenant(), statement, row_count)
$$;


--
-- Name: stock_up(); Type: FUNCTION; Schema: desk; Owner: -
--

CREATE FUNCTION desk.stock_up() RETURNS void
    LANGUAGE sql
    AS $$
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


--
-- Name: tenant(); Type: FUNCTION; Schema: desk; Owner: -
--

CREATE FUNCTION desk.tenant() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select t.tenant from desk.tickets t
    where t.token_hash = sha256(convert_to(current_setting('desk.ticket', true), 'UTF8'))
      and t.expires_at > clock_timestamp()
$$;


--
-- Name: written(text); Type: FUNCTION; Schema: desk; Owner: -
--

CREATE FUNCTION desk.written(key text) RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select w.row_count from desk.writes w where w.idempotency_key = key and w.tenant = desk.tenant()
$$;


--
-- Name: check_publication(); Type: FUNCTION; Schema: documents; Owner: -
--

CREATE FUNCTION documents.check_publication() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if not exists (
        select from documents.reviews r
        join documents.files f using (tenant, document_id)
        where r.tenant = new.tenant and r.key = new.key and r.document_id = new.document_id
          and r.markdown = new.markdown and r.sha256 = f.sha256 and r.status = 'reported'
    ) then
        raise exception 'the report or its document is another by now'
            using errcode = 'check_violation', schema = 'documents', table = 'publications', constraint = 'publications_as_read';
    end if;
    return new;
end $$;


--
-- Name: check_review(); Type: FUNCTION; Schema: documents; Owner: -
--

CREATE FUNCTION documents.check_review() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if old.status <> 'reported' then
        raise exception 'this report was % already', old.status
            using errcode = 'check_violation', schema = 'documents', table = 'reviews', constraint = 'reviews_decided_once';
    end if;
    return new;
end $$;


--
-- Name: refuse(); Type: FUNCTION; Schema: documents; Owner: -
--

CREATE FUNCTION documents.refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    raise exception '% on documents.% is not allowed: %', tg_op, tg_table_name, tg_argv[0]
        using errcode = 'integrity_constraint_violation', schema = 'documents', table = tg_table_name, constraint = tg_name;
end $$;


--
-- Name: refuse(); Type: FUNCTION; Schema: helpdesk; Owner: -
--

CREATE FUNCTION helpdesk.refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    raise exception '% on helpdesk.% is not allowed: %', tg_op, tg_table_name, tg_argv[0]
        using errcode = 'integrity_constraint_violation', schema = 'helpdesk', table = tg_table_name, constraint = tg_name;
end $$;


--
-- Name: chain_entry(); Type: FUNCTION; Schema: reviews; Owner: -
--

CREATE FUNCTION reviews.chain_entry() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    head   reviews.audit_head;
    moment timestamptz;
    digest text;
begin
    select * into strict head from reviews.audit_head for update;
    moment := clock_timestamp();
    digest := encode(sha256(convert_to(
        new.opening
        || ',"at":"' || to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
        || '","detail":' || new.detail
        || ',"previous":"' || head.hash
        || '","review_id":' || coalesce('"' || new.review_id || '"', 'null')
        || ',"seq":' || head.seq + 1 || '}', 'UTF8')), 'hex');
    insert into reviews.audit (seq, at, review_id, actor, action, detail, previous, hash)
    values (head.seq + 1, moment, new.review_id, new.actor, new.action, new.detail, head.hash, digest);
    update reviews.audit_head set seq = head.seq + 1, hash = digest;
    delete from reviews.audit_pending where entry_id = new.entry_id;
    return null;
end $$;


--
-- Name: guard_review(); Type: FUNCTION; Schema: reviews; Owner: -
--

CREATE FUNCTION reviews.guard_review() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if not reviews.legal(old.state, new.state) then
        raise exception 'a review that is % can''t become %', old.state, new.state
            using errcode = 'integrity_constraint_violation', schema = 'reviews', table = 'reviews',
                  constraint = 'reviews_legal_change';
    end if;
    if (new.id, new.thread_id, new.interrupt_id, new.digest, new.occurrence, new.kind, new.payload,
        new.checkpoint_id, new.opened_at)
       is distinct from
       (old.id, old.thread_id, old.interrupt_id, old.digest, old.occurrence, old.kind, old.payload,
        old.checkpoint_id, old.opened_at)
       or new.response_schema is distinct from old.response_schema then
        raise exception 'what was shown never changes'
            using errcode = 'integrity_constraint_violation', schema = 'reviews', table = 'reviews',
                  constraint = 'reviews_shown_is_fixed';
    end if;
    if old.decided_by is not null and new.decided_by is not null
       and (new.decided_by, new.decided_at, new.decision, new.answer, new.resume)
           is distinct from (old.decided_by, old.decided_at, old.decision, old.answer, old.resume) then
        raise exception 'an answer never changes: it is undone before it was sent, or it stays'
            using errcode = 'integrity_constraint_violation', schema = 'reviews', table = 'reviews',
                  constraint = 'reviews_answer_is_fixed';
    end if;
    if old.two_person and not new.two_person
       and not (old.two_by_answer and new.first_by is null and new.state = 'open')
       or old.two_person and new.two_by_answer and not old.two_by_answer then
        raise exception 'the two-person rule of an open review stays'
            using errcode = 'integrity_constraint_violation', schema = 'reviews', table = 'reviews',
                  constraint = 'reviews_rule_is_fixed';
    end if;
    new.updated_at := now();
    return new;
end $$;


--
-- Name: legal(text, text); Type: FUNCTION; Schema: reviews; Owner: -
--

CREATE FUNCTION reviews.legal(before text, after text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
    select before = after or case before
        -- undo, and an answer that the graph refused or that could not be sent: the question is open again
        when 'open' then after in ('decided', 'superseded', 'answered_elsewhere', 'expired', 'withdrawn')
        -- failed: an operator closed an answer that could not be delivered
        when 'decided' then after in ('open', 'sent', 'failed', 'superseded', 'answered_elsewhere', 'withdrawn')
        when 'sent' then after in ('open', 'decided', 'consumed', 'failed', 'superseded', 'answered_elsewhere', 'withdrawn')
        when 'consumed' then after in ('finished', 'failed', 'withdrawn')
        when 'failed' then after = 'consumed'
        else false
    end
$$;


--
-- Name: refuse(); Type: FUNCTION; Schema: reviews; Owner: -
--

CREATE FUNCTION reviews.refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    raise exception '% on %.% is not allowed: %', tg_op, tg_table_schema, tg_table_name, tg_argv[0]
        using errcode = 'integrity_constraint_violation', schema = tg_table_schema, table = tg_table_name,
              constraint = tg_name;
end $$;


--
-- Name: tab_of(text, boolean, text, text, text); Type: FUNCTION; Schema: reviews; Owner: -
--

CREATE FUNCTION reviews.tab_of(state text, debug boolean, claimed_by text, first_by text, me text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
    select case
        when state in ('decided', 'sent', 'consumed') then 'decided'
        when state <> 'open' then 'closed'
        when debug then 'debug'
        when claimed_by = me then 'claimed'
        when claimed_by is not null or first_by = me then 'waiting'
        else 'needs_you'
    end
$$;


--
-- Name: tell_changed(); Type: FUNCTION; Schema: reviews; Owner: -
--

CREATE FUNCTION reviews.tell_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    perform pg_notify('reviews_changed', '');
    return null;
end $$;


--
-- Name: add_payment(); Type: FUNCTION; Schema: shop; Owner: -
--

CREATE FUNCTION shop.add_payment() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    update shop.orders set paid_usd = paid_usd + new.amount_usd where order_id = new.order_id;
    return null;
end $$;


--
-- Name: add_refund(); Type: FUNCTION; Schema: shop; Owner: -
--

CREATE FUNCTION shop.add_refund() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    update shop.orders set refunded_usd = refunded_usd + new.amount_usd where order_id = new.order_id;
    return null;
end $$;


--
-- Name: move_hold(); Type: FUNCTION; Schema: shop; Owner: -
--

CREATE FUNCTION shop.move_hold() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if tg_op = 'INSERT' then
        update shop.orders set held_usd = held_usd + new.amount_usd where order_id = new.order_id;
    else
        update shop.orders set held_usd = held_usd - old.amount_usd where order_id = old.order_id;
    end if;
    return null;
end $$;


--
-- Name: refuse(); Type: FUNCTION; Schema: shop; Owner: -
--

CREATE FUNCTION shop.refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    raise exception '% on shop.% is not allowed: %', tg_op, tg_table_name, tg_argv[0]
        using errcode = 'integrity_constraint_violation', schema = 'shop', table = tg_table_name, constraint = tg_name;
end $$;


--
-- Name: before_hold(); Type: FUNCTION; Schema: travel; Owner: -
--

CREATE FUNCTION travel.before_hold() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: count_hold(); Type: FUNCTION; Schema: travel; Owner: -
--

CREATE FUNCTION travel.count_hold() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: expire(); Type: FUNCTION; Schema: travel; Owner: -
--

CREATE FUNCTION travel.expire() RETURNS void
    LANGUAGE sql
    AS $$
    update travel.holds set status = 'expired'
    where hold_id in (
        select hold_id from travel.holds where status = 'held' and expires_at <= now()
        order by hold_id for update skip locked
    )
$$;


--
-- Name: follow_zone(); Type: FUNCTION; Schema: travel; Owner: -
--

CREATE FUNCTION travel.follow_zone() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    update travel.flights
    set leaves_at = case when origin = new.code then null else leaves_at end,
        lands_at = case when destination = new.code then null else lands_at end
    where origin = new.code or destination = new.code;
    return null;
end $$;


--
-- Name: guard_flight(); Type: FUNCTION; Schema: travel; Owner: -
--

CREATE FUNCTION travel.guard_flight() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if (new.flight_id, new.tenant, new.number, new.origin, new.destination)
       is distinct from (old.flight_id, old.tenant, old.number, old.origin, old.destination) then
        raise exception 'a flight stays what it is: add another one'
            using errcode = 'integrity_constraint_violation', schema = 'travel', table = 'flights',
                  constraint = 'flights_stay';
    end if;
    return new;
end $$;


--
-- Name: guard_hold(); Type: FUNCTION; Schema: travel; Owner: -
--

CREATE FUNCTION travel.guard_hold() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: offers; Type: TABLE; Schema: travel; Owner: -
--

CREATE TABLE travel.offers (
    offer_id bigint NOT NULL,
    tenant text DEFAULT 'main'::text NOT NULL,
    thread_id text NOT NULL,
    turn integer NOT NULL,
    digest text NOT NULL,
    traveller text NOT NULL,
    travellers smallint NOT NULL,
    outbound_id bigint NOT NULL,
    inbound_id bigint,
    hotel_id bigint,
    check_in date,
    check_out date,
    rooms smallint,
    visa text NOT NULL,
    total_usd numeric(12,2) NOT NULL,
    hold_minutes smallint NOT NULL,
    offered_at timestamp with time zone DEFAULT now() NOT NULL,
    max_holds smallint,
    CONSTRAINT offers_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT offers_hold_minutes_check CHECK (((hold_minutes >= 1) AND (hold_minutes <= 1440))),
    CONSTRAINT offers_max_holds_check CHECK ((max_holds > 0)),
    CONSTRAINT offers_nights CHECK ((((check_out - check_in) >= 1) AND ((check_out - check_in) <= 60))),
    CONSTRAINT offers_rooms_check CHECK (((rooms >= 1) AND (rooms <= 9))),
    CONSTRAINT offers_stay CHECK ((((hotel_id IS NULL) = (check_in IS NULL)) AND ((hotel_id IS NULL) = (check_out IS NULL)) AND ((hotel_id IS NULL) = (rooms IS NULL)))),
    CONSTRAINT offers_tenant_check CHECK ((tenant <> ''::text)),
    CONSTRAINT offers_thread_id_check CHECK ((thread_id <> ''::text)),
    CONSTRAINT offers_total_usd_check CHECK (((total_usd > (0)::numeric) AND (total_usd <> 'NaN'::numeric))),
    CONSTRAINT offers_traveller_check CHECK ((traveller <> ''::text)),
    CONSTRAINT offers_travellers_check CHECK (((travellers >= 1) AND (travellers <= 9))),
    CONSTRAINT offers_turn_check CHECK ((turn > 0)),
    CONSTRAINT offers_visa_check CHECK ((visa = ANY (ARRAY['none'::text, 'on_arrival'::text, 'eta'::text, 'required'::text, 'unknown'::text])))
);


--
-- Name: price_of(travel.offers); Type: FUNCTION; Schema: travel; Owner: -
--

CREATE FUNCTION travel.price_of(o travel.offers) RETURNS numeric
    LANGUAGE sql STABLE
    AS $$
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


--
-- Name: refuse(); Type: FUNCTION; Schema: travel; Owner: -
--

CREATE FUNCTION travel.refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    raise exception '% on travel.% is not allowed: %', tg_op, tg_table_name, tg_argv[0]
        using errcode = 'integrity_constraint_violation', schema = 'travel', table = tg_table_name, constraint = tg_name;
end $$;


--
-- Name: set_clocks(); Type: FUNCTION; Schema: travel; Owner: -
--

CREATE FUNCTION travel.set_clocks() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: share_exceeded(travel.offers); Type: FUNCTION; Schema: travel; Owner: -
--

CREATE FUNCTION travel.share_exceeded(o travel.offers) RETURNS text
    LANGUAGE sql STABLE
    AS $$
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


--
-- Name: account_key(text); Type: FUNCTION; Schema: treasury; Owner: -
--

CREATE FUNCTION treasury.account_key(account text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    select upper(regexp_replace(account, '[^[:alnum:]]+', '', 'g'))
$$;


--
-- Name: check_move(); Type: FUNCTION; Schema: treasury; Owner: -
--

CREATE FUNCTION treasury.check_move() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: check_signature(); Type: FUNCTION; Schema: treasury; Owner: -
--

CREATE FUNCTION treasury.check_signature() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: name_key(text); Type: FUNCTION; Schema: treasury; Owner: -
--

CREATE FUNCTION treasury.name_key(name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
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


--
-- Name: refuse(); Type: FUNCTION; Schema: treasury; Owner: -
--

CREATE FUNCTION treasury.refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    raise exception '% on treasury.% is not allowed: %', tg_op, tg_table_name, tg_argv[0]
        using errcode = 'integrity_constraint_violation', schema = 'treasury', table = tg_table_name, constraint = tg_name;
end $$;


--
-- Name: trigrams(text); Type: FUNCTION; Schema: treasury; Owner: -
--

CREATE FUNCTION treasury.trigrams(key text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    select coalesce(array_agg(distinct substr(' ' || key || ' ', place, 3)), '{}')
    from generate_series(1, length(key)) as place
$$;


--
-- Name: canary_runs; Type: TABLE; Schema: assistants; Owner: -
--

CREATE TABLE assistants.canary_runs (
    run_id text NOT NULL,
    thread_id text NOT NULL,
    canary_id text NOT NULL,
    arm text NOT NULL,
    assistant text NOT NULL,
    version integer,
    status text NOT NULL,
    created_at timestamp with time zone,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    kept_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT canary_runs_arm_check CHECK ((arm = ANY (ARRAY['live'::text, 'canary'::text, 'pinned'::text]))),
    CONSTRAINT canary_runs_canary_id_check CHECK ((canary_id <> ''::text)),
    CONSTRAINT canary_runs_run_id_check CHECK ((run_id <> ''::text)),
    CONSTRAINT canary_runs_status_check CHECK ((status <> ''::text)),
    CONSTRAINT canary_runs_thread_id_check CHECK ((thread_id <> ''::text))
);


--
-- Name: ticks; Type: TABLE; Schema: crons; Owner: -
--

CREATE TABLE crons.ticks (
    id bigint NOT NULL,
    cron text NOT NULL,
    cron_id uuid NOT NULL,
    assistant_id text,
    trigger text NOT NULL,
    planned_at timestamp with time zone,
    last_planned_at timestamp with time zone,
    slots integer DEFAULT 1 NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    outcome text NOT NULL,
    reason text,
    run_id uuid,
    thread_id uuid,
    fresh boolean NOT NULL,
    keep_days integer,
    started_by text,
    ended_at timestamp with time zone,
    look_at timestamp with time zone DEFAULT now() NOT NULL,
    pruned_at timestamp with time zone,
    CONSTRAINT ticks_check CHECK ((last_planned_at >= planned_at)),
    CONSTRAINT ticks_check1 CHECK (((trigger = 'schedule'::text) = (planned_at IS NOT NULL))),
    CONSTRAINT ticks_check2 CHECK (((trigger = 'person'::text) = (started_by IS NOT NULL))),
    CONSTRAINT ticks_check3 CHECK (((outcome = ANY (ARRAY['skipped'::text, 'queued'::text, 'missed'::text])) = (run_id IS NULL))),
    CONSTRAINT ticks_check4 CHECK (((outcome <> ALL (ARRAY['skipped'::text, 'queued'::text, 'missed'::text, 'error'::text, 'lost'::text])) OR (reason IS NOT NULL))),
    CONSTRAINT ticks_check5 CHECK (((outcome = ANY (ARRAY['running'::text, 'waiting'::text, 'queued'::text])) = (ended_at IS NULL))),
    CONSTRAINT ticks_check6 CHECK (((outcome = 'missed'::text) OR (slots = 1))),
    CONSTRAINT ticks_check7 CHECK (((pruned_at IS NULL) OR fresh)),
    CONSTRAINT ticks_cron_check CHECK ((cron <> ''::text)),
    CONSTRAINT ticks_keep_days_check CHECK ((keep_days >= 0)),
    CONSTRAINT ticks_outcome_check CHECK ((outcome = ANY (ARRAY['running'::text, 'waiting'::text, 'success'::text, 'error'::text, 'cancelled'::text, 'lost'::text, 'skipped'::text, 'queued'::text, 'missed'::text]))),
    CONSTRAINT ticks_slots_check CHECK ((slots > 0)),
    CONSTRAINT ticks_trigger_check CHECK ((trigger = ANY (ARRAY['schedule'::text, 'person'::text])))
);


--
-- Name: ticks_id_seq; Type: SEQUENCE; Schema: crons; Owner: -
--

ALTER TABLE crons.ticks ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME crons.ticks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: customers; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.customers (
    customer_id text NOT NULL,
    first_name text NOT NULL,
    last_name text NOT NULL,
    email text NOT NULL,
    address jsonb NOT NULL,
    CONSTRAINT customers_address_check CHECK ((jsonb_typeof(address) = 'object'::text)),
    CONSTRAINT customers_customer_id_check CHECK ((customer_id <> ''::text)),
    CONSTRAINT customers_email_check CHECK ((email ~ '^[^@\s]+@[^@\s]+$'::text)),
    CONSTRAINT customers_first_name_check CHECK ((first_name <> ''::text)),
    CONSTRAINT customers_last_name_check CHECK ((last_name <> ''::text))
);


--
-- Name: customers; Type: VIEW; Schema: desk; Owner: -
--

CREATE VIEW desk.customers WITH (security_barrier='true') AS
 SELECT customer_id,
    first_name,
    last_name,
    (address ->> 'city'::text) AS city,
    (address ->> 'state'::text) AS state,
    (address ->> 'country'::text) AS country
   FROM shop.customers
  WHERE (( SELECT desk.tenant() AS tenant) = 'main'::text);


--
-- Name: logins; Type: TABLE; Schema: desk; Owner: -
--

CREATE TABLE desk.logins (
    role text NOT NULL,
    password text NOT NULL,
    CONSTRAINT logins_password_check CHECK ((length(password) >= 32))
);


--
-- Name: order_items; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.order_items (
    order_id text NOT NULL,
    line smallint NOT NULL,
    item_id text NOT NULL,
    name text NOT NULL,
    category text NOT NULL,
    options jsonb NOT NULL,
    price_usd numeric(10,2) NOT NULL,
    quantity integer NOT NULL,
    CONSTRAINT order_items_line_check CHECK ((line > 0)),
    CONSTRAINT order_items_name_check CHECK ((name <> ''::text)),
    CONSTRAINT order_items_options_check CHECK ((jsonb_typeof(options) = 'object'::text)),
    CONSTRAINT order_items_price_usd_check CHECK ((price_usd > (0)::numeric)),
    CONSTRAINT order_items_quantity_check CHECK ((quantity > 0))
);


--
-- Name: order_items; Type: VIEW; Schema: desk; Owner: -
--

CREATE VIEW desk.order_items WITH (security_barrier='true') AS
 SELECT order_id,
    line,
    item_id AS sku,
    name AS product,
    category,
    price_usd,
    quantity
   FROM shop.order_items
  WHERE (( SELECT desk.tenant() AS tenant) = 'main'::text);


--
-- Name: orders; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.orders (
    order_id text NOT NULL,
    customer_id text NOT NULL,
    status text NOT NULL,
    placed_on date NOT NULL,
    delivered_on date,
    address jsonb NOT NULL,
    paid_usd numeric(10,2) DEFAULT 0 NOT NULL,
    refunded_usd numeric(10,2) DEFAULT 0 NOT NULL,
    held_usd numeric(10,2) DEFAULT 0 NOT NULL,
    CONSTRAINT orders_address_check CHECK ((jsonb_typeof(address) = 'object'::text)),
    CONSTRAINT orders_delivered_after_placed CHECK ((delivered_on >= placed_on)),
    CONSTRAINT orders_delivered_have_a_date CHECK (((status = 'delivered'::text) = (delivered_on IS NOT NULL))),
    CONSTRAINT orders_held_usd_check CHECK ((held_usd >= (0)::numeric)),
    CONSTRAINT orders_order_id_check CHECK ((order_id ~ '^[A-Z]{0,3}[0-9]{4,15}$'::text)),
    CONSTRAINT orders_refunded_usd_check CHECK ((refunded_usd >= (0)::numeric)),
    CONSTRAINT orders_refunds_within_paid CHECK (((refunded_usd + held_usd) <= paid_usd)),
    CONSTRAINT orders_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processed'::text, 'delivered'::text, 'cancelled'::text])))
);


--
-- Name: orders; Type: VIEW; Schema: desk; Owner: -
--

CREATE VIEW desk.orders WITH (security_barrier='true') AS
 SELECT order_id,
    customer_id,
    status,
    placed_on,
    delivered_on,
    paid_usd,
    refunded_usd
   FROM shop.orders
  WHERE (( SELECT desk.tenant() AS tenant) = 'main'::text);


--
-- Name: purchase_requests; Type: TABLE; Schema: desk; Owner: -
--

CREATE TABLE desk.purchase_requests (
    request_id bigint NOT NULL,
    tenant text DEFAULT COALESCE(desk.tenant(), 'main'::text) NOT NULL,
    sku text NOT NULL,
    quantity integer NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    requested_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT purchase_requests_quantity_check CHECK ((quantity > 0)),
    CONSTRAINT purchase_requests_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: purchase_requests_request_id_seq; Type: SEQUENCE; Schema: desk; Owner: -
--

ALTER TABLE desk.purchase_requests ALTER COLUMN request_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME desk.purchase_requests_request_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: refunds; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.refunds (
    refund_id bigint NOT NULL,
    idempotency_key text NOT NULL,
    order_id text NOT NULL,
    ticket_id text,
    request integer DEFAULT 1 NOT NULL,
    amount_usd numeric(10,2) NOT NULL,
    provider text NOT NULL,
    reference text NOT NULL,
    payment_method_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT refunds_amount_is_a_number CHECK ((amount_usd <> 'NaN'::numeric)),
    CONSTRAINT refunds_amount_usd_check CHECK ((amount_usd > (0)::numeric)),
    CONSTRAINT refunds_have_a_ticket CHECK (((provider = 'history'::text) = (ticket_id IS NULL))),
    CONSTRAINT refunds_idempotency_key_check CHECK ((idempotency_key <> ''::text)),
    CONSTRAINT refunds_provider_check CHECK ((provider = ANY (ARRAY['history'::text, 'ledger'::text, 'http'::text]))),
    CONSTRAINT refunds_reference_check CHECK ((reference <> ''::text)),
    CONSTRAINT refunds_request_check CHECK ((request > 0))
);


--
-- Name: refunds; Type: VIEW; Schema: desk; Owner: -
--

CREATE VIEW desk.refunds WITH (security_barrier='true') AS
 SELECT refund_id,
    order_id,
    amount_usd,
    provider,
    created_at
   FROM shop.refunds
  WHERE (( SELECT desk.tenant() AS tenant) = 'main'::text);


--
-- Name: stock; Type: TABLE; Schema: desk; Owner: -
--

CREATE TABLE desk.stock (
    tenant text DEFAULT COALESCE(desk.tenant(), 'main'::text) NOT NULL,
    sku text NOT NULL,
    product text NOT NULL,
    category text NOT NULL,
    unit_price_usd numeric(10,2) NOT NULL,
    on_hand integer NOT NULL,
    reorder_level integer NOT NULL,
    supplier_id text NOT NULL,
    CONSTRAINT stock_on_hand_check CHECK ((on_hand >= 0)),
    CONSTRAINT stock_product_check CHECK ((product <> ''::text)),
    CONSTRAINT stock_reorder_level_check CHECK ((reorder_level >= 0)),
    CONSTRAINT stock_sku_check CHECK ((sku <> ''::text)),
    CONSTRAINT stock_tenant_check CHECK ((tenant <> ''::text)),
    CONSTRAINT stock_unit_price_usd_check CHECK ((unit_price_usd > (0)::numeric))
);


--
-- Name: suppliers; Type: TABLE; Schema: desk; Owner: -
--

CREATE TABLE desk.suppliers (
    tenant text DEFAULT COALESCE(desk.tenant(), 'main'::text) NOT NULL,
    supplier_id text NOT NULL,
    name text NOT NULL,
    lead_days integer NOT NULL,
    CONSTRAINT suppliers_lead_days_check CHECK (((lead_days >= 0) AND (lead_days <= 365))),
    CONSTRAINT suppliers_name_check CHECK ((name <> ''::text)),
    CONSTRAINT suppliers_supplier_id_check CHECK ((supplier_id <> ''::text)),
    CONSTRAINT suppliers_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: tickets; Type: TABLE; Schema: desk; Owner: -
--

CREATE TABLE desk.tickets (
    token_hash bytea NOT NULL,
    tenant text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT tickets_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: writes; Type: TABLE; Schema: desk; Owner: -
--

CREATE TABLE desk.writes (
    idempotency_key text NOT NULL,
    tenant text NOT NULL,
    statement text NOT NULL,
    row_count integer NOT NULL,
    written_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT writes_idempotency_key_check CHECK ((idempotency_key <> ''::text)),
    CONSTRAINT writes_row_count_check CHECK ((row_count >= 0)),
    CONSTRAINT writes_statement_check CHECK ((statement <> ''::text)),
    CONSTRAINT writes_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: reports; Type: TABLE; Schema: digest; Owner: -
--

CREATE TABLE digest.reports (
    report_id bigint NOT NULL,
    tenant text DEFAULT 'main'::text NOT NULL,
    name text NOT NULL,
    slot timestamp with time zone NOT NULL,
    since timestamp with time zone NOT NULL,
    figures jsonb NOT NULL,
    markdown text NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT reports_check CHECK ((since < slot)),
    CONSTRAINT reports_figures_check CHECK ((jsonb_typeof(figures) = 'object'::text)),
    CONSTRAINT reports_markdown_check CHECK ((markdown <> ''::text)),
    CONSTRAINT reports_name_check CHECK ((name <> ''::text)),
    CONSTRAINT reports_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: reports_report_id_seq; Type: SEQUENCE; Schema: digest; Owner: -
--

ALTER TABLE digest.reports ALTER COLUMN report_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME digest.reports_report_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: files; Type: TABLE; Schema: documents; Owner: -
--

CREATE TABLE documents.files (
    tenant text DEFAULT 'main'::text NOT NULL,
    document_id text NOT NULL,
    title text NOT NULL,
    media_type text NOT NULL,
    content bytea NOT NULL,
    sha256 text GENERATED ALWAYS AS (encode(sha256(content), 'hex'::text)) STORED NOT NULL,
    uploaded_by text NOT NULL,
    uploaded_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT files_content_check CHECK ((octet_length(content) <= 20971520)),
    CONSTRAINT files_document_id_check CHECK ((document_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$'::text)),
    CONSTRAINT files_media_type_check CHECK ((media_type = ANY (ARRAY['text/plain'::text, 'text/markdown'::text, 'application/pdf'::text]))),
    CONSTRAINT files_tenant_check CHECK ((tenant <> ''::text)),
    CONSTRAINT files_title_check CHECK ((title <> ''::text)),
    CONSTRAINT files_uploaded_by_check CHECK ((uploaded_by <> ''::text))
);


--
-- Name: findings; Type: TABLE; Schema: documents; Owner: -
--

CREATE TABLE documents.findings (
    tenant text DEFAULT 'main'::text NOT NULL,
    key text NOT NULL,
    branch text NOT NULL,
    number integer NOT NULL,
    document_id text NOT NULL,
    kind text NOT NULL,
    severity text NOT NULL,
    masked text NOT NULL,
    page integer,
    start_at integer,
    end_at integer,
    CONSTRAINT findings_branch_check CHECK ((branch = ANY (ARRAY['pii'::text, 'security'::text, 'compliance'::text]))),
    CONSTRAINT findings_have_a_whole_place CHECK ((((page IS NULL) = (start_at IS NULL)) AND ((page IS NULL) = (end_at IS NULL)) AND (end_at > start_at))),
    CONSTRAINT findings_key_check CHECK ((key <> ''::text)),
    CONSTRAINT findings_kind_check CHECK ((kind <> ''::text)),
    CONSTRAINT findings_masked_check CHECK ((masked <> ''::text)),
    CONSTRAINT findings_number_check CHECK ((number > 0)),
    CONSTRAINT findings_page_check CHECK ((page > 0)),
    CONSTRAINT findings_severity_check CHECK ((severity = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text]))),
    CONSTRAINT findings_start_at_check CHECK ((start_at >= 0))
);


--
-- Name: pages; Type: TABLE; Schema: documents; Owner: -
--

CREATE TABLE documents.pages (
    tenant text DEFAULT 'main'::text NOT NULL,
    document_id text NOT NULL,
    sha256 text NOT NULL,
    page integer NOT NULL,
    text text NOT NULL,
    CONSTRAINT pages_page_check CHECK ((page > 0)),
    CONSTRAINT pages_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
);


--
-- Name: publications; Type: TABLE; Schema: documents; Owner: -
--

CREATE TABLE documents.publications (
    publication_id bigint NOT NULL,
    tenant text DEFAULT 'main'::text NOT NULL,
    key text NOT NULL,
    document_id text NOT NULL,
    title text NOT NULL,
    severity text NOT NULL,
    markdown text NOT NULL,
    published_by text NOT NULL,
    published_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT publications_markdown_check CHECK ((markdown <> ''::text)),
    CONSTRAINT publications_published_by_check CHECK ((published_by <> ''::text)),
    CONSTRAINT publications_severity_check CHECK ((severity = ANY (ARRAY['none'::text, 'low'::text, 'medium'::text, 'high'::text]))),
    CONSTRAINT publications_title_check CHECK ((title <> ''::text))
);


--
-- Name: publications_publication_id_seq; Type: SEQUENCE; Schema: documents; Owner: -
--

ALTER TABLE documents.publications ALTER COLUMN publication_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME documents.publications_publication_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: reviews; Type: TABLE; Schema: documents; Owner: -
--

CREATE TABLE documents.reviews (
    tenant text DEFAULT 'main'::text NOT NULL,
    key text NOT NULL,
    document_id text NOT NULL,
    sha256 text NOT NULL,
    kind text NOT NULL,
    complete boolean NOT NULL,
    markdown text NOT NULL,
    digest text NOT NULL,
    status text DEFAULT 'reported'::text NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    decided_by text,
    reported_at timestamp with time zone DEFAULT now() NOT NULL,
    decided_at timestamp with time zone,
    CONSTRAINT reviews_decided_by_check CHECK ((decided_by <> ''::text)),
    CONSTRAINT reviews_decided_by_somebody CHECK ((((status = 'reported'::text) = (decided_by IS NULL)) AND ((status = 'reported'::text) = (decided_at IS NULL)))),
    CONSTRAINT reviews_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT reviews_key_check CHECK ((key <> ''::text)),
    CONSTRAINT reviews_kind_check CHECK ((kind <> ''::text)),
    CONSTRAINT reviews_markdown_check CHECK ((markdown <> ''::text)),
    CONSTRAINT reviews_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT reviews_status_check CHECK ((status = ANY (ARRAY['reported'::text, 'published'::text, 'withheld'::text])))
);


--
-- Name: allowed_refunds; Type: TABLE; Schema: helpdesk; Owner: -
--

CREATE TABLE helpdesk.allowed_refunds (
    tenant text DEFAULT 'main'::text NOT NULL,
    thread_id text NOT NULL,
    call_id text NOT NULL,
    order_id text NOT NULL,
    amount_usd numeric(10,2) NOT NULL,
    allowed_by text NOT NULL,
    allowed_at timestamp with time zone DEFAULT now() NOT NULL,
    request integer,
    CONSTRAINT allowed_refunds_allowed_by_check CHECK ((allowed_by <> ''::text)),
    CONSTRAINT allowed_refunds_amount_usd_check CHECK (((amount_usd > (0)::numeric) AND (amount_usd <> 'NaN'::numeric))),
    CONSTRAINT allowed_refunds_call_id_check CHECK ((call_id <> ''::text)),
    CONSTRAINT allowed_refunds_order_id_check CHECK ((order_id <> ''::text)),
    CONSTRAINT allowed_refunds_request_check CHECK ((request > 0)),
    CONSTRAINT allowed_refunds_tenant_check CHECK ((tenant <> ''::text)),
    CONSTRAINT allowed_refunds_thread_id_check CHECK ((thread_id <> ''::text))
);


--
-- Name: paces; Type: TABLE; Schema: helpdesk; Owner: -
--

CREATE TABLE helpdesk.paces (
    tenant text DEFAULT 'main'::text NOT NULL,
    name text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    most_per_minute integer DEFAULT 600 NOT NULL,
    CONSTRAINT paces_most_per_minute_check CHECK ((most_per_minute > 0)),
    CONSTRAINT paces_name_check CHECK ((name <> ''::text)),
    CONSTRAINT paces_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: vat_rates; Type: TABLE; Schema: helpdesk; Owner: -
--

CREATE TABLE helpdesk.vat_rates (
    country text NOT NULL,
    name text NOT NULL,
    percent numeric(5,2) NOT NULL,
    note text NOT NULL,
    CONSTRAINT vat_rates_country_check CHECK ((country ~ '^([A-Z]{2}|\*)$'::text)),
    CONSTRAINT vat_rates_name_check CHECK ((name <> ''::text)),
    CONSTRAINT vat_rates_note_check CHECK ((note <> ''::text)),
    CONSTRAINT vat_rates_percent_check CHECK (((percent >= (0)::numeric) AND (percent < (100)::numeric)))
);


--
-- Name: searches; Type: TABLE; Schema: research; Owner: -
--

CREATE TABLE research.searches (
    tenant text DEFAULT 'main'::text NOT NULL,
    source text NOT NULL,
    key text NOT NULL,
    answer jsonb NOT NULL,
    kept_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT searches_answer_check CHECK ((jsonb_typeof(answer) = 'array'::text)),
    CONSTRAINT searches_key_check CHECK ((key ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT searches_source_check CHECK ((source <> ''::text)),
    CONSTRAINT searches_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: vectors; Type: TABLE; Schema: research; Owner: -
--

CREATE TABLE research.vectors (
    content_hash text NOT NULL,
    model text NOT NULL,
    dimension integer NOT NULL,
    embedding real[] NOT NULL,
    embedded_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT vectors_are_of_their_dimension CHECK (((cardinality(embedding) = dimension) AND (array_ndims(embedding) = 1) AND (array_position(embedding, NULL::real) IS NULL))),
    CONSTRAINT vectors_content_hash_check CHECK ((content_hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT vectors_dimension_check CHECK (((dimension >= 1) AND (dimension <= 16000))),
    CONSTRAINT vectors_model_check CHECK ((model <> ''::text))
);


--
-- Name: audit; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.audit (
    seq bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    review_id uuid,
    actor text NOT NULL,
    action text NOT NULL,
    detail text NOT NULL,
    previous text NOT NULL,
    hash text NOT NULL,
    words tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, translate(replace(replace("left"(detail, 100000), '\n'::text, ' '::text), '\t'::text, ' '::text), '/'::text, ' '::text))) STORED NOT NULL,
    CONSTRAINT audit_action_check CHECK ((action <> ''::text)),
    CONSTRAINT audit_actor_check CHECK ((actor <> ''::text)),
    CONSTRAINT audit_hash_check CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT audit_previous_check CHECK ((previous ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT audit_seq_check CHECK ((seq > 0))
);


--
-- Name: audit_head; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.audit_head (
    only_row boolean DEFAULT true NOT NULL,
    seq bigint NOT NULL,
    hash text NOT NULL,
    CONSTRAINT audit_head_hash_check CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT audit_head_only_row_check CHECK (only_row)
);


--
-- Name: audit_pending; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.audit_pending (
    entry_id bigint NOT NULL,
    review_id uuid,
    actor text NOT NULL,
    action text NOT NULL,
    detail text NOT NULL,
    opening text NOT NULL,
    CONSTRAINT audit_pending_action_check CHECK ((action ~ '^[a-z_]+$'::text)),
    CONSTRAINT audit_pending_actor_check CHECK ((actor <> ''::text))
);


--
-- Name: audit_pending_entry_id_seq; Type: SEQUENCE; Schema: reviews; Owner: -
--

ALTER TABLE reviews.audit_pending ALTER COLUMN entry_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME reviews.audit_pending_entry_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: comments; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.comments (
    comment_id bigint NOT NULL,
    review_id uuid NOT NULL,
    author text NOT NULL,
    body text NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT comments_author_check CHECK ((author <> ''::text)),
    CONSTRAINT comments_body_check CHECK (((body <> ''::text) AND (length(body) <= 10000)))
);


--
-- Name: comments_comment_id_seq; Type: SEQUENCE; Schema: reviews; Owner: -
--

ALTER TABLE reviews.comments ALTER COLUMN comment_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME reviews.comments_comment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: dispatches; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.dispatches (
    message_id uuid NOT NULL,
    receiver text NOT NULL,
    shown text NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    next_try_at timestamp with time zone DEFAULT now() NOT NULL,
    give_up_at timestamp with time zone DEFAULT (now() + '24:00:00'::interval) NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    worked_until timestamp with time zone,
    sent_at timestamp with time zone,
    last_error text,
    CONSTRAINT dispatches_dead CHECK (((state <> 'dead'::text) OR (last_error IS NOT NULL))),
    CONSTRAINT dispatches_receiver_check CHECK ((receiver ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT dispatches_sent CHECK (((state = 'sent'::text) = (sent_at IS NOT NULL))),
    CONSTRAINT dispatches_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'dead'::text]))),
    CONSTRAINT dispatches_tries_check CHECK ((tries >= 0))
);


--
-- Name: drift; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.drift (
    name text NOT NULL,
    n bigint DEFAULT 0 NOT NULL,
    last_thread text,
    last_at timestamp with time zone,
    CONSTRAINT drift_name_check CHECK ((name = ANY (ARRAY['missed'::text, 'vanished'::text, 'superseded'::text, 'answered_elsewhere'::text, 'answered_but_pending'::text, 'returned'::text])))
);


--
-- Name: idempotency_keys; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.idempotency_keys (
    identity text NOT NULL,
    key text NOT NULL,
    request_hash text NOT NULL,
    review_id uuid,
    response text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT idempotency_keys_key_check CHECK (((key <> ''::text) AND (length(key) <= 255)))
);


--
-- Name: login_failures; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.login_failures (
    kind text NOT NULL,
    key text NOT NULL,
    failures integer NOT NULL,
    since timestamp with time zone NOT NULL,
    CONSTRAINT login_failures_kind_check CHECK ((kind = ANY (ARRAY['name'::text, 'address'::text])))
);


--
-- Name: one_time_links; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.one_time_links (
    link_hash text NOT NULL,
    purpose text NOT NULL,
    user_name text,
    review_id uuid,
    decision text,
    audience text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT one_time_links_audience_check CHECK ((audience <> ''::text)),
    CONSTRAINT one_time_links_purpose_check CHECK ((purpose = ANY (ARRAY['sign_in'::text, 'decide'::text]))),
    CONSTRAINT one_time_links_whole CHECK (
CASE purpose
    WHEN 'sign_in'::text THEN ((user_name IS NOT NULL) AND (review_id IS NULL))
    ELSE ((review_id IS NOT NULL) AND (decision IS NOT NULL) AND ((user_name IS NULL) <> (audience IS NULL)))
END)
);


--
-- Name: outbox; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.outbox (
    message_id uuid DEFAULT gen_random_uuid() NOT NULL,
    seq bigint NOT NULL,
    medium text NOT NULL,
    kind text NOT NULL,
    review_id uuid NOT NULL,
    audience text,
    body text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    spread_at timestamp with time zone,
    not_before timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT outbox_audience CHECK (((medium = 'notice'::text) = (audience IS NOT NULL))),
    CONSTRAINT outbox_audience_check CHECK ((audience <> ''::text)),
    CONSTRAINT outbox_kind_check CHECK ((kind <> ''::text)),
    CONSTRAINT outbox_medium_check CHECK ((medium = ANY (ARRAY['event'::text, 'notice'::text])))
);


--
-- Name: outbox_seq_seq; Type: SEQUENCE; Schema: reviews; Owner: -
--

ALTER TABLE reviews.outbox ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME reviews.outbox_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: reviews; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.reviews (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    thread_id text NOT NULL,
    interrupt_id text NOT NULL,
    digest text NOT NULL,
    occurrence integer DEFAULT 1 NOT NULL,
    kind text NOT NULL,
    shape text NOT NULL,
    debug boolean DEFAULT false NOT NULL,
    graph text,
    assistant_id text,
    assistant_name text,
    assistant_version integer,
    node text,
    namespace text DEFAULT ''::text NOT NULL,
    run_id text,
    checkpoint_id text NOT NULL,
    title text NOT NULL,
    amount_usd double precision,
    risk text DEFAULT 'normal'::text NOT NULL,
    payload text NOT NULL,
    response_schema text,
    search_text text DEFAULT ''::text NOT NULL,
    search tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, search_text)) STORED NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    phase text GENERATED ALWAYS AS (
CASE
    WHEN (state = 'open'::text) THEN 'open'::text
    WHEN (state = ANY (ARRAY['decided'::text, 'sent'::text, 'consumed'::text])) THEN 'moving'::text
    ELSE 'closed'::text
END) STORED NOT NULL,
    groups text[] DEFAULT '{}'::text[] NOT NULL,
    policy jsonb DEFAULT '{}'::jsonb NOT NULL,
    opened_at timestamp with time zone DEFAULT now() NOT NULL,
    due_at timestamp with time zone,
    due_sort timestamp with time zone GENERATED ALWAYS AS (COALESCE(due_at, '9999-01-01 00:00:00+00'::timestamp with time zone)) STORED NOT NULL,
    remind_at timestamp with time zone,
    reminded_at timestamp with time zone,
    escalate_to text,
    escalated_at timestamp with time zone,
    expires_at timestamp with time zone,
    claimed_by text,
    claimed_at timestamp with time zone,
    two_person boolean DEFAULT false NOT NULL,
    first_by text,
    first_at timestamp with time zone,
    first_answer text,
    decided_by text,
    decided_by_policy boolean DEFAULT false NOT NULL,
    decided_at timestamp with time zone,
    decision text,
    answer text,
    resume text,
    edits text,
    reason text,
    send_after timestamp with time zone,
    sent_at timestamp with time zone,
    resume_run_id text,
    consumed_at timestamp with time zone,
    ended_at timestamp with time zone,
    run_status text,
    error text,
    replaced_by uuid,
    returned_from uuid,
    note text,
    needs_person boolean DEFAULT false NOT NULL,
    closed_at timestamp with time zone,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    worked_by text,
    worked_until timestamp with time zone,
    tries integer DEFAULT 0 NOT NULL,
    next_look_at timestamp with time zone DEFAULT now() NOT NULL,
    nodes text[] DEFAULT '{}'::text[] NOT NULL,
    two_by_answer boolean DEFAULT false NOT NULL,
    delivery_error text,
    failing_since timestamp with time zone,
    delivery_tries integer DEFAULT 0 NOT NULL,
    told_at timestamp with time zone,
    gave_up_at timestamp with time zone,
    send_with text,
    answering_since timestamp with time zone,
    CONSTRAINT reviews_claim CHECK (((claimed_by IS NULL) = (claimed_at IS NULL))),
    CONSTRAINT reviews_closed CHECK (((closed_at IS NULL) = (state = ANY (ARRAY['open'::text, 'decided'::text, 'sent'::text, 'consumed'::text])))),
    CONSTRAINT reviews_consumed CHECK (((state <> ALL (ARRAY['consumed'::text, 'finished'::text])) OR (consumed_at IS NOT NULL))),
    CONSTRAINT reviews_debug_never_expires CHECK (((NOT debug) OR ((expires_at IS NULL) AND (remind_at IS NULL)))),
    CONSTRAINT reviews_decided CHECK (((state <> ALL (ARRAY['decided'::text, 'sent'::text, 'consumed'::text, 'finished'::text, 'failed'::text])) OR (decided_by IS NOT NULL))),
    CONSTRAINT reviews_decision_whole CHECK ((((decided_by IS NULL) = (decided_at IS NULL)) AND ((decided_by IS NULL) = (decision IS NULL)) AND ((decided_by IS NULL) = (answer IS NULL)) AND ((decided_by IS NULL) = (resume IS NULL)))),
    CONSTRAINT reviews_delivery_error_check CHECK ((delivery_error <> ''::text)),
    CONSTRAINT reviews_delivery_tries_check CHECK ((delivery_tries >= 0)),
    CONSTRAINT reviews_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT reviews_failing_whole CHECK (((delivery_error IS NULL) = (failing_since IS NULL))),
    CONSTRAINT reviews_first CHECK ((((first_by IS NULL) = (first_at IS NULL)) AND ((first_by IS NULL) = (first_answer IS NULL)))),
    CONSTRAINT reviews_first_is_of_two CHECK (((first_by IS NULL) OR two_person)),
    CONSTRAINT reviews_gave_up_for_a_reason CHECK (((gave_up_at IS NULL) OR (delivery_error IS NOT NULL))),
    CONSTRAINT reviews_interrupt_id_check CHECK ((interrupt_id <> ''::text)),
    CONSTRAINT reviews_kind_check CHECK ((kind = ANY (ARRAY['interrupt'::text, 'breakpoint'::text, 'node_interrupt'::text]))),
    CONSTRAINT reviews_not_its_own_successor CHECK (((replaced_by <> id) AND (returned_from <> id))),
    CONSTRAINT reviews_occurrence_check CHECK ((occurrence > 0)),
    CONSTRAINT reviews_open_is_undecided CHECK (((state <> 'open'::text) OR (decided_by IS NULL))),
    CONSTRAINT reviews_policy_check CHECK ((jsonb_typeof(policy) = 'object'::text)),
    CONSTRAINT reviews_risk_check CHECK ((risk = ANY (ARRAY['low'::text, 'normal'::text, 'high'::text]))),
    CONSTRAINT reviews_search_text_check CHECK ((length(search_text) <= 50000)),
    CONSTRAINT reviews_second_person CHECK (((NOT two_person) OR (decided_by IS NULL) OR decided_by_policy OR (first_by IS NOT NULL))),
    CONSTRAINT reviews_send_with_check CHECK ((send_with <> ''::text)),
    CONSTRAINT reviews_sent CHECK (((state <> ALL (ARRAY['sent'::text, 'consumed'::text, 'finished'::text])) OR (sent_at IS NOT NULL))),
    CONSTRAINT reviews_shape_check CHECK ((shape <> ''::text)),
    CONSTRAINT reviews_state_check CHECK ((state = ANY (ARRAY['open'::text, 'decided'::text, 'sent'::text, 'consumed'::text, 'finished'::text, 'failed'::text, 'superseded'::text, 'answered_elsewhere'::text, 'expired'::text, 'withdrawn'::text]))),
    CONSTRAINT reviews_thread_id_check CHECK ((thread_id <> ''::text)),
    CONSTRAINT reviews_title_check CHECK (((title <> ''::text) AND (length(title) <= 200))),
    CONSTRAINT reviews_two_by_answer CHECK ((two_person OR (NOT two_by_answer))),
    CONSTRAINT reviews_two_people CHECK (((decided_by IS NULL) OR (first_by IS NULL) OR (first_by <> decided_by))),
    CONSTRAINT reviews_unconsumed CHECK (((state <> ALL (ARRAY['open'::text, 'decided'::text, 'sent'::text])) OR (consumed_at IS NULL)))
);


--
-- Name: sessions; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.sessions (
    session_id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_name text NOT NULL,
    session_hash text NOT NULL,
    address text NOT NULL,
    agent text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: shown; Type: VIEW; Schema: reviews; Owner: -
--

CREATE VIEW reviews.shown AS
 SELECT id,
    thread_id,
    interrupt_id,
    digest,
    occurrence,
    kind,
    shape,
    debug,
    graph,
    assistant_id,
    assistant_name,
    assistant_version,
    node,
    namespace,
    run_id,
    checkpoint_id,
    title,
    amount_usd,
    risk,
    payload,
    response_schema,
    state,
    phase,
    groups,
    policy,
    opened_at,
    due_at,
    due_sort,
    remind_at,
    reminded_at,
    escalate_to,
    escalated_at,
    expires_at,
    claimed_by,
    claimed_at,
    two_person,
    first_by,
    first_at,
    first_answer,
    decided_by,
    decided_at,
    decision,
    answer,
    resume,
    edits,
    reason,
    send_after,
    sent_at,
    resume_run_id,
    consumed_at,
    ended_at,
    run_status,
    error,
    replaced_by,
    returned_from,
    note,
    needs_person,
    closed_at,
    updated_at,
    nodes,
        CASE
            WHEN (phase = 'moving'::text) THEN delivery_error
            ELSE NULL::text
        END AS delivery_error,
        CASE
            WHEN (phase = 'moving'::text) THEN failing_since
            ELSE NULL::timestamp with time zone
        END AS failing_since,
        CASE
            WHEN (phase = 'moving'::text) THEN delivery_tries
            ELSE 0
        END AS delivery_tries,
        CASE
            WHEN ((phase = 'moving'::text) AND (delivery_error IS NOT NULL) AND (gave_up_at IS NULL)) THEN next_look_at
            ELSE NULL::timestamp with time zone
        END AS next_try_at,
        CASE
            WHEN (phase = 'moving'::text) THEN gave_up_at
            ELSE NULL::timestamp with time zone
        END AS gave_up_at,
    send_with
   FROM reviews.reviews;


--
-- Name: sweep; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.sweep (
    only_row boolean DEFAULT true NOT NULL,
    watermark timestamp with time zone,
    last_sweep_at timestamp with time zone,
    last_full_at timestamp with time zone,
    lag_s double precision,
    CONSTRAINT sweep_only_row_check CHECK (only_row)
);


--
-- Name: tokens; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.tokens (
    token_id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_name text NOT NULL,
    label text NOT NULL,
    token_hash text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT tokens_label_check CHECK ((label <> ''::text))
);


--
-- Name: users; Type: TABLE; Schema: reviews; Owner: -
--

CREATE TABLE reviews.users (
    name text NOT NULL,
    password_hash text,
    oidc_subject text,
    roles text[] DEFAULT '{reviewer}'::text[] NOT NULL,
    groups text[] DEFAULT '{}'::text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    signed_in_at timestamp with time zone,
    CONSTRAINT users_name_check CHECK ((name ~ '^[a-z0-9]([a-z0-9._@+-]{0,98}[a-z0-9])?$'::text)),
    CONSTRAINT users_one_way_in CHECK (((password_hash IS NULL) OR (oidc_subject IS NULL))),
    CONSTRAINT users_roles_check CHECK (((roles <@ ARRAY['reviewer'::text, 'editor'::text, 'lead'::text, 'admin'::text, 'reader'::text]) AND (roles <> '{}'::text[])))
);


--
-- Name: articles; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.articles (
    article_id text NOT NULL,
    title text NOT NULL,
    keywords text NOT NULL,
    body text NOT NULL,
    search tsvector GENERATED ALWAYS AS (((setweight(to_tsvector('english'::regconfig, title), 'A'::"char") || setweight(to_tsvector('english'::regconfig, keywords), 'B'::"char")) || setweight(to_tsvector('english'::regconfig, body), 'D'::"char"))) STORED NOT NULL,
    CONSTRAINT articles_article_id_check CHECK ((article_id ~ '^[a-z0-9-]+$'::text)),
    CONSTRAINT articles_body_check CHECK ((body <> ''::text)),
    CONSTRAINT articles_title_check CHECK ((title <> ''::text))
);


--
-- Name: breakers; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.breakers (
    name text NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    opened_at timestamp with time zone,
    probe_until timestamp with time zone,
    CONSTRAINT breakers_failures_check CHECK ((failures >= 0)),
    CONSTRAINT breakers_name_check CHECK ((name <> ''::text)),
    CONSTRAINT breakers_probe_only_when_open CHECK (((probe_until IS NULL) OR (opened_at IS NOT NULL)))
);


--
-- Name: dead_letters; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.dead_letters (
    dead_letter_id bigint NOT NULL,
    idempotency_key text NOT NULL,
    graph text NOT NULL,
    node text NOT NULL,
    ticket_id text,
    thread_id text,
    reason text NOT NULL,
    detail jsonb NOT NULL,
    buried_at timestamp with time zone DEFAULT now() NOT NULL,
    tenant text DEFAULT 'main'::text NOT NULL,
    CONSTRAINT dead_letters_detail_check CHECK ((jsonb_typeof(detail) = 'object'::text)),
    CONSTRAINT dead_letters_graph_check CHECK ((graph <> ''::text)),
    CONSTRAINT dead_letters_idempotency_key_check CHECK ((idempotency_key <> ''::text)),
    CONSTRAINT dead_letters_node_check CHECK ((node <> ''::text)),
    CONSTRAINT dead_letters_reason_check CHECK ((reason <> ''::text)),
    CONSTRAINT dead_letters_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: dead_letters_dead_letter_id_seq; Type: SEQUENCE; Schema: shop; Owner: -
--

ALTER TABLE shop.dead_letters ALTER COLUMN dead_letter_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME shop.dead_letters_dead_letter_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: mails; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.mails (
    mail_id bigint NOT NULL,
    idempotency_key text NOT NULL,
    ticket_id text NOT NULL,
    recipient text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    queued_at timestamp with time zone DEFAULT now() NOT NULL,
    tenant text DEFAULT 'main'::text NOT NULL,
    CONSTRAINT mails_body_check CHECK ((body <> ''::text)),
    CONSTRAINT mails_idempotency_key_check CHECK ((idempotency_key <> ''::text)),
    CONSTRAINT mails_recipient_check CHECK ((recipient ~ '^[^@\s]+@[^@\s]+$'::text)),
    CONSTRAINT mails_subject_check CHECK ((subject <> ''::text)),
    CONSTRAINT mails_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: mails_mail_id_seq; Type: SEQUENCE; Schema: shop; Owner: -
--

ALTER TABLE shop.mails ALTER COLUMN mail_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME shop.mails_mail_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: model_calls; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.model_calls (
    model_call_id bigint NOT NULL,
    tenant text DEFAULT 'main'::text NOT NULL,
    graph text NOT NULL,
    node text NOT NULL,
    thread_id text,
    model text NOT NULL,
    input_tokens integer NOT NULL,
    output_tokens integer NOT NULL,
    usd numeric(16,10) NOT NULL,
    unpriced boolean NOT NULL,
    called_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT model_calls_input_tokens_check CHECK ((input_tokens >= 0)),
    CONSTRAINT model_calls_model_check CHECK ((model <> ''::text)),
    CONSTRAINT model_calls_node_check CHECK ((node <> ''::text)),
    CONSTRAINT model_calls_output_tokens_check CHECK ((output_tokens >= 0)),
    CONSTRAINT model_calls_tenant_check CHECK ((tenant <> ''::text)),
    CONSTRAINT model_calls_usd_check CHECK (((usd >= (0)::numeric) AND (usd <> 'NaN'::numeric)))
);


--
-- Name: model_calls_model_call_id_seq; Type: SEQUENCE; Schema: shop; Owner: -
--

ALTER TABLE shop.model_calls ALTER COLUMN model_call_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME shop.model_calls_model_call_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: payment_methods; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.payment_methods (
    payment_method_id text NOT NULL,
    customer_id text NOT NULL,
    source text NOT NULL,
    brand text,
    last_four text,
    balance_usd numeric(10,2),
    CONSTRAINT payment_methods_balance_usd_check CHECK ((balance_usd >= (0)::numeric)),
    CONSTRAINT payment_methods_card CHECK (((source = 'credit_card'::text) = ((brand IS NOT NULL) AND (last_four IS NOT NULL)))),
    CONSTRAINT payment_methods_gift_card CHECK (((source = 'gift_card'::text) = (balance_usd IS NOT NULL))),
    CONSTRAINT payment_methods_last_four_check CHECK ((last_four ~ '^[0-9]{4}$'::text)),
    CONSTRAINT payment_methods_source_check CHECK ((source = ANY (ARRAY['credit_card'::text, 'paypal'::text, 'gift_card'::text])))
);


--
-- Name: payments; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.payments (
    order_id text NOT NULL,
    line smallint NOT NULL,
    payment_method_id text NOT NULL,
    amount_usd numeric(10,2) NOT NULL,
    CONSTRAINT payments_amount_is_a_number CHECK ((amount_usd <> 'NaN'::numeric)),
    CONSTRAINT payments_amount_usd_check CHECK ((amount_usd > (0)::numeric)),
    CONSTRAINT payments_line_check CHECK ((line > 0))
);


--
-- Name: product_variants; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.product_variants (
    item_id text NOT NULL,
    product_id text NOT NULL,
    options jsonb NOT NULL,
    available boolean NOT NULL,
    price_usd numeric(10,2) NOT NULL,
    CONSTRAINT product_variants_options_check CHECK ((jsonb_typeof(options) = 'object'::text)),
    CONSTRAINT product_variants_price_usd_check CHECK ((price_usd > (0)::numeric))
);


--
-- Name: products; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.products (
    product_id text NOT NULL,
    name text NOT NULL,
    category text NOT NULL,
    CONSTRAINT products_category_check CHECK ((category <> ''::text)),
    CONSTRAINT products_name_check CHECK ((name <> ''::text))
);


--
-- Name: refund_answers; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.refund_answers (
    answer_id bigint NOT NULL,
    tenant text NOT NULL,
    thread_id text NOT NULL,
    ticket_id text NOT NULL,
    request integer NOT NULL,
    order_id text NOT NULL,
    amount_usd numeric(10,2),
    answered_by text NOT NULL,
    answered_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT refund_answers_amount_usd_check CHECK (((amount_usd > (0)::numeric) AND (amount_usd <> 'NaN'::numeric))),
    CONSTRAINT refund_answers_answered_by_check CHECK ((answered_by <> ''::text)),
    CONSTRAINT refund_answers_order_id_check CHECK ((order_id <> ''::text)),
    CONSTRAINT refund_answers_request_check CHECK ((request > 0)),
    CONSTRAINT refund_answers_tenant_check CHECK ((tenant <> ''::text)),
    CONSTRAINT refund_answers_thread_id_check CHECK ((thread_id <> ''::text))
);


--
-- Name: refund_answers_answer_id_seq; Type: SEQUENCE; Schema: shop; Owner: -
--

ALTER TABLE shop.refund_answers ALTER COLUMN answer_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME shop.refund_answers_answer_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: refund_ceilings; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.refund_ceilings (
    tenant text NOT NULL,
    ask_above_usd numeric(10,2) NOT NULL,
    CONSTRAINT refund_ceilings_ask_above_usd_check CHECK (((ask_above_usd >= (0)::numeric) AND (ask_above_usd <> 'NaN'::numeric))),
    CONSTRAINT refund_ceilings_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: refund_holds; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.refund_holds (
    idempotency_key text NOT NULL,
    order_id text NOT NULL,
    ticket_id text NOT NULL,
    amount_usd numeric(10,2) NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT refund_holds_amount_is_a_number CHECK ((amount_usd <> 'NaN'::numeric)),
    CONSTRAINT refund_holds_amount_usd_check CHECK ((amount_usd > (0)::numeric)),
    CONSTRAINT refund_holds_idempotency_key_check CHECK ((idempotency_key <> ''::text))
);


--
-- Name: refund_questions; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.refund_questions (
    thread_id text NOT NULL,
    task_id text NOT NULL,
    digest text NOT NULL,
    put_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT refund_questions_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT refund_questions_task_id_check CHECK ((task_id <> ''::text)),
    CONSTRAINT refund_questions_thread_id_check CHECK ((thread_id <> ''::text))
);


--
-- Name: refunds_refund_id_seq; Type: SEQUENCE; Schema: shop; Owner: -
--

ALTER TABLE shop.refunds ALTER COLUMN refund_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME shop.refunds_refund_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: return_policies; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.return_policies (
    reason text NOT NULL,
    window_days integer NOT NULL,
    refund_share numeric(4,3) NOT NULL,
    text text NOT NULL,
    CONSTRAINT return_policies_reason_check CHECK ((reason = ANY (ARRAY['damaged'::text, 'not_as_described'::text, 'late'::text, 'wrong_item'::text, 'changed_mind'::text, 'other'::text]))),
    CONSTRAINT return_policies_refund_share_check CHECK (((refund_share >= (0)::numeric) AND (refund_share <= (1)::numeric))),
    CONSTRAINT return_policies_text_check CHECK ((text <> ''::text)),
    CONSTRAINT return_policies_window_days_check CHECK ((window_days >= 0))
);


--
-- Name: seeding; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.seeding (
    only_row boolean DEFAULT true NOT NULL,
    seeded_on date NOT NULL,
    CONSTRAINT seeding_only_row_check CHECK (only_row)
);


--
-- Name: shipments; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.shipments (
    order_id text NOT NULL,
    tracking_id text NOT NULL,
    item_ids jsonb NOT NULL,
    CONSTRAINT shipments_item_ids_check CHECK ((jsonb_typeof(item_ids) = 'array'::text)),
    CONSTRAINT shipments_tracking_id_check CHECK ((tracking_id <> ''::text))
);


--
-- Name: thread_tenants; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.thread_tenants (
    thread_id text NOT NULL,
    tenant text NOT NULL,
    noted_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT thread_tenants_tenant_check CHECK ((tenant <> ''::text)),
    CONSTRAINT thread_tenants_thread_id_check CHECK ((thread_id <> ''::text))
);


--
-- Name: migrations; Type: TABLE; Schema: stationmaster; Owner: -
--

CREATE TABLE stationmaster.migrations (
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: agreements; Type: TABLE; Schema: travel; Owner: -
--

CREATE TABLE travel.agreements (
    offer_id bigint NOT NULL,
    kind text NOT NULL,
    agreed_by text NOT NULL,
    agreed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT agreements_agreed_by_check CHECK ((agreed_by <> ''::text)),
    CONSTRAINT agreements_kind_check CHECK ((kind = ANY (ARRAY['visa'::text, 'hold'::text])))
);


--
-- Name: flights; Type: TABLE; Schema: travel; Owner: -
--

CREATE TABLE travel.flights (
    flight_id bigint NOT NULL,
    tenant text DEFAULT 'main'::text NOT NULL,
    number text NOT NULL,
    origin text NOT NULL,
    destination text NOT NULL,
    departs timestamp without time zone NOT NULL,
    arrives timestamp without time zone NOT NULL,
    price_usd numeric(10,2) NOT NULL,
    seats smallint NOT NULL,
    taken smallint DEFAULT 0 NOT NULL,
    leaves_at timestamp with time zone NOT NULL,
    lands_at timestamp with time zone NOT NULL,
    CONSTRAINT flights_capacity CHECK (((taken >= 0) AND (taken <= seats))),
    CONSTRAINT flights_go_somewhere CHECK ((origin <> destination)),
    CONSTRAINT flights_number_check CHECK ((number ~ '^[A-Z0-9]{2}[0-9]{1,4}$'::text)),
    CONSTRAINT flights_price_usd_check CHECK (((price_usd > (0)::numeric) AND (price_usd <> 'NaN'::numeric))),
    CONSTRAINT flights_seats_check CHECK ((seats >= 0)),
    CONSTRAINT flights_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: flights_flight_id_seq; Type: SEQUENCE; Schema: travel; Owner: -
--

ALTER TABLE travel.flights ALTER COLUMN flight_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME travel.flights_flight_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: holds; Type: TABLE; Schema: travel; Owner: -
--

CREATE TABLE travel.holds (
    hold_id bigint NOT NULL,
    offer_id bigint NOT NULL,
    tenant text NOT NULL,
    thread_id text NOT NULL,
    key text NOT NULL,
    traveller text NOT NULL,
    total_usd numeric(12,2) NOT NULL,
    status text DEFAULT 'held'::text NOT NULL,
    held_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT holds_end CHECK (((status = 'held'::text) = (ended_at IS NULL))),
    CONSTRAINT holds_status_check CHECK ((status = ANY (ARRAY['held'::text, 'released'::text, 'expired'::text]))),
    CONSTRAINT holds_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: holds_hold_id_seq; Type: SEQUENCE; Schema: travel; Owner: -
--

ALTER TABLE travel.holds ALTER COLUMN hold_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME travel.holds_hold_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: hotels; Type: TABLE; Schema: travel; Owner: -
--

CREATE TABLE travel.hotels (
    hotel_id bigint NOT NULL,
    tenant text DEFAULT 'main'::text NOT NULL,
    place text NOT NULL,
    name text NOT NULL,
    sleeps smallint NOT NULL,
    CONSTRAINT hotels_name_check CHECK ((name <> ''::text)),
    CONSTRAINT hotels_sleeps_check CHECK (((sleeps >= 1) AND (sleeps <= 9))),
    CONSTRAINT hotels_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: hotels_hotel_id_seq; Type: SEQUENCE; Schema: travel; Owner: -
--

ALTER TABLE travel.hotels ALTER COLUMN hotel_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME travel.hotels_hotel_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: limits; Type: TABLE; Schema: travel; Owner: -
--

CREATE TABLE travel.limits (
    tenant text NOT NULL,
    max_holds smallint NOT NULL,
    max_seats smallint NOT NULL,
    CONSTRAINT limits_max_holds_check CHECK ((max_holds > 0)),
    CONSTRAINT limits_max_seats_check CHECK ((max_seats > 0)),
    CONSTRAINT limits_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: offers_offer_id_seq; Type: SEQUENCE; Schema: travel; Owner: -
--

ALTER TABLE travel.offers ALTER COLUMN offer_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME travel.offers_offer_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: places; Type: TABLE; Schema: travel; Owner: -
--

CREATE TABLE travel.places (
    code text NOT NULL,
    city text NOT NULL,
    country text NOT NULL,
    aliases text[] DEFAULT '{}'::text[] NOT NULL,
    zone text NOT NULL,
    CONSTRAINT places_city_check CHECK ((city <> ''::text)),
    CONSTRAINT places_code_check CHECK ((code ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT places_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT places_zone CHECK (((zone ~ '^(UTC|[A-Z][A-Za-z_]*(/[A-Z][A-Za-z_-]*){1,2})$'::text) AND (('2000-01-01 00:00:00'::timestamp without time zone AT TIME ZONE zone) IS NOT NULL)))
);


--
-- Name: room_nights; Type: TABLE; Schema: travel; Owner: -
--

CREATE TABLE travel.room_nights (
    hotel_id bigint NOT NULL,
    tenant text DEFAULT 'main'::text NOT NULL,
    night date NOT NULL,
    price_usd numeric(10,2) NOT NULL,
    rooms smallint NOT NULL,
    taken smallint DEFAULT 0 NOT NULL,
    CONSTRAINT room_nights_capacity CHECK (((taken >= 0) AND (taken <= rooms))),
    CONSTRAINT room_nights_price_usd_check CHECK (((price_usd > (0)::numeric) AND (price_usd <> 'NaN'::numeric))),
    CONSTRAINT room_nights_rooms_check CHECK ((rooms >= 0))
);


--
-- Name: visa_rules; Type: TABLE; Schema: travel; Owner: -
--

CREATE TABLE travel.visa_rules (
    passport text NOT NULL,
    destination text NOT NULL,
    requirement text NOT NULL,
    max_days smallint,
    note text DEFAULT ''::text NOT NULL,
    CONSTRAINT visa_rules_destination_check CHECK ((destination ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT visa_rules_max_days_check CHECK ((max_days > 0)),
    CONSTRAINT visa_rules_passport_check CHECK ((passport ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT visa_rules_requirement_check CHECK ((requirement = ANY (ARRAY['none'::text, 'on_arrival'::text, 'eta'::text, 'required'::text])))
);


--
-- Name: clearances; Type: TABLE; Schema: treasury; Owner: -
--

CREATE TABLE treasury.clearances (
    tenant text DEFAULT 'main'::text NOT NULL,
    account_key text NOT NULL,
    entry text NOT NULL,
    cleared_by text NOT NULL,
    note text NOT NULL,
    cleared_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT clearances_account_key_check CHECK (((account_key = treasury.account_key(account_key)) AND (account_key <> ''::text))),
    CONSTRAINT clearances_cleared_by_check CHECK ((cleared_by <> ''::text)),
    CONSTRAINT clearances_entry_check CHECK ((entry <> ''::text)),
    CONSTRAINT clearances_note_check CHECK ((note <> ''::text)),
    CONSTRAINT clearances_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: instruments; Type: TABLE; Schema: treasury; Owner: -
--

CREATE TABLE treasury.instruments (
    symbol text NOT NULL,
    name text NOT NULL,
    price_usd numeric(12,4) NOT NULL,
    CONSTRAINT instruments_name_check CHECK ((name <> ''::text)),
    CONSTRAINT instruments_price_usd_check CHECK (((price_usd > (0)::numeric) AND (price_usd <> 'NaN'::numeric))),
    CONSTRAINT instruments_symbol_check CHECK ((symbol ~ '^[A-Z][A-Z0-9.]{0,9}$'::text))
);


--
-- Name: limits; Type: TABLE; Schema: treasury; Owner: -
--

CREATE TABLE treasury.limits (
    tenant text NOT NULL,
    signature_above_usd numeric(14,2) DEFAULT 5000 NOT NULL,
    two_above_usd numeric(14,2) DEFAULT 10000 NOT NULL,
    largest_usd numeric(14,2) DEFAULT 250000 NOT NULL,
    daily_usd numeric(14,2) DEFAULT 500000 NOT NULL,
    inboxes text[] DEFAULT '{local,console}'::text[] NOT NULL,
    CONSTRAINT limits_are_amounts CHECK (((largest_usd > (0)::numeric) AND (largest_usd <> 'NaN'::numeric) AND (daily_usd > (0)::numeric) AND (daily_usd <> 'NaN'::numeric))),
    CONSTRAINT limits_never_laxer CHECK (((signature_above_usd >= (0)::numeric) AND (signature_above_usd <= (5000)::numeric) AND (two_above_usd >= signature_above_usd) AND (two_above_usd <= (10000)::numeric))),
    CONSTRAINT limits_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: officers; Type: TABLE; Schema: treasury; Owner: -
--

CREATE TABLE treasury.officers (
    tenant text DEFAULT 'main'::text NOT NULL,
    name text NOT NULL,
    CONSTRAINT officers_name_check CHECK ((name <> ''::text)),
    CONSTRAINT officers_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: sanctions; Type: TABLE; Schema: treasury; Owner: -
--

CREATE TABLE treasury.sanctions (
    sanction_id bigint NOT NULL,
    entry text NOT NULL,
    list text NOT NULL,
    name text NOT NULL,
    account text,
    listed_on date DEFAULT CURRENT_DATE NOT NULL,
    name_key text GENERATED ALWAYS AS (treasury.name_key(name)) STORED NOT NULL,
    name_parts text[] GENERATED ALWAYS AS (treasury.trigrams(treasury.name_key(name))) STORED NOT NULL,
    account_key text GENERATED ALWAYS AS (treasury.account_key(account)) STORED,
    CONSTRAINT sanctions_account_check CHECK ((treasury.account_key(account) <> ''::text)),
    CONSTRAINT sanctions_entry_check CHECK ((entry <> ''::text)),
    CONSTRAINT sanctions_list_check CHECK ((list <> ''::text)),
    CONSTRAINT sanctions_name_check CHECK ((treasury.name_key(name) <> ''::text))
);


--
-- Name: sanctions_sanction_id_seq; Type: SEQUENCE; Schema: treasury; Owner: -
--

ALTER TABLE treasury.sanctions ALTER COLUMN sanction_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME treasury.sanctions_sanction_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: signatures; Type: TABLE; Schema: treasury; Owner: -
--

CREATE TABLE treasury.signatures (
    transaction_id bigint NOT NULL,
    tenant text DEFAULT 'main'::text NOT NULL,
    signer text NOT NULL,
    digest text NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    signed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT signatures_signer_check CHECK ((signer <> ''::text))
);


--
-- Name: transactions; Type: TABLE; Schema: treasury; Owner: -
--

CREATE TABLE treasury.transactions (
    transaction_id bigint NOT NULL,
    tenant text DEFAULT 'main'::text NOT NULL,
    key text NOT NULL,
    request text NOT NULL,
    kind text NOT NULL,
    amount_usd numeric(14,2) NOT NULL,
    beneficiary text,
    account text,
    reference text,
    side text,
    symbol text,
    quantity integer,
    requested_by text NOT NULL,
    signatures_needed smallint NOT NULL,
    digest text NOT NULL,
    status text DEFAULT 'checked'::text NOT NULL,
    why text,
    risk smallint,
    bank_reference text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    executing_at timestamp with time zone,
    executed_at timestamp with time zone,
    CONSTRAINT transactions_above_10000_take_two CHECK (((amount_usd <= (10000)::numeric) OR (signatures_needed = 2))),
    CONSTRAINT transactions_above_5000_are_signed CHECK (((amount_usd <= (5000)::numeric) OR (signatures_needed >= 1))),
    CONSTRAINT transactions_account_check CHECK ((treasury.account_key(account) <> ''::text)),
    CONSTRAINT transactions_amount_usd_check CHECK (((amount_usd > (0)::numeric) AND (amount_usd <> 'NaN'::numeric))),
    CONSTRAINT transactions_bank_reference_check CHECK ((bank_reference <> ''::text)),
    CONSTRAINT transactions_beneficiary_check CHECK ((beneficiary <> ''::text)),
    CONSTRAINT transactions_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT transactions_executed_are_rated CHECK (((status <> 'executed'::text) OR (risk IS NOT NULL))),
    CONSTRAINT transactions_executed_say_how CHECK (((status = 'executed'::text) = ((bank_reference IS NOT NULL) AND (executed_at IS NOT NULL)))),
    CONSTRAINT transactions_key_check CHECK ((key <> ''::text)),
    CONSTRAINT transactions_kind_check CHECK ((kind = ANY (ARRAY['payment'::text, 'trade'::text]))),
    CONSTRAINT transactions_payment CHECK (((kind = 'payment'::text) = ((beneficiary IS NOT NULL) AND (account IS NOT NULL) AND (reference IS NOT NULL)))),
    CONSTRAINT transactions_quantity_check CHECK ((quantity > 0)),
    CONSTRAINT transactions_reference_check CHECK ((reference <> ''::text)),
    CONSTRAINT transactions_request_check CHECK ((request <> ''::text)),
    CONSTRAINT transactions_requested_by_check CHECK ((requested_by <> ''::text)),
    CONSTRAINT transactions_risk_check CHECK (((risk >= 0) AND (risk <= 100))),
    CONSTRAINT transactions_side_check CHECK ((side = ANY (ARRAY['buy'::text, 'sell'::text]))),
    CONSTRAINT transactions_signatures_needed_check CHECK (((signatures_needed >= 0) AND (signatures_needed <= 2))),
    CONSTRAINT transactions_status_check CHECK ((status = ANY (ARRAY['checked'::text, 'cancelled'::text, 'executing'::text, 'executed'::text, 'failed'::text]))),
    CONSTRAINT transactions_tenant_check CHECK ((tenant <> ''::text)),
    CONSTRAINT transactions_trade CHECK (((kind = 'trade'::text) = ((side IS NOT NULL) AND (symbol IS NOT NULL) AND (quantity IS NOT NULL))))
);


--
-- Name: transactions_transaction_id_seq; Type: SEQUENCE; Schema: treasury; Owner: -
--

ALTER TABLE treasury.transactions ALTER COLUMN transaction_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME treasury.transactions_transaction_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: deliveries; Type: TABLE; Schema: webhooks; Owner: -
--

CREATE TABLE webhooks.deliveries (
    delivery_id bigint NOT NULL,
    dedup_key text NOT NULL,
    sender text NOT NULL,
    body bytea NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    state text DEFAULT 'new'::text NOT NULL,
    thread_id text,
    run_id text,
    run_status text,
    repeats integer DEFAULT 0 NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    next_try_at timestamp with time zone DEFAULT now() NOT NULL,
    worked_until timestamp with time zone,
    done_at timestamp with time zone,
    error text,
    CONSTRAINT deliveries_check CHECK (((state = 'unreadable'::text) OR (thread_id IS NOT NULL))),
    CONSTRAINT deliveries_check1 CHECK (((state <> ALL (ARRAY['unreadable'::text, 'failed'::text])) OR (error IS NOT NULL))),
    CONSTRAINT deliveries_check2 CHECK (((state = 'done'::text) = (done_at IS NOT NULL))),
    CONSTRAINT deliveries_check3 CHECK (((state = 'new'::text) OR (worked_until IS NULL))),
    CONSTRAINT deliveries_repeats_check CHECK ((repeats >= 0)),
    CONSTRAINT deliveries_sender_check CHECK ((sender = ANY (ARRAY['signature'::text, 'bearer'::text, 'loopback'::text]))),
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['new'::text, 'done'::text, 'unreadable'::text, 'failed'::text]))),
    CONSTRAINT deliveries_thread_id_check CHECK ((thread_id <> ''::text)),
    CONSTRAINT deliveries_tries_check CHECK ((tries >= 0))
);


--
-- Name: deliveries_delivery_id_seq; Type: SEQUENCE; Schema: webhooks; Owner: -
--

ALTER TABLE webhooks.deliveries ALTER COLUMN delivery_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME webhooks.deliveries_delivery_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: refusals; Type: TABLE; Schema: webhooks; Owner: -
--

CREATE TABLE webhooks.refusals (
    reason text NOT NULL,
    hour timestamp with time zone NOT NULL,
    n bigint DEFAULT 0 NOT NULL
);


--
-- Name: deliverables; Type: TABLE; Schema: workshop; Owner: -
--

CREATE TABLE workshop.deliverables (
    deliverable_id bigint NOT NULL,
    idempotency_key text NOT NULL,
    tenant text DEFAULT 'main'::text NOT NULL,
    thread_id text NOT NULL,
    task text NOT NULL,
    files jsonb NOT NULL,
    status text NOT NULL,
    passed integer NOT NULL,
    total integer NOT NULL,
    findings jsonb NOT NULL,
    handoffs integer NOT NULL,
    accepted_by text,
    kept_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT deliverables_accepted_by_check CHECK ((accepted_by <> ''::text)),
    CONSTRAINT deliverables_accepted_by_somebody CHECK (((status = 'accepted'::text) = (accepted_by IS NOT NULL))),
    CONSTRAINT deliverables_are_clean CHECK (((status = 'accepted'::text) OR (NOT (findings @? '$[*]?(@."severity" != "low")'::jsonpath)))),
    CONSTRAINT deliverables_files_check CHECK ((files ? 'solution.py'::text)),
    CONSTRAINT deliverables_findings_check CHECK ((jsonb_typeof(findings) = 'array'::text)),
    CONSTRAINT deliverables_handoffs_check CHECK ((handoffs >= 0)),
    CONSTRAINT deliverables_idempotency_key_check CHECK ((idempotency_key <> ''::text)),
    CONSTRAINT deliverables_pass CHECK ((passed = total)),
    CONSTRAINT deliverables_passed_check CHECK ((passed > 0)),
    CONSTRAINT deliverables_status_check CHECK ((status = ANY (ARRAY['delivered'::text, 'accepted'::text]))),
    CONSTRAINT deliverables_task_check CHECK ((task <> ''::text)),
    CONSTRAINT deliverables_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: deliverables_deliverable_id_seq; Type: SEQUENCE; Schema: workshop; Owner: -
--

ALTER TABLE workshop.deliverables ALTER COLUMN deliverable_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME workshop.deliverables_deliverable_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: notes; Type: TABLE; Schema: workshop; Owner: -
--

CREATE TABLE workshop.notes (
    tenant text DEFAULT 'main'::text NOT NULL,
    note_id text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    search tsvector GENERATED ALWAYS AS ((setweight(to_tsvector('english'::regconfig, title), 'A'::"char") || setweight(to_tsvector('english'::regconfig, body), 'D'::"char"))) STORED NOT NULL,
    CONSTRAINT notes_body_check CHECK ((body <> ''::text)),
    CONSTRAINT notes_note_id_check CHECK ((note_id ~ '^[a-z0-9-]+$'::text)),
    CONSTRAINT notes_tenant_check CHECK ((tenant <> ''::text)),
    CONSTRAINT notes_title_check CHECK ((title <> ''::text))
);


--
-- Name: reports; Type: TABLE; Schema: workshop; Owner: -
--

CREATE TABLE workshop.reports (
    thread_id text NOT NULL,
    worker text NOT NULL,
    about text NOT NULL,
    report text NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT reports_about_check CHECK ((about <> ''::text)),
    CONSTRAINT reports_report_check CHECK ((report <> ''::text)),
    CONSTRAINT reports_thread_id_check CHECK ((thread_id <> ''::text)),
    CONSTRAINT reports_worker_check CHECK ((worker = ANY (ARRAY['researcher'::text, 'tests'::text, 'reviewer'::text, 'auditor'::text])))
);


--
-- Name: solutions; Type: TABLE; Schema: workshop; Owner: -
--

CREATE TABLE workshop.solutions (
    solution_id bigint NOT NULL,
    idempotency_key text NOT NULL,
    tenant text DEFAULT 'main'::text NOT NULL,
    thread_id text NOT NULL,
    task text NOT NULL,
    code text NOT NULL,
    tests text NOT NULL,
    status text NOT NULL,
    passed integer NOT NULL,
    total integer NOT NULL,
    log text NOT NULL,
    kept_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT solutions_check CHECK ((total >= passed)),
    CONSTRAINT solutions_code_check CHECK ((code <> ''::text)),
    CONSTRAINT solutions_idempotency_key_check CHECK ((idempotency_key <> ''::text)),
    CONSTRAINT solutions_passed_all CHECK (((status <> 'passed'::text) OR ((passed = total) AND (total > 0)))),
    CONSTRAINT solutions_passed_check CHECK ((passed >= 0)),
    CONSTRAINT solutions_status_check CHECK ((status = ANY (ARRAY['passed'::text, 'accepted'::text]))),
    CONSTRAINT solutions_task_check CHECK ((task <> ''::text)),
    CONSTRAINT solutions_tenant_check CHECK ((tenant <> ''::text))
);


--
-- Name: solutions_solution_id_seq; Type: SEQUENCE; Schema: workshop; Owner: -
--

ALTER TABLE workshop.solutions ALTER COLUMN solution_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME workshop.solutions_solution_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: canary_runs canary_runs_pkey; Type: CONSTRAINT; Schema: assistants; Owner: -
--

ALTER TABLE ONLY assistants.canary_runs
    ADD CONSTRAINT canary_runs_pkey PRIMARY KEY (run_id);


--
-- Name: ticks ticks_pkey; Type: CONSTRAINT; Schema: crons; Owner: -
--

ALTER TABLE ONLY crons.ticks
    ADD CONSTRAINT ticks_pkey PRIMARY KEY (id);


--
-- Name: logins logins_pkey; Type: CONSTRAINT; Schema: desk; Owner: -
--

ALTER TABLE ONLY desk.logins
    ADD CONSTRAINT logins_pkey PRIMARY KEY (role);


--
-- Name: purchase_requests purchase_requests_pkey; Type: CONSTRAINT; Schema: desk; Owner: -
--

ALTER TABLE ONLY desk.purchase_requests
    ADD CONSTRAINT purchase_requests_pkey PRIMARY KEY (request_id);


--
-- Name: stock stock_pkey; Type: CONSTRAINT; Schema: desk; Owner: -
--

ALTER TABLE ONLY desk.stock
    ADD CONSTRAINT stock_pkey PRIMARY KEY (tenant, sku);


--
-- Name: suppliers suppliers_pkey; Type: CONSTRAINT; Schema: desk; Owner: -
--

ALTER TABLE ONLY desk.suppliers
    ADD CONSTRAINT suppliers_pkey PRIMARY KEY (tenant, supplier_id);


--
-- Name: tickets tickets_pkey; Type: CONSTRAINT; Schema: desk; Owner: -
--

ALTER TABLE ONLY desk.tickets
    ADD CONSTRAINT tickets_pkey PRIMARY KEY (token_hash);


--
-- Name: writes writes_pkey; Type: CONSTRAINT; Schema: desk; Owner: -
--

ALTER TABLE ONLY desk.writes
    ADD CONSTRAINT writes_pkey PRIMARY KEY (idempotency_key);


--
-- Name: reports reports_one_a_slot; Type: CONSTRAINT; Schema: digest; Owner: -
--

ALTER TABLE ONLY digest.reports
    ADD CONSTRAINT reports_one_a_slot UNIQUE (tenant, name, slot);


--
-- Name: reports reports_pkey; Type: CONSTRAINT; Schema: digest; Owner: -
--

ALTER TABLE ONLY digest.reports
    ADD CONSTRAINT reports_pkey PRIMARY KEY (report_id);


--
-- Name: files files_pkey; Type: CONSTRAINT; Schema: documents; Owner: -
--

ALTER TABLE ONLY documents.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (tenant, document_id);


--
-- Name: findings findings_pkey; Type: CONSTRAINT; Schema: documents; Owner: -
--

ALTER TABLE ONLY documents.findings
    ADD CONSTRAINT findings_pkey PRIMARY KEY (tenant, key, branch, number);


--
-- Name: pages pages_pkey; Type: CONSTRAINT; Schema: documents; Owner: -
--

ALTER TABLE ONLY documents.pages
    ADD CONSTRAINT pages_pkey PRIMARY KEY (tenant, document_id, sha256, page);


--
-- Name: publications publications_pkey; Type: CONSTRAINT; Schema: documents; Owner: -
--

ALTER TABLE ONLY documents.publications
    ADD CONSTRAINT publications_pkey PRIMARY KEY (publication_id);


--
-- Name: publications publications_tenant_key_key; Type: CONSTRAINT; Schema: documents; Owner: -
--

ALTER TABLE ONLY documents.publications
    ADD CONSTRAINT publications_tenant_key_key UNIQUE (tenant, key);


--
-- Name: reviews reviews_pkey; Type: CONSTRAINT; Schema: documents; Owner: -
--

ALTER TABLE ONLY documents.reviews
    ADD CONSTRAINT reviews_pkey PRIMARY KEY (tenant, key);


--
-- Name: allowed_refunds allowed_refunds_pkey; Type: CONSTRAINT; Schema: helpdesk; Owner: -
--

ALTER TABLE ONLY helpdesk.allowed_refunds
    ADD CONSTRAINT allowed_refunds_pkey PRIMARY KEY (thread_id, call_id, order_id, amount_usd);


--
-- Name: paces paces_pkey; Type: CONSTRAINT; Schema: helpdesk; Owner: -
--

ALTER TABLE ONLY helpdesk.paces
    ADD CONSTRAINT paces_pkey PRIMARY KEY (tenant, name);


--
-- Name: vat_rates vat_rates_pkey; Type: CONSTRAINT; Schema: helpdesk; Owner: -
--

ALTER TABLE ONLY helpdesk.vat_rates
    ADD CONSTRAINT vat_rates_pkey PRIMARY KEY (country);


--
-- Name: searches searches_pkey; Type: CONSTRAINT; Schema: research; Owner: -
--

ALTER TABLE ONLY research.searches
    ADD CONSTRAINT searches_pkey PRIMARY KEY (tenant, source, key);


--
-- Name: vectors vectors_pkey; Type: CONSTRAINT; Schema: research; Owner: -
--

ALTER TABLE ONLY research.vectors
    ADD CONSTRAINT vectors_pkey PRIMARY KEY (content_hash, model);


--
-- Name: audit audit_hash_key; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.audit
    ADD CONSTRAINT audit_hash_key UNIQUE (hash);


--
-- Name: audit_head audit_head_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.audit_head
    ADD CONSTRAINT audit_head_pkey PRIMARY KEY (only_row);


--
-- Name: audit_pending audit_pending_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.audit_pending
    ADD CONSTRAINT audit_pending_pkey PRIMARY KEY (entry_id);


--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (seq);


--
-- Name: comments comments_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.comments
    ADD CONSTRAINT comments_pkey PRIMARY KEY (comment_id);


--
-- Name: dispatches dispatches_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.dispatches
    ADD CONSTRAINT dispatches_pkey PRIMARY KEY (message_id, receiver);


--
-- Name: drift drift_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.drift
    ADD CONSTRAINT drift_pkey PRIMARY KEY (name);


--
-- Name: idempotency_keys idempotency_keys_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (identity, key);


--
-- Name: login_failures login_failures_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.login_failures
    ADD CONSTRAINT login_failures_pkey PRIMARY KEY (kind, key);


--
-- Name: one_time_links one_time_links_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.one_time_links
    ADD CONSTRAINT one_time_links_pkey PRIMARY KEY (link_hash);


--
-- Name: outbox outbox_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (message_id);


--
-- Name: outbox outbox_seq_key; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.outbox
    ADD CONSTRAINT outbox_seq_key UNIQUE (seq);


--
-- Name: reviews reviews_key; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.reviews
    ADD CONSTRAINT reviews_key UNIQUE (thread_id, interrupt_id, digest, occurrence);


--
-- Name: reviews reviews_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.reviews
    ADD CONSTRAINT reviews_pkey PRIMARY KEY (id);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (session_id);


--
-- Name: sessions sessions_session_hash_key; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.sessions
    ADD CONSTRAINT sessions_session_hash_key UNIQUE (session_hash);


--
-- Name: sweep sweep_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.sweep
    ADD CONSTRAINT sweep_pkey PRIMARY KEY (only_row);


--
-- Name: tokens tokens_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (token_id);


--
-- Name: tokens tokens_token_hash_key; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.tokens
    ADD CONSTRAINT tokens_token_hash_key UNIQUE (token_hash);


--
-- Name: users users_oidc_subject_key; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.users
    ADD CONSTRAINT users_oidc_subject_key UNIQUE (oidc_subject);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (name);


--
-- Name: articles articles_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.articles
    ADD CONSTRAINT articles_pkey PRIMARY KEY (article_id);


--
-- Name: breakers breakers_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.breakers
    ADD CONSTRAINT breakers_pkey PRIMARY KEY (name);


--
-- Name: customers customers_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (customer_id);


--
-- Name: dead_letters dead_letters_idempotency_key_key; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.dead_letters
    ADD CONSTRAINT dead_letters_idempotency_key_key UNIQUE (idempotency_key);


--
-- Name: dead_letters dead_letters_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (dead_letter_id);


--
-- Name: mails mails_idempotency_key_key; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.mails
    ADD CONSTRAINT mails_idempotency_key_key UNIQUE (idempotency_key);


--
-- Name: mails mails_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.mails
    ADD CONSTRAINT mails_pkey PRIMARY KEY (mail_id);


--
-- Name: model_calls model_calls_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.model_calls
    ADD CONSTRAINT model_calls_pkey PRIMARY KEY (model_call_id);


--
-- Name: order_items order_items_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.order_items
    ADD CONSTRAINT order_items_pkey PRIMARY KEY (order_id, line);


--
-- Name: orders orders_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (order_id);


--
-- Name: payment_methods payment_methods_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.payment_methods
    ADD CONSTRAINT payment_methods_pkey PRIMARY KEY (payment_method_id);


--
-- Name: payments payments_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.payments
    ADD CONSTRAINT payments_pkey PRIMARY KEY (order_id, line);


--
-- Name: product_variants product_variants_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.product_variants
    ADD CONSTRAINT product_variants_pkey PRIMARY KEY (item_id);


--
-- Name: products products_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.products
    ADD CONSTRAINT products_pkey PRIMARY KEY (product_id);


--
-- Name: refund_answers refund_answers_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.refund_answers
    ADD CONSTRAINT refund_answers_pkey PRIMARY KEY (answer_id);


--
-- Name: refund_ceilings refund_ceilings_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.refund_ceilings
    ADD CONSTRAINT refund_ceilings_pkey PRIMARY KEY (tenant);


--
-- Name: refund_holds refund_holds_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.refund_holds
    ADD CONSTRAINT refund_holds_pkey PRIMARY KEY (idempotency_key);


--
-- Name: refund_questions refund_questions_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.refund_questions
    ADD CONSTRAINT refund_questions_pkey PRIMARY KEY (thread_id, task_id);


--
-- Name: refunds refunds_idempotency_key_key; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.refunds
    ADD CONSTRAINT refunds_idempotency_key_key UNIQUE (idempotency_key);


--
-- Name: refunds refunds_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.refunds
    ADD CONSTRAINT refunds_pkey PRIMARY KEY (refund_id);


--
-- Name: return_policies return_policies_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.return_policies
    ADD CONSTRAINT return_policies_pkey PRIMARY KEY (reason);


--
-- Name: seeding seeding_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.seeding
    ADD CONSTRAINT seeding_pkey PRIMARY KEY (only_row);


--
-- Name: shipments shipments_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.shipments
    ADD CONSTRAINT shipments_pkey PRIMARY KEY (order_id, tracking_id);


--
-- Name: thread_tenants thread_tenants_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.thread_tenants
    ADD CONSTRAINT thread_tenants_pkey PRIMARY KEY (thread_id);


--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: stationmaster; Owner: -
--

ALTER TABLE ONLY stationmaster.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);


--
-- Name: agreements agreements_pkey; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.agreements
    ADD CONSTRAINT agreements_pkey PRIMARY KEY (offer_id, kind);


--
-- Name: flights flights_flight_id_tenant_key; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.flights
    ADD CONSTRAINT flights_flight_id_tenant_key UNIQUE (flight_id, tenant);


--
-- Name: flights flights_pkey; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.flights
    ADD CONSTRAINT flights_pkey PRIMARY KEY (flight_id);


--
-- Name: flights flights_tenant_number_departs_key; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.flights
    ADD CONSTRAINT flights_tenant_number_departs_key UNIQUE (tenant, number, departs);


--
-- Name: holds holds_offer_id_key; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.holds
    ADD CONSTRAINT holds_offer_id_key UNIQUE (offer_id);


--
-- Name: holds holds_pkey; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.holds
    ADD CONSTRAINT holds_pkey PRIMARY KEY (hold_id);


--
-- Name: holds holds_tenant_key_key; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.holds
    ADD CONSTRAINT holds_tenant_key_key UNIQUE (tenant, key);


--
-- Name: hotels hotels_hotel_id_tenant_key; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.hotels
    ADD CONSTRAINT hotels_hotel_id_tenant_key UNIQUE (hotel_id, tenant);


--
-- Name: hotels hotels_pkey; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.hotels
    ADD CONSTRAINT hotels_pkey PRIMARY KEY (hotel_id);


--
-- Name: hotels hotels_tenant_place_name_key; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.hotels
    ADD CONSTRAINT hotels_tenant_place_name_key UNIQUE (tenant, place, name);


--
-- Name: limits limits_pkey; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.limits
    ADD CONSTRAINT limits_pkey PRIMARY KEY (tenant);


--
-- Name: offers offers_pkey; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.offers
    ADD CONSTRAINT offers_pkey PRIMARY KEY (offer_id);


--
-- Name: places places_pkey; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.places
    ADD CONSTRAINT places_pkey PRIMARY KEY (code);


--
-- Name: room_nights room_nights_pkey; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.room_nights
    ADD CONSTRAINT room_nights_pkey PRIMARY KEY (hotel_id, night);


--
-- Name: visa_rules visa_rules_pkey; Type: CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.visa_rules
    ADD CONSTRAINT visa_rules_pkey PRIMARY KEY (passport, destination);


--
-- Name: clearances clearances_pkey; Type: CONSTRAINT; Schema: treasury; Owner: -
--

ALTER TABLE ONLY treasury.clearances
    ADD CONSTRAINT clearances_pkey PRIMARY KEY (tenant, account_key, entry);


--
-- Name: instruments instruments_pkey; Type: CONSTRAINT; Schema: treasury; Owner: -
--

ALTER TABLE ONLY treasury.instruments
    ADD CONSTRAINT instruments_pkey PRIMARY KEY (symbol);


--
-- Name: limits limits_pkey; Type: CONSTRAINT; Schema: treasury; Owner: -
--

ALTER TABLE ONLY treasury.limits
    ADD CONSTRAINT limits_pkey PRIMARY KEY (tenant);


--
-- Name: officers officers_pkey; Type: CONSTRAINT; Schema: treasury; Owner: -
--

ALTER TABLE ONLY treasury.officers
    ADD CONSTRAINT officers_pkey PRIMARY KEY (tenant, name);


--
-- Name: sanctions sanctions_entry_name_key; Type: CONSTRAINT; Schema: treasury; Owner: -
--

ALTER TABLE ONLY treasury.sanctions
    ADD CONSTRAINT sanctions_entry_name_key UNIQUE (entry, name);


--
-- Name: sanctions sanctions_pkey; Type: CONSTRAINT; Schema: treasury; Owner: -
--

ALTER TABLE ONLY treasury.sanctions
    ADD CONSTRAINT sanctions_pkey PRIMARY KEY (sanction_id);


--
-- Name: signatures signatures_pkey; Type: CONSTRAINT; Schema: treasury; Owner: -
--

ALTER TABLE ONLY treasury.signatures
    ADD CONSTRAINT signatures_pkey PRIMARY KEY (transaction_id, signer);


--
-- Name: transactions transactions_pkey; Type: CONSTRAINT; Schema: treasury; Owner: -
--

ALTER TABLE ONLY treasury.transactions
    ADD CONSTRAINT transactions_pkey PRIMARY KEY (transaction_id);


--
-- Name: transactions transactions_tenant_key_key; Type: CONSTRAINT; Schema: treasury; Owner: -
--

ALTER TABLE ONLY treasury.transactions
    ADD CONSTRAINT transactions_tenant_key_key UNIQUE (tenant, key);


--
-- Name: deliveries deliveries_dedup_key_key; Type: CONSTRAINT; Schema: webhooks; Owner: -
--

ALTER TABLE ONLY webhooks.deliveries
    ADD CONSTRAINT deliveries_dedup_key_key UNIQUE (dedup_key);


--
-- Name: deliveries deliveries_pkey; Type: CONSTRAINT; Schema: webhooks; Owner: -
--

ALTER TABLE ONLY webhooks.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (delivery_id);


--
-- Name: refusals refusals_pkey; Type: CONSTRAINT; Schema: webhooks; Owner: -
--

ALTER TABLE ONLY webhooks.refusals
    ADD CONSTRAINT refusals_pkey PRIMARY KEY (reason, hour);


--
-- Name: deliverables deliverables_idempotency_key_key; Type: CONSTRAINT; Schema: workshop; Owner: -
--

ALTER TABLE ONLY workshop.deliverables
    ADD CONSTRAINT deliverables_idempotency_key_key UNIQUE (idempotency_key);


--
-- Name: deliverables deliverables_pkey; Type: CONSTRAINT; Schema: workshop; Owner: -
--

ALTER TABLE ONLY workshop.deliverables
    ADD CONSTRAINT deliverables_pkey PRIMARY KEY (deliverable_id);


--
-- Name: notes notes_pkey; Type: CONSTRAINT; Schema: workshop; Owner: -
--

ALTER TABLE ONLY workshop.notes
    ADD CONSTRAINT notes_pkey PRIMARY KEY (tenant, note_id);


--
-- Name: reports reports_pkey; Type: CONSTRAINT; Schema: workshop; Owner: -
--

ALTER TABLE ONLY workshop.reports
    ADD CONSTRAINT reports_pkey PRIMARY KEY (thread_id, worker, about, report);


--
-- Name: solutions solutions_idempotency_key_key; Type: CONSTRAINT; Schema: workshop; Owner: -
--

ALTER TABLE ONLY workshop.solutions
    ADD CONSTRAINT solutions_idempotency_key_key UNIQUE (idempotency_key);


--
-- Name: solutions solutions_pkey; Type: CONSTRAINT; Schema: workshop; Owner: -
--

ALTER TABLE ONLY workshop.solutions
    ADD CONSTRAINT solutions_pkey PRIMARY KEY (solution_id);


--
-- Name: canary_runs_age; Type: INDEX; Schema: assistants; Owner: -
--

CREATE INDEX canary_runs_age ON assistants.canary_runs USING btree (kept_at);


--
-- Name: canary_runs_arm; Type: INDEX; Schema: assistants; Owner: -
--

CREATE INDEX canary_runs_arm ON assistants.canary_runs USING btree (canary_id, arm, kept_at);


--
-- Name: ticks_cron; Type: INDEX; Schema: crons; Owner: -
--

CREATE INDEX ticks_cron ON crons.ticks USING btree (cron, id DESC);


--
-- Name: ticks_kept; Type: INDEX; Schema: crons; Owner: -
--

CREATE INDEX ticks_kept ON crons.ticks USING btree (ended_at) WHERE (fresh AND (pruned_at IS NULL));


--
-- Name: ticks_open; Type: INDEX; Schema: crons; Owner: -
--

CREATE INDEX ticks_open ON crons.ticks USING btree (look_at) WHERE (outcome = ANY (ARRAY['running'::text, 'waiting'::text]));


--
-- Name: ticks_queued; Type: INDEX; Schema: crons; Owner: -
--

CREATE UNIQUE INDEX ticks_queued ON crons.ticks USING btree (cron) WHERE (outcome = 'queued'::text);


--
-- Name: ticks_run; Type: INDEX; Schema: crons; Owner: -
--

CREATE UNIQUE INDEX ticks_run ON crons.ticks USING btree (run_id);


--
-- Name: ticks_slot; Type: INDEX; Schema: crons; Owner: -
--

CREATE UNIQUE INDEX ticks_slot ON crons.ticks USING btree (cron, planned_at) WHERE (outcome <> 'lost'::text);


--
-- Name: purchase_requests_sku; Type: INDEX; Schema: desk; Owner: -
--

CREATE INDEX purchase_requests_sku ON desk.purchase_requests USING btree (tenant, sku);


--
-- Name: reviews_document; Type: INDEX; Schema: documents; Owner: -
--

CREATE INDEX reviews_document ON documents.reviews USING btree (tenant, document_id);


--
-- Name: searches_kept; Type: INDEX; Schema: research; Owner: -
--

CREATE INDEX searches_kept ON research.searches USING btree (kept_at);


--
-- Name: audit_actor; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX audit_actor ON reviews.audit USING btree (actor, seq);


--
-- Name: audit_review; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX audit_review ON reviews.audit USING btree (review_id, seq);


--
-- Name: audit_words; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX audit_words ON reviews.audit USING gin (words);


--
-- Name: comments_review; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX comments_review ON reviews.comments USING btree (review_id, comment_id);


--
-- Name: dispatches_dead; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX dispatches_dead ON reviews.dispatches USING btree (message_id) WHERE (state = 'dead'::text);


--
-- Name: dispatches_waiting; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX dispatches_waiting ON reviews.dispatches USING btree (next_try_at) WHERE (state = 'waiting'::text);


--
-- Name: idempotency_keys_age; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX idempotency_keys_age ON reviews.idempotency_keys USING btree (created_at);


--
-- Name: login_failures_since; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX login_failures_since ON reviews.login_failures USING btree (since);


--
-- Name: outbox_age; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX outbox_age ON reviews.outbox USING btree (created_at);


--
-- Name: outbox_review; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX outbox_review ON reviews.outbox USING btree (review_id, seq);


--
-- Name: outbox_to_spread; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX outbox_to_spread ON reviews.outbox USING btree (seq) WHERE (spread_at IS NULL);


--
-- Name: reviews_amount; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_amount ON reviews.reviews USING btree (amount_usd) WHERE (amount_usd IS NOT NULL);


--
-- Name: reviews_claimed; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_claimed ON reviews.reviews USING btree (claimed_by) WHERE ((phase <> 'closed'::text) AND (claimed_by IS NOT NULL));


--
-- Name: reviews_closed_assistant; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_closed_assistant ON reviews.reviews USING btree ("left"(assistant_name, 200), closed_at DESC, id DESC) WHERE (phase = 'closed'::text);


--
-- Name: reviews_closed_assistant_id; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_closed_assistant_id ON reviews.reviews USING btree (assistant_id, closed_at DESC, id DESC) WHERE (phase = 'closed'::text);


--
-- Name: reviews_closed_by; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_closed_by ON reviews.reviews USING btree (COALESCE(decided_by, claimed_by), closed_at DESC, id DESC) WHERE (phase = 'closed'::text);


--
-- Name: reviews_counts; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_counts ON reviews.reviews USING btree (phase, claimed_by, first_by) INCLUDE (debug, groups);


--
-- Name: reviews_decided_by; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_decided_by ON reviews.reviews USING btree (decided_by, decided_at DESC) WHERE (decided_by IS NOT NULL);


--
-- Name: reviews_facets; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_facets ON reviews.reviews USING btree ("left"(COALESCE(graph, ''::text), 200), "left"(COALESCE(assistant_name, ''::text), 200), groups);


--
-- Name: reviews_failing; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_failing ON reviews.reviews USING btree (failing_since) WHERE ((phase = 'moving'::text) AND (delivery_error IS NOT NULL));


--
-- Name: reviews_groups; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_groups ON reviews.reviews USING gin (groups);


--
-- Name: reviews_list_closed; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_list_closed ON reviews.reviews USING btree (closed_at DESC, id DESC) WHERE (phase = 'closed'::text);


--
-- Name: reviews_list_due; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_list_due ON reviews.reviews USING btree (phase, due_sort, opened_at, id);


--
-- Name: reviews_list_opened; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_list_opened ON reviews.reviews USING btree (phase, opened_at DESC, id DESC);


--
-- Name: reviews_needs_person; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_needs_person ON reviews.reviews USING btree (updated_at) WHERE needs_person;


--
-- Name: reviews_one_sent_per_thread; Type: INDEX; Schema: reviews; Owner: -
--

CREATE UNIQUE INDEX reviews_one_sent_per_thread ON reviews.reviews USING btree (thread_id) WHERE (state = 'sent'::text);


--
-- Name: reviews_one_unfinished; Type: INDEX; Schema: reviews; Owner: -
--

CREATE UNIQUE INDEX reviews_one_unfinished ON reviews.reviews USING btree (thread_id, interrupt_id, digest) WHERE (state = ANY (ARRAY['open'::text, 'decided'::text, 'sent'::text, 'consumed'::text]));


--
-- Name: reviews_search; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_search ON reviews.reviews USING gin (search);


--
-- Name: reviews_thread; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_thread ON reviews.reviews USING btree (thread_id, opened_at);


--
-- Name: reviews_to_escalate; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_to_escalate ON reviews.reviews USING btree (due_at) WHERE ((state = 'open'::text) AND (escalated_at IS NULL));


--
-- Name: reviews_to_expire; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_to_expire ON reviews.reviews USING btree (expires_at) WHERE (state = 'open'::text);


--
-- Name: reviews_to_remind; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_to_remind ON reviews.reviews USING btree (remind_at) WHERE ((state = 'open'::text) AND (reminded_at IS NULL));


--
-- Name: reviews_to_work_on; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_to_work_on ON reviews.reviews USING btree (next_look_at) WHERE (phase = 'moving'::text);


--
-- Name: reviews_unfinished; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX reviews_unfinished ON reviews.reviews USING btree (thread_id) WHERE (phase = ANY (ARRAY['open'::text, 'moving'::text]));


--
-- Name: sessions_expiry; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX sessions_expiry ON reviews.sessions USING btree (expires_at);


--
-- Name: sessions_user; Type: INDEX; Schema: reviews; Owner: -
--

CREATE INDEX sessions_user ON reviews.sessions USING btree (user_name);


--
-- Name: tokens_label; Type: INDEX; Schema: reviews; Owner: -
--

CREATE UNIQUE INDEX tokens_label ON reviews.tokens USING btree (user_name, label) WHERE (revoked_at IS NULL);


--
-- Name: articles_search; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX articles_search ON shop.articles USING gin (search);


--
-- Name: customers_email; Type: INDEX; Schema: shop; Owner: -
--

CREATE UNIQUE INDEX customers_email ON shop.customers USING btree (lower(email));


--
-- Name: dead_letters_ticket; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX dead_letters_ticket ON shop.dead_letters USING btree (ticket_id text_pattern_ops);


--
-- Name: dead_letters_when; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX dead_letters_when ON shop.dead_letters USING btree (buried_at);


--
-- Name: mails_ticket; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX mails_ticket ON shop.mails USING btree (ticket_id text_pattern_ops);


--
-- Name: mails_when; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX mails_when ON shop.mails USING btree (queued_at);


--
-- Name: model_calls_when; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX model_calls_when ON shop.model_calls USING btree (tenant, called_at);


--
-- Name: orders_customer; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX orders_customer ON shop.orders USING btree (customer_id);


--
-- Name: payment_methods_customer; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX payment_methods_customer ON shop.payment_methods USING btree (customer_id);


--
-- Name: product_variants_product; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX product_variants_product ON shop.product_variants USING btree (product_id);


--
-- Name: refund_answers_request; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX refund_answers_request ON shop.refund_answers USING btree (thread_id, order_id, request, answer_id);


--
-- Name: refund_holds_order; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX refund_holds_order ON shop.refund_holds USING btree (order_id);


--
-- Name: refunds_order; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX refunds_order ON shop.refunds USING btree (order_id);


--
-- Name: refunds_ticket; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX refunds_ticket ON shop.refunds USING btree (ticket_id text_pattern_ops);


--
-- Name: refunds_when; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX refunds_when ON shop.refunds USING btree (created_at);


--
-- Name: flights_search; Type: INDEX; Schema: travel; Owner: -
--

CREATE INDEX flights_search ON travel.flights USING btree (tenant, origin, destination, departs);


--
-- Name: holds_of_traveller; Type: INDEX; Schema: travel; Owner: -
--

CREATE INDEX holds_of_traveller ON travel.holds USING btree (tenant, traveller) WHERE (status = 'held'::text);


--
-- Name: holds_one_a_thread; Type: INDEX; Schema: travel; Owner: -
--

CREATE UNIQUE INDEX holds_one_a_thread ON travel.holds USING btree (tenant, thread_id) WHERE (status = 'held'::text);


--
-- Name: holds_that_expire; Type: INDEX; Schema: travel; Owner: -
--

CREATE INDEX holds_that_expire ON travel.holds USING btree (expires_at) WHERE (status = 'held'::text);


--
-- Name: offers_of_thread; Type: INDEX; Schema: travel; Owner: -
--

CREATE INDEX offers_of_thread ON travel.offers USING btree (tenant, thread_id, offer_id);


--
-- Name: sanctions_account_key; Type: INDEX; Schema: treasury; Owner: -
--

CREATE INDEX sanctions_account_key ON treasury.sanctions USING btree (account_key);


--
-- Name: sanctions_name_key; Type: INDEX; Schema: treasury; Owner: -
--

CREATE INDEX sanctions_name_key ON treasury.sanctions USING btree (name_key);


--
-- Name: sanctions_name_parts; Type: INDEX; Schema: treasury; Owner: -
--

CREATE INDEX sanctions_name_parts ON treasury.sanctions USING gin (name_parts);


--
-- Name: transactions_alike; Type: INDEX; Schema: treasury; Owner: -
--

CREATE INDEX transactions_alike ON treasury.transactions USING btree (tenant, treasury.account_key(account), amount_usd);


--
-- Name: transactions_by_day; Type: INDEX; Schema: treasury; Owner: -
--

CREATE INDEX transactions_by_day ON treasury.transactions USING btree (tenant, executing_at);


--
-- Name: transactions_reference_once; Type: INDEX; Schema: treasury; Owner: -
--

CREATE UNIQUE INDEX transactions_reference_once ON treasury.transactions USING btree (tenant, treasury.account_key(account), upper(reference)) WHERE ((kind = 'payment'::text) AND (status = ANY (ARRAY['checked'::text, 'executing'::text, 'executed'::text])));


--
-- Name: transactions_request; Type: INDEX; Schema: treasury; Owner: -
--

CREATE INDEX transactions_request ON treasury.transactions USING btree (tenant, request);


--
-- Name: deliveries_new; Type: INDEX; Schema: webhooks; Owner: -
--

CREATE INDEX deliveries_new ON webhooks.deliveries USING btree (next_try_at) WHERE (state = 'new'::text);


--
-- Name: deliveries_thread; Type: INDEX; Schema: webhooks; Owner: -
--

CREATE INDEX deliveries_thread ON webhooks.deliveries USING btree (thread_id);


--
-- Name: deliverables_tenant; Type: INDEX; Schema: workshop; Owner: -
--

CREATE INDEX deliverables_tenant ON workshop.deliverables USING btree (tenant, kept_at);


--
-- Name: notes_search; Type: INDEX; Schema: workshop; Owner: -
--

CREATE INDEX notes_search ON workshop.notes USING gin (search);


--
-- Name: solutions_tenant; Type: INDEX; Schema: workshop; Owner: -
--

CREATE INDEX solutions_tenant ON workshop.solutions USING btree (tenant, kept_at);


--
-- Name: publications publications_append_only; Type: TRIGGER; Schema: documents; Owner: -
--

CREATE TRIGGER publications_append_only BEFORE UPDATE OR TRUNCATE ON documents.publications FOR EACH STATEMENT EXECUTE FUNCTION documents.refuse('what was published stays as it was');


--
-- Name: publications publications_as_read; Type: TRIGGER; Schema: documents; Owner: -
--

CREATE TRIGGER publications_as_read BEFORE INSERT ON documents.publications FOR EACH ROW EXECUTE FUNCTION documents.check_publication();


--
-- Name: reviews reviews_decided_once; Type: TRIGGER; Schema: documents; Owner: -
--

CREATE TRIGGER reviews_decided_once BEFORE UPDATE ON documents.reviews FOR EACH ROW EXECUTE FUNCTION documents.check_review();


--
-- Name: allowed_refunds allowed_refunds_append_only; Type: TRIGGER; Schema: helpdesk; Owner: -
--

CREATE TRIGGER allowed_refunds_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON helpdesk.allowed_refunds FOR EACH STATEMENT EXECUTE FUNCTION helpdesk.refuse('what a person let pass stays on record');


--
-- Name: audit audit_append_only; Type: TRIGGER; Schema: reviews; Owner: -
--

CREATE TRIGGER audit_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON reviews.audit FOR EACH STATEMENT EXECUTE FUNCTION reviews.refuse('entries are only ever added');


--
-- Name: audit_pending audit_chain; Type: TRIGGER; Schema: reviews; Owner: -
--

CREATE CONSTRAINT TRIGGER audit_chain AFTER INSERT ON reviews.audit_pending DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION reviews.chain_entry();


--
-- Name: audit_head audit_head_kept; Type: TRIGGER; Schema: reviews; Owner: -
--

CREATE TRIGGER audit_head_kept BEFORE DELETE OR TRUNCATE ON reviews.audit_head FOR EACH STATEMENT EXECUTE FUNCTION reviews.refuse('the chain has one end');


--
-- Name: audit audit_told; Type: TRIGGER; Schema: reviews; Owner: -
--

CREATE TRIGGER audit_told AFTER INSERT ON reviews.audit FOR EACH STATEMENT EXECUTE FUNCTION reviews.tell_changed();


--
-- Name: reviews reviews_guard; Type: TRIGGER; Schema: reviews; Owner: -
--

CREATE TRIGGER reviews_guard BEFORE UPDATE ON reviews.reviews FOR EACH ROW EXECUTE FUNCTION reviews.guard_review();


--
-- Name: reviews reviews_kept; Type: TRIGGER; Schema: reviews; Owner: -
--

CREATE TRIGGER reviews_kept BEFORE DELETE ON reviews.reviews FOR EACH ROW WHEN ((old.closed_at IS NULL)) EXECUTE FUNCTION reviews.refuse('what a person still has to answer is never removed');


--
-- Name: reviews reviews_start_open; Type: TRIGGER; Schema: reviews; Owner: -
--

CREATE TRIGGER reviews_start_open BEFORE INSERT ON reviews.reviews FOR EACH ROW WHEN ((new.state <> 'open'::text)) EXECUTE FUNCTION reviews.refuse('a review starts open');


--
-- Name: reviews reviews_truncate; Type: TRIGGER; Schema: reviews; Owner: -
--

CREATE TRIGGER reviews_truncate BEFORE TRUNCATE ON reviews.reviews FOR EACH STATEMENT EXECUTE FUNCTION reviews.refuse('what a person still has to answer is never removed');


--
-- Name: orders orders_start_at_zero; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER orders_start_at_zero BEFORE INSERT ON shop.orders FOR EACH ROW WHEN (((new.paid_usd <> (0)::numeric) OR (new.refunded_usd <> (0)::numeric) OR (new.held_usd <> (0)::numeric))) EXECUTE FUNCTION shop.refuse('a new order has paid nothing yet; add a payment');


--
-- Name: orders orders_sums_by_trigger; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER orders_sums_by_trigger BEFORE UPDATE OF paid_usd, refunded_usd, held_usd ON shop.orders FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION shop.refuse('the sums are kept by triggers; add a payment, a refund or a hold');


--
-- Name: orders orders_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER orders_truncate BEFORE TRUNCATE ON shop.orders FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse('the ledger refers to orders');


--
-- Name: payments payments_add; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER payments_add AFTER INSERT ON shop.payments FOR EACH ROW EXECUTE FUNCTION shop.add_payment();


--
-- Name: payments payments_append_only; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER payments_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON shop.payments FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse('payments are only ever added');


--
-- Name: refund_answers refund_answers_append_only; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER refund_answers_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON shop.refund_answers FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse('what a person answered stays on record');


--
-- Name: refund_holds refund_holds_fixed; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER refund_holds_fixed BEFORE UPDATE OR TRUNCATE ON shop.refund_holds FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse('a hold is placed and released, never changed');


--
-- Name: refund_holds refund_holds_move; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER refund_holds_move AFTER INSERT OR DELETE ON shop.refund_holds FOR EACH ROW EXECUTE FUNCTION shop.move_hold();


--
-- Name: refund_questions refund_questions_append_only; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER refund_questions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON shop.refund_questions FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse('what a person was asked stays on record');


--
-- Name: refunds refunds_add; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER refunds_add AFTER INSERT ON shop.refunds FOR EACH ROW EXECUTE FUNCTION shop.add_refund();


--
-- Name: refunds refunds_append_only; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER refunds_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON shop.refunds FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse('refunds are only ever added');


--
-- Name: agreements agreements_append_only; Type: TRIGGER; Schema: travel; Owner: -
--

CREATE TRIGGER agreements_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON travel.agreements FOR EACH STATEMENT EXECUTE FUNCTION travel.refuse('what was agreed to stays on record');


--
-- Name: flights flights_clocks; Type: TRIGGER; Schema: travel; Owner: -
--

CREATE TRIGGER flights_clocks BEFORE INSERT OR UPDATE OF departs, arrives, leaves_at, lands_at ON travel.flights FOR EACH ROW EXECUTE FUNCTION travel.set_clocks();


--
-- Name: flights flights_stay; Type: TRIGGER; Schema: travel; Owner: -
--

CREATE TRIGGER flights_stay BEFORE UPDATE ON travel.flights FOR EACH ROW EXECUTE FUNCTION travel.guard_flight();


--
-- Name: holds holds_before; Type: TRIGGER; Schema: travel; Owner: -
--

CREATE TRIGGER holds_before BEFORE INSERT ON travel.holds FOR EACH ROW EXECUTE FUNCTION travel.before_hold();


--
-- Name: holds holds_give_back; Type: TRIGGER; Schema: travel; Owner: -
--

CREATE TRIGGER holds_give_back AFTER UPDATE ON travel.holds FOR EACH ROW WHEN (((old.status = 'held'::text) AND (new.status <> 'held'::text))) EXECUTE FUNCTION travel.count_hold();


--
-- Name: holds holds_kept; Type: TRIGGER; Schema: travel; Owner: -
--

CREATE TRIGGER holds_kept BEFORE DELETE OR TRUNCATE ON travel.holds FOR EACH STATEMENT EXECUTE FUNCTION travel.refuse('what was held stays on record; release it');


--
-- Name: holds holds_move; Type: TRIGGER; Schema: travel; Owner: -
--

CREATE TRIGGER holds_move BEFORE UPDATE ON travel.holds FOR EACH ROW EXECUTE FUNCTION travel.guard_hold();


--
-- Name: holds holds_take; Type: TRIGGER; Schema: travel; Owner: -
--

CREATE TRIGGER holds_take AFTER INSERT ON travel.holds FOR EACH ROW EXECUTE FUNCTION travel.count_hold();


--
-- Name: limits limits_for_all; Type: TRIGGER; Schema: travel; Owner: -
--

CREATE TRIGGER limits_for_all BEFORE DELETE OR UPDATE OF tenant ON travel.limits FOR EACH ROW WHEN ((old.tenant = '*'::text)) EXECUTE FUNCTION travel.refuse('it holds for every tenant without a row');


--
-- Name: limits limits_stay; Type: TRIGGER; Schema: travel; Owner: -
--

CREATE TRIGGER limits_stay BEFORE TRUNCATE ON travel.limits FOR EACH STATEMENT EXECUTE FUNCTION travel.refuse('one row holds for every tenant without one');


--
-- Name: offers offers_append_only; Type: TRIGGER; Schema: travel; Owner: -
--

CREATE TRIGGER offers_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON travel.offers FOR EACH STATEMENT EXECUTE FUNCTION travel.refuse('what was shown stays on record');


--
-- Name: places places_zone_moved; Type: TRIGGER; Schema: travel; Owner: -
--

CREATE TRIGGER places_zone_moved AFTER UPDATE OF zone ON travel.places FOR EACH ROW WHEN ((old.zone <> new.zone)) EXECUTE FUNCTION travel.follow_zone();


--
-- Name: signatures signatures_append_only; Type: TRIGGER; Schema: treasury; Owner: -
--

CREATE TRIGGER signatures_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON treasury.signatures FOR EACH STATEMENT EXECUTE FUNCTION treasury.refuse('a signature is given once and stays');


--
-- Name: signatures signatures_check; Type: TRIGGER; Schema: treasury; Owner: -
--

CREATE TRIGGER signatures_check BEFORE INSERT ON treasury.signatures FOR EACH ROW EXECUTE FUNCTION treasury.check_signature();


--
-- Name: transactions transactions_begin_checked; Type: TRIGGER; Schema: treasury; Owner: -
--

CREATE TRIGGER transactions_begin_checked BEFORE INSERT ON treasury.transactions FOR EACH ROW WHEN ((new.status <> 'checked'::text)) EXECUTE FUNCTION treasury.refuse('a transaction begins as checked');


--
-- Name: transactions transactions_kept; Type: TRIGGER; Schema: treasury; Owner: -
--

CREATE TRIGGER transactions_kept BEFORE DELETE OR TRUNCATE ON treasury.transactions FOR EACH STATEMENT EXECUTE FUNCTION treasury.refuse('what was asked for stays on record');


--
-- Name: transactions transactions_move; Type: TRIGGER; Schema: treasury; Owner: -
--

CREATE TRIGGER transactions_move BEFORE UPDATE ON treasury.transactions FOR EACH ROW EXECUTE FUNCTION treasury.check_move();


--
-- Name: purchase_requests purchase_requests_tenant_sku_fkey; Type: FK CONSTRAINT; Schema: desk; Owner: -
--

ALTER TABLE ONLY desk.purchase_requests
    ADD CONSTRAINT purchase_requests_tenant_sku_fkey FOREIGN KEY (tenant, sku) REFERENCES desk.stock(tenant, sku);


--
-- Name: stock stock_tenant_supplier_id_fkey; Type: FK CONSTRAINT; Schema: desk; Owner: -
--

ALTER TABLE ONLY desk.stock
    ADD CONSTRAINT stock_tenant_supplier_id_fkey FOREIGN KEY (tenant, supplier_id) REFERENCES desk.suppliers(tenant, supplier_id);


--
-- Name: findings findings_tenant_document_id_fkey; Type: FK CONSTRAINT; Schema: documents; Owner: -
--

ALTER TABLE ONLY documents.findings
    ADD CONSTRAINT findings_tenant_document_id_fkey FOREIGN KEY (tenant, document_id) REFERENCES documents.files(tenant, document_id) ON DELETE CASCADE;


--
-- Name: pages pages_tenant_document_id_fkey; Type: FK CONSTRAINT; Schema: documents; Owner: -
--

ALTER TABLE ONLY documents.pages
    ADD CONSTRAINT pages_tenant_document_id_fkey FOREIGN KEY (tenant, document_id) REFERENCES documents.files(tenant, document_id) ON DELETE CASCADE;


--
-- Name: publications publications_tenant_key_fkey; Type: FK CONSTRAINT; Schema: documents; Owner: -
--

ALTER TABLE ONLY documents.publications
    ADD CONSTRAINT publications_tenant_key_fkey FOREIGN KEY (tenant, key) REFERENCES documents.reviews(tenant, key);


--
-- Name: reviews reviews_tenant_document_id_fkey; Type: FK CONSTRAINT; Schema: documents; Owner: -
--

ALTER TABLE ONLY documents.reviews
    ADD CONSTRAINT reviews_tenant_document_id_fkey FOREIGN KEY (tenant, document_id) REFERENCES documents.files(tenant, document_id) ON DELETE CASCADE;


--
-- Name: comments comments_review_id_fkey; Type: FK CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.comments
    ADD CONSTRAINT comments_review_id_fkey FOREIGN KEY (review_id) REFERENCES reviews.reviews(id) ON DELETE CASCADE;


--
-- Name: dispatches dispatches_message_id_fkey; Type: FK CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.dispatches
    ADD CONSTRAINT dispatches_message_id_fkey FOREIGN KEY (message_id) REFERENCES reviews.outbox(message_id) ON DELETE CASCADE;


--
-- Name: idempotency_keys idempotency_keys_review_id_fkey; Type: FK CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.idempotency_keys
    ADD CONSTRAINT idempotency_keys_review_id_fkey FOREIGN KEY (review_id) REFERENCES reviews.reviews(id) ON DELETE CASCADE;


--
-- Name: one_time_links one_time_links_review_id_fkey; Type: FK CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.one_time_links
    ADD CONSTRAINT one_time_links_review_id_fkey FOREIGN KEY (review_id) REFERENCES reviews.reviews(id) ON DELETE CASCADE;


--
-- Name: one_time_links one_time_links_user_name_fkey; Type: FK CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.one_time_links
    ADD CONSTRAINT one_time_links_user_name_fkey FOREIGN KEY (user_name) REFERENCES reviews.users(name) ON DELETE CASCADE;


--
-- Name: reviews reviews_replaced_by_fkey; Type: FK CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.reviews
    ADD CONSTRAINT reviews_replaced_by_fkey FOREIGN KEY (replaced_by) REFERENCES reviews.reviews(id);


--
-- Name: reviews reviews_returned_from_fkey; Type: FK CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.reviews
    ADD CONSTRAINT reviews_returned_from_fkey FOREIGN KEY (returned_from) REFERENCES reviews.reviews(id);


--
-- Name: sessions sessions_user_name_fkey; Type: FK CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.sessions
    ADD CONSTRAINT sessions_user_name_fkey FOREIGN KEY (user_name) REFERENCES reviews.users(name) ON DELETE CASCADE;


--
-- Name: tokens tokens_user_name_fkey; Type: FK CONSTRAINT; Schema: reviews; Owner: -
--

ALTER TABLE ONLY reviews.tokens
    ADD CONSTRAINT tokens_user_name_fkey FOREIGN KEY (user_name) REFERENCES reviews.users(name) ON DELETE CASCADE;


--
-- Name: order_items order_items_item_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.order_items
    ADD CONSTRAINT order_items_item_id_fkey FOREIGN KEY (item_id) REFERENCES shop.product_variants(item_id);


--
-- Name: order_items order_items_order_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.order_items
    ADD CONSTRAINT order_items_order_id_fkey FOREIGN KEY (order_id) REFERENCES shop.orders(order_id);


--
-- Name: orders orders_customer_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.orders
    ADD CONSTRAINT orders_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES shop.customers(customer_id);


--
-- Name: payment_methods payment_methods_customer_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.payment_methods
    ADD CONSTRAINT payment_methods_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES shop.customers(customer_id);


--
-- Name: payments payments_order_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.payments
    ADD CONSTRAINT payments_order_id_fkey FOREIGN KEY (order_id) REFERENCES shop.orders(order_id);


--
-- Name: payments payments_payment_method_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.payments
    ADD CONSTRAINT payments_payment_method_id_fkey FOREIGN KEY (payment_method_id) REFERENCES shop.payment_methods(payment_method_id);


--
-- Name: product_variants product_variants_product_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.product_variants
    ADD CONSTRAINT product_variants_product_id_fkey FOREIGN KEY (product_id) REFERENCES shop.products(product_id);


--
-- Name: refund_holds refund_holds_order_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.refund_holds
    ADD CONSTRAINT refund_holds_order_id_fkey FOREIGN KEY (order_id) REFERENCES shop.orders(order_id);


--
-- Name: refunds refunds_order_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.refunds
    ADD CONSTRAINT refunds_order_id_fkey FOREIGN KEY (order_id) REFERENCES shop.orders(order_id);


--
-- Name: refunds refunds_payment_method_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.refunds
    ADD CONSTRAINT refunds_payment_method_id_fkey FOREIGN KEY (payment_method_id) REFERENCES shop.payment_methods(payment_method_id);


--
-- Name: shipments shipments_order_id_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.shipments
    ADD CONSTRAINT shipments_order_id_fkey FOREIGN KEY (order_id) REFERENCES shop.orders(order_id);


--
-- Name: agreements agreements_offer_id_fkey; Type: FK CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.agreements
    ADD CONSTRAINT agreements_offer_id_fkey FOREIGN KEY (offer_id) REFERENCES travel.offers(offer_id);


--
-- Name: flights flights_destination_fkey; Type: FK CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.flights
    ADD CONSTRAINT flights_destination_fkey FOREIGN KEY (destination) REFERENCES travel.places(code);


--
-- Name: flights flights_origin_fkey; Type: FK CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.flights
    ADD CONSTRAINT flights_origin_fkey FOREIGN KEY (origin) REFERENCES travel.places(code);


--
-- Name: holds holds_offer_id_fkey; Type: FK CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.holds
    ADD CONSTRAINT holds_offer_id_fkey FOREIGN KEY (offer_id) REFERENCES travel.offers(offer_id);


--
-- Name: hotels hotels_place_fkey; Type: FK CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.hotels
    ADD CONSTRAINT hotels_place_fkey FOREIGN KEY (place) REFERENCES travel.places(code);


--
-- Name: offers offers_hotel_id_tenant_fkey; Type: FK CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.offers
    ADD CONSTRAINT offers_hotel_id_tenant_fkey FOREIGN KEY (hotel_id, tenant) REFERENCES travel.hotels(hotel_id, tenant);


--
-- Name: offers offers_inbound_id_tenant_fkey; Type: FK CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.offers
    ADD CONSTRAINT offers_inbound_id_tenant_fkey FOREIGN KEY (inbound_id, tenant) REFERENCES travel.flights(flight_id, tenant);


--
-- Name: offers offers_outbound_id_tenant_fkey; Type: FK CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.offers
    ADD CONSTRAINT offers_outbound_id_tenant_fkey FOREIGN KEY (outbound_id, tenant) REFERENCES travel.flights(flight_id, tenant);


--
-- Name: room_nights room_nights_hotel_id_tenant_fkey; Type: FK CONSTRAINT; Schema: travel; Owner: -
--

ALTER TABLE ONLY travel.room_nights
    ADD CONSTRAINT room_nights_hotel_id_tenant_fkey FOREIGN KEY (hotel_id, tenant) REFERENCES travel.hotels(hotel_id, tenant);


--
-- Name: signatures signatures_transaction_id_fkey; Type: FK CONSTRAINT; Schema: treasury; Owner: -
--

ALTER TABLE ONLY treasury.signatures
    ADD CONSTRAINT signatures_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES treasury.transactions(transaction_id);


--
-- Name: transactions transactions_symbol_fkey; Type: FK CONSTRAINT; Schema: treasury; Owner: -
--

ALTER TABLE ONLY treasury.transactions
    ADD CONSTRAINT transactions_symbol_fkey FOREIGN KEY (symbol) REFERENCES treasury.instruments(symbol);


--
-- Name: purchase_requests own_tenant; Type: POLICY; Schema: desk; Owner: -
--

CREATE POLICY own_tenant ON desk.purchase_requests USING ((tenant = ( SELECT desk.tenant() AS tenant))) WITH CHECK ((tenant = ( SELECT desk.tenant() AS tenant)));


--
-- Name: stock own_tenant; Type: POLICY; Schema: desk; Owner: -
--

CREATE POLICY own_tenant ON desk.stock USING ((tenant = ( SELECT desk.tenant() AS tenant))) WITH CHECK ((tenant = ( SELECT desk.tenant() AS tenant)));


--
-- Name: suppliers own_tenant; Type: POLICY; Schema: desk; Owner: -
--

CREATE POLICY own_tenant ON desk.suppliers USING ((tenant = ( SELECT desk.tenant() AS tenant))) WITH CHECK ((tenant = ( SELECT desk.tenant() AS tenant)));


--
-- Name: purchase_requests; Type: ROW SECURITY; Schema: desk; Owner: -
--

ALTER TABLE desk.purchase_requests ENABLE ROW LEVEL SECURITY;

--
-- Name: stock; Type: ROW SECURITY; Schema: desk; Owner: -
--

ALTER TABLE desk.stock ENABLE ROW LEVEL SECURITY;

--
-- Name: suppliers; Type: ROW SECURITY; Schema: desk; Owner: -
--

ALTER TABLE desk.suppliers ENABLE ROW LEVEL SECURITY;

--
-- PostgreSQL database dump complete
--


