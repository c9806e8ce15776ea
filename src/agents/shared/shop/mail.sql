-- name: queue_mail(tenant, key, ticket_id, recipient, subject, body)^
-- Puts a mail into the outbox; no row comes back when that key is there already.
insert into shop.mails (tenant, idempotency_key, ticket_id, recipient, subject, body)
values (:tenant, :key, :ticket_id, :recipient, :subject, :body)
on conflict (idempotency_key) do nothing
returning mail_id;
