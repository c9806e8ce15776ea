"""Client apps and an embedding service, to be copied from; see docs/client.md and docs/serving.md."""
