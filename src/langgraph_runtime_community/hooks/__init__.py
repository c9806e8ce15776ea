"""Webhooks: written with the end of a run, sent from the outbox, signed, tried again."""
