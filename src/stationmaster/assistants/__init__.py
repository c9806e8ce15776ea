"""Assistants over time: versions, what differs, promoting and rolling back, canaries and how their arms compare."""
