"""Embedded or external Postgres: where it is, how it is started, migrated and asked."""
