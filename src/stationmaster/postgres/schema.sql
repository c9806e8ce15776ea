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
-- Name: shop; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA shop;


--
-- Name: stationmaster; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA stationmaster;


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


SET default_tablespace = '';

SET default_table_access_method = heap;

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
    CONSTRAINT dead_letters_detail_check CHECK ((jsonb_typeof(detail) = 'object'::text)),
    CONSTRAINT dead_letters_graph_check CHECK ((graph <> ''::text)),
    CONSTRAINT dead_letters_idempotency_key_check CHECK ((idempotency_key <> ''::text)),
    CONSTRAINT dead_letters_node_check CHECK ((node <> ''::text)),
    CONSTRAINT dead_letters_reason_check CHECK ((reason <> ''::text))
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
    CONSTRAINT mails_body_check CHECK ((body <> ''::text)),
    CONSTRAINT mails_idempotency_key_check CHECK ((idempotency_key <> ''::text)),
    CONSTRAINT mails_recipient_check CHECK ((recipient ~ '^[^@\s]+@[^@\s]+$'::text)),
    CONSTRAINT mails_subject_check CHECK ((subject <> ''::text))
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
-- Name: refund_holds; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.refund_holds (
    idempotency_key text NOT NULL,
    order_id text NOT NULL,
    ticket_id text NOT NULL,
    amount_usd numeric(10,2) NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT refund_holds_amount_usd_check CHECK ((amount_usd > (0)::numeric)),
    CONSTRAINT refund_holds_idempotency_key_check CHECK ((idempotency_key <> ''::text))
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
    CONSTRAINT refunds_amount_usd_check CHECK ((amount_usd > (0)::numeric)),
    CONSTRAINT refunds_have_a_ticket CHECK (((provider = 'history'::text) = (ticket_id IS NULL))),
    CONSTRAINT refunds_idempotency_key_check CHECK ((idempotency_key <> ''::text)),
    CONSTRAINT refunds_provider_check CHECK ((provider = ANY (ARRAY['history'::text, 'ledger'::text, 'http'::text]))),
    CONSTRAINT refunds_reference_check CHECK ((reference <> ''::text)),
    CONSTRAINT refunds_request_check CHECK ((request > 0))
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
-- Name: migrations; Type: TABLE; Schema: stationmaster; Owner: -
--

CREATE TABLE stationmaster.migrations (
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


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
-- Name: refund_holds refund_holds_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.refund_holds
    ADD CONSTRAINT refund_holds_pkey PRIMARY KEY (idempotency_key);


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
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: stationmaster; Owner: -
--

ALTER TABLE ONLY stationmaster.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);


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
-- Name: mails_ticket; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX mails_ticket ON shop.mails USING btree (ticket_id text_pattern_ops);


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
-- Name: refund_holds refund_holds_fixed; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER refund_holds_fixed BEFORE UPDATE OR TRUNCATE ON shop.refund_holds FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse('a hold is placed and released, never changed');


--
-- Name: refund_holds refund_holds_move; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER refund_holds_move AFTER INSERT OR DELETE ON shop.refund_holds FOR EACH ROW EXECUTE FUNCTION shop.move_hold();


--
-- Name: refunds refunds_add; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER refunds_add AFTER INSERT ON shop.refunds FOR EACH ROW EXECUTE FUNCTION shop.add_refund();


--
-- Name: refunds refunds_append_only; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER refunds_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON shop.refunds FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse('refunds are only ever added');


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
-- PostgreSQL database dump complete
--


