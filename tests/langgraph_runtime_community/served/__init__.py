"""A project for the tests: small graphs with a ledger, an auth handler, an embedding."""
