-- What the research keeps so as not to ask twice: vectors of published texts, and answers of paid searches.
create schema research;

-- A server without pgvector, or a user who may not add it, loses one source and nothing else: what is kept is a plain
-- array, and the search looks for the type each time. `create extension vector` by an administrator is enough later.
do $$
begin
    create extension if not exists vector;
exception
    when undefined_file or feature_not_supported or insufficient_privilege then
        raise notice 'no pgvector here (%): articles are searched by their words alone', sqlerrm;
end
$$;

-- A text's vector by one model, under the text's hash: an edited text gets another row, and a model only ever sees its own.
-- No tenant: these are the help articles', which everybody may read.
create table research.vectors (
    content_hash text not null check (content_hash ~ '^[0-9a-f]{64}$'),
    model        text not null check (model <> ''),
    dimension    integer not null check (dimension between 1 and 16000),
    embedding    real[] not null,
    embedded_at  timestamptz not null default now(),
    primary key (content_hash, model),
    constraint vectors_are_of_their_dimension check (
        cardinality(embedding) = dimension and array_ndims(embedding) = 1 and array_position(embedding, null) is null
    )
);

-- What a search came to, for whoever of the same tenant asks the same again soon. Only what was answered is kept.
create table research.searches (
    tenant  text not null default 'main' check (tenant <> ''),
    source  text not null check (source <> ''),
    key     text not null check (key ~ '^[0-9a-f]{64}$'),
    answer  jsonb not null check (jsonb_typeof(answer) = 'array'),
    kept_at timestamptz not null default now(),
    primary key (tenant, source, key)
);
create index searches_kept on research.searches (kept_at);
