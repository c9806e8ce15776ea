"""Upkeep of the durable server's database: what it holds, what goes when, webhooks that were given up."""
