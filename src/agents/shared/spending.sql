-- name: note_call(tenant, graph, node, thread_id, model, input_tokens, output_tokens, usd, unpriced)!
-- Notes one call of a model that costs something, for whose thread it is: the operators' inbox goes on with all tenants'.
insert into shop.model_calls (tenant, graph, node, thread_id, model, input_tokens, output_tokens, usd, unpriced)
values (
    coalesce((select noted.tenant from shop.thread_tenants as noted where noted.thread_id = :thread_id), :tenant),
    :graph, :node, :thread_id, :model, :input_tokens, :output_tokens, :usd, :unpriced
);
