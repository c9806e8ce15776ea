"""Assistants and crons as files: read, compare with the server, plan, apply, adopt."""
