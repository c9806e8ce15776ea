-- name: bury(tenant, key, graph, node, ticket_id, thread_id, reason, detail)^
-- Keeps a case that no node could handle; no row comes back when that key is there already.
insert into shop.dead_letters (tenant, idempotency_key, graph, node, ticket_id, thread_id, reason, detail)
values (:tenant, :key, :graph, :node, :ticket_id, :thread_id, :reason, :detail)
on conflict (idempotency_key) do nothing
returning dead_letter_id;
