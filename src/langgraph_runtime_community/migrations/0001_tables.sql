-- What the Agent Server keeps, apart from checkpoints and store, which langgraph-checkpoint-postgres keeps.
-- What must never happen is a constraint here, not an `if` in the code.
CREATE SCHEMA IF NOT EXISTS server;

CREATE TABLE server.assistants (
    assistant_id uuid PRIMARY KEY,
    graph_id text NOT NULL,
    name text NOT NULL,
    description text,
    config jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(config) = 'object'),
    context jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(context) = 'object'),
    metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
    version integer NOT NULL CHECK (version > 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE server.assistant_versions (
    assistant_id uuid NOT NULL REFERENCES server.assistants ON DELETE CASCADE,
    version integer NOT NULL CHECK (version > 0),
    graph_id text NOT NULL,
    name text NOT NULL,
    description text,
    config jsonb NOT NULL,
    context jsonb NOT NULL,
    metadata jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (assistant_id, version)
);

-- The version that an assistant shows is one that it has.
ALTER TABLE server.assistants ADD FOREIGN KEY (assistant_id, version)
    REFERENCES server.assistant_versions (assistant_id, version) DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE server.threads (
    thread_id uuid PRIMARY KEY,
    status text NOT NULL DEFAULT 'idle' CHECK (status IN ('idle', 'busy', 'interrupted', 'error')),
    -- What the status is once no run is in flight.
    settled text NOT NULL DEFAULT 'idle' CHECK (settled IN ('idle', 'interrupted', 'error')),
    metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
    config jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(config) = 'object'),
    values jsonb,
    interrupts jsonb NOT NULL DEFAULT '{}',
    error jsonb,
    ttl_strategy text CHECK (ttl_strategy IN ('delete', 'keep_latest')),
    ttl_minutes double precision CHECK (ttl_minutes > 0),
    expires_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    state_updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX threads_metadata ON server.threads USING gin (metadata jsonb_path_ops);
CREATE INDEX threads_updated ON server.threads (updated_at DESC);
CREATE INDEX threads_state_updated ON server.threads (state_updated_at DESC);
CREATE INDEX threads_expiring ON server.threads (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE server.workers (
    worker_id uuid PRIMARY KEY,
    host text NOT NULL,
    pid integer NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    -- Beaten by a thread of the process; past this moment others may take its runs.
    alive_until timestamptz NOT NULL
);

CREATE TABLE server.runs (
    run_id uuid PRIMARY KEY,
    thread_id uuid NOT NULL REFERENCES server.threads ON DELETE CASCADE,
    assistant_id uuid NOT NULL,
    assistant_version integer,
    status text NOT NULL
        CHECK (status IN ('pending', 'running', 'success', 'error', 'timeout', 'interrupted')),
    metadata jsonb NOT NULL DEFAULT '{}',
    kwargs jsonb NOT NULL,
    multitask_strategy text NOT NULL
        CHECK (multitask_strategy IN ('reject', 'rollback', 'interrupt', 'enqueue')),
    langsmith_session_name text,
    user_id text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    due_at timestamptz NOT NULL,
    attempt integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    -- Grows with every claim. A write made for an older one is refused: the fence.
    epoch bigint NOT NULL DEFAULT 0,
    worker_id uuid,
    claimed_at timestamptz,
    -- Milliseconds at the claim: first part of the ids of the events of this attempt.
    stream_base bigint NOT NULL DEFAULT 0,
    cancel text CHECK (cancel IN ('interrupt', 'rollback')),
    cancel_reason text,
    -- The process that accepted the run, whose clients may be listening there; and whether any listen elsewhere.
    origin uuid,
    watched boolean NOT NULL DEFAULT false,
    CHECK ((status = 'running') = (worker_id IS NOT NULL))
);
-- One worker moves one thread at a time.
CREATE UNIQUE INDEX runs_one_running ON server.runs (thread_id) WHERE status = 'running';
CREATE INDEX runs_due ON server.runs (due_at, run_id) WHERE status = 'pending';
CREATE INDEX runs_held ON server.runs (worker_id) WHERE status = 'running';
CREATE INDEX runs_of_thread ON server.runs (thread_id, created_at DESC);

CREATE FUNCTION server.refuse_illegal_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (CASE OLD.status
        WHEN 'pending' THEN NEW.status IN ('running', 'interrupted', 'error')
        WHEN 'running' THEN TRUE
        ELSE FALSE
    END) THEN
        RAISE EXCEPTION 'run % cannot go from % to %', OLD.run_id, OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'runs_legal_change';
    END IF;
    IF NEW.status = 'running' AND NEW.epoch <= OLD.epoch THEN
        RAISE EXCEPTION 'run % was claimed without a new epoch', OLD.run_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'runs_epoch_grows';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER runs_legal_change BEFORE UPDATE OF status ON server.runs
    FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status)
    EXECUTE FUNCTION server.refuse_illegal_change();

-- Stream events that can be asked for again: of resumable runs, and of runs watched from another process.
CREATE TABLE server.events (
    run_id uuid NOT NULL,
    base bigint NOT NULL,
    number integer NOT NULL,
    thread_id uuid NOT NULL,
    event text NOT NULL,
    data bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, base, number)
);
CREATE INDEX events_of_thread ON server.events (thread_id, base, number);
CREATE INDEX events_age ON server.events (at);

CREATE TABLE server.crons (
    cron_id uuid PRIMARY KEY,
    assistant_id uuid NOT NULL REFERENCES server.assistants ON DELETE CASCADE,
    thread_id uuid REFERENCES server.threads ON DELETE CASCADE,
    on_run_completed text CHECK (on_run_completed IN ('delete', 'keep')),
    end_time timestamptz,
    schedule text NOT NULL,
    timezone text,
    user_id text,
    payload jsonb NOT NULL,
    metadata jsonb NOT NULL DEFAULT '{}',
    enabled boolean NOT NULL DEFAULT true,
    next_run_date timestamptz NOT NULL,
    claimed_until timestamptz NOT NULL DEFAULT 'epoch',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX crons_due ON server.crons (next_run_date) WHERE enabled;

-- One run a slot: the row is written in the transaction that makes the run.
CREATE TABLE server.cron_slots (
    cron_id uuid NOT NULL REFERENCES server.crons ON DELETE CASCADE,
    slot timestamptz NOT NULL,
    fired_at timestamptz NOT NULL DEFAULT now(),
    run_id uuid,
    PRIMARY KEY (cron_id, slot)
);

-- Webhooks still to send. Written in the transaction that ends the run; no reference to it, for it may be deleted.
CREATE TABLE server.outbox (
    hook_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    run_id uuid NOT NULL,
    thread_id uuid NOT NULL,
    url text NOT NULL,
    payload jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    next_at timestamptz NOT NULL DEFAULT now(),
    tries integer NOT NULL DEFAULT 0,
    last_error text,
    dead_at timestamptz
);
CREATE INDEX outbox_due ON server.outbox (next_at) WHERE dead_at IS NULL;
