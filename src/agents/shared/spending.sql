-- name: note_call(tenant, graph, node, thread_id, model, input_tokens, output_tokens, usd, unpriced)!
-- Notes one call of a model that costs something.
insert into shop.model_calls (tenant, graph, node, thread_id, model, input_tokens, output_tokens, usd, unpriced)
values (:tenant, :graph, :node, :thread_id, :model, :input_tokens, :output_tokens, :usd, :unpriced);
